import { sealedTable } from '../../platform/secrets/sealed-secrets.js';
import { objectCredentials } from './object-credentials.table.js';
import { objectSecretOwner } from './object-secrets.js';

export const sealedObjectCredentials = sealedTable(objectCredentials, {
  id: 'credentialId',
  secrets: {
    secretAccessKeySealed: (row) => objectSecretOwner(row, 'secret_access_key'),
    sessionTokenSealed: (row) => objectSecretOwner(row, 'session_token'),
  },
});
