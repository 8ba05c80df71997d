import { randomBytes } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Keyring } from '../../foundation/secrets/keyring.js';
import { sealedTable } from '../../foundation/secrets/rewrap-secrets.js';
import { callbackEndpoints } from './callbacks.table.js';

type Row = typeof callbackEndpoints.$inferSelect;
type Key = Pick<Row, 'tenantId' | 'endpointId'>;

/** A new secret and its columns: `whsec_` and 32 bytes in base64, as in Standard Webhooks. */
export function makeCallbackSecret(keyring: Keyring, key: Key, secretVersion: number) {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  return {
    secret,
    columns: { secretVersion, secretSealed: keyring.seal(secret, callbackSecretOwner(key, secretVersion)) },
  };
}

/** A new secret for a row that this transaction has locked. The old one expires with the commit, or after this time. */
export function rotateCallbackSecret(keyring: Keyring, locked: Row, previousSecretTtlSeconds: number) {
  const { secret, columns } = makeCallbackSecret(keyring, locked, locked.secretVersion + 1);
  const overlaps = previousSecretTtlSeconds > 0;
  return {
    secret,
    columns: {
      ...columns,
      previousSecretSealed: overlaps ? locked.secretSealed : null,
      previousSecretExpiresAt: overlaps ? sql`now() + make_interval(secs => ${previousSecretTtlSeconds})` : null,
    },
  };
}

/** The identity that a secret is sealed for. The secret does not open in another row or version. */
const callbackSecretOwner = ({ tenantId, endpointId }: Key, secretVersion: number) =>
  `callback-endpoint:${tenantId}:${endpointId}:${secretVersion}`;

export const sealedCallbackEndpoints = sealedTable(callbackEndpoints, {
  id: 'endpointId',
  secrets: {
    secretSealed: (row) => callbackSecretOwner(row, row.secretVersion),
    previousSecretSealed: (row) => callbackSecretOwner(row, row.secretVersion - 1),
  },
});
