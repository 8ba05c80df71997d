import { credentials } from '../../platform/identity/credentials.table.js';
import { getHandler } from '../../platform/operation/resource-handlers.js';
import { presentCredential } from './present-credential.js';

export const getCredential = getHandler(credentials, presentCredential);
