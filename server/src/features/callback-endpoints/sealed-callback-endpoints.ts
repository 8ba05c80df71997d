import { sealedTable } from '../../platform/secrets/sealed-secrets.js';
import { callbackEndpoints } from './callback-endpoints.table.js';
import { callbackSecretOwner } from './callback-secret.js';

export const sealedCallbackEndpoints = sealedTable(callbackEndpoints, {
  id: 'endpointId',
  secrets: {
    secretSealed: (row) => callbackSecretOwner(row, row.secretVersion),
    previousSecretSealed: (row) => callbackSecretOwner(row, row.secretVersion - 1),
  },
});
