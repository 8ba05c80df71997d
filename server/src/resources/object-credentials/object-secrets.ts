import type { Keyring } from '../../foundation/secrets/keyring.js';
import { sealedTable } from '../../foundation/secrets/rewrap-secrets.js';
import { objectCredentials } from './object-storage.table.js';

type Row = typeof objectCredentials.$inferSelect;
type Identity = Pick<Row, 'tenantId' | 'credentialId' | 'secretVersion'>;

/** The identity that a secret is sealed for. The secret does not open in another row, version or column. */
const objectSecretOwner = (
  { tenantId, credentialId, secretVersion }: Identity,
  secret: 'secret_access_key' | 'session_token',
) => `object-credential:${tenantId}:${credentialId}:${secretVersion}:${secret}`;

export const sealSecretAccessKey = (keyring: Keyring, identity: Identity, text: string) =>
  keyring.seal(text, objectSecretOwner(identity, 'secret_access_key'));

export const sealSessionToken = (keyring: Keyring, identity: Identity, text: string | null) =>
  text === null ? null : keyring.seal(text, objectSecretOwner(identity, 'session_token'));

export const openObjectSecrets = (keyring: Keyring, row: Row) => ({
  secretAccessKey: keyring.open(row.secretAccessKeySealed, objectSecretOwner(row, 'secret_access_key')),
  sessionToken:
    row.sessionTokenSealed === null
      ? null
      : keyring.open(row.sessionTokenSealed, objectSecretOwner(row, 'session_token')),
});

export const sealedObjectCredentials = sealedTable(objectCredentials, {
  id: 'credentialId',
  secrets: {
    secretAccessKeySealed: (row) => objectSecretOwner(row, 'secret_access_key'),
    sessionTokenSealed: (row) => objectSecretOwner(row, 'session_token'),
  },
});
