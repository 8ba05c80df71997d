import { credentials } from '../../platform/identity/credentials.table.js';
import { credentialOwner } from '../../platform/secrets/credential-secret.js';
import { sealedTable } from '../../platform/secrets/sealed-secrets.js';

export const sealedCredentials = sealedTable(credentials, {
  id: 'clientId',
  secrets: {
    secretSealed: ({ tenantId, clientId, secretVersion }) => credentialOwner(tenantId, clientId, secretVersion),
    previousSecretSealed: ({ tenantId, clientId, secretVersion }) =>
      credentialOwner(tenantId, clientId, secretVersion - 1),
  },
});
