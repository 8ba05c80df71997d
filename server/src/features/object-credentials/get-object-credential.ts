import { getHandler } from '../../platform/operation/resource-handlers.js';
import { objectCredentials } from './object-credentials.table.js';
import { presentObjectCredential } from './present-object-credential.js';

export const getObjectCredential = getHandler(objectCredentials, presentObjectCredential);
