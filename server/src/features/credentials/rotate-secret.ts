import { and, eq, sql } from 'drizzle-orm';
import type { Transaction } from '../../platform/database/database.js';
import { credentials } from '../../platform/identity/credentials.table.js';
import { updateRow } from '../../platform/operation/rows.js';
import { credentialOwner, generateCredentialSecret } from '../../platform/secrets/credential-secret.js';
import type { Keyring } from '../../platform/secrets/keyring.js';

type Row = typeof credentials.$inferSelect;

/**
 * Creates a new secret for a row that this transaction has locked. The old one expires with the commit, or after
 * `previousSecretTtlSeconds`, but never after the credential.
 */
export async function rotateSecret(tx: Transaction, keyring: Keyring, locked: Row, previousSecretTtlSeconds: number) {
  const secret = generateCredentialSecret();
  const secretVersion = locked.secretVersion + 1;
  const overlaps = previousSecretTtlSeconds > 0;
  const own = and(eq(credentials.tenantId, locked.tenantId), eq(credentials.clientId, locked.clientId));
  const row = await updateRow(tx, credentials, own, {
    secretVersion,
    secretSealed: keyring.seal(secret, credentialOwner(locked.tenantId, locked.clientId, secretVersion)),
    previousSecretSealed: overlaps ? locked.secretSealed : null,
    previousSecretExpiresAt: overlaps
      ? sql`least(now() + make_interval(secs => ${previousSecretTtlSeconds}), ${credentials.expiresAt})`
      : null,
    secretLastUsedAt: null,
    previousSecretLastUsedAt: locked.secretLastUsedAt,
  });
  return { row, secret };
}
