import { listHandler } from '../../platform/operation/resource-handlers.js';
import { objectCredentials } from './object-credentials.table.js';
import { presentObjectCredential } from './present-object-credential.js';

export const listObjectCredentials = listHandler({
  table: objectCredentials,
  order: ['credentialId'],
  filteredBy: ['status'],
  present: presentObjectCredential,
});
