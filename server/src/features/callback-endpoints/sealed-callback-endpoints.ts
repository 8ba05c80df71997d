import { sealedTable } from '../../platform/secrets/sealed-secrets.js';
import { callbackEndpoints } from './callback-endpoints.table.js';
import { callbackSecretOwner } from './callback-secret.js';

export const sealedCallbackEndpoints = sealedTable(callbackEndpoints, {
  name: 'callback_endpoints',
  tenantId: callbackEndpoints.tenantId,
  id: callbackEndpoints.endpointId,
  idOf: ({ endpointId }) => endpointId,
  secrets: {
    secretSealed: (row) => callbackSecretOwner(row, row.secretVersion),
    previousSecretSealed: (row) => callbackSecretOwner(row, row.secretVersion - 1),
  },
});
