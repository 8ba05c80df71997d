import { sql } from 'drizzle-orm';
import type { Transaction } from '../../foundation/database/database.js';
import { credentialOwner, generateCredentialSecret } from '../../foundation/secrets/credential-secret.js';
import type { Keyring } from '../../foundation/secrets/keyring.js';
import { sealedTable } from '../../foundation/secrets/rewrap-secrets.js';
import { credentials, takenNames } from '../../foundation/tables.js';
import type { CallOf } from '../../gateway/operation/call.js';
import { insertRow, ownRow, updateRow } from '../rows.js';

type Row = typeof credentials.$inferSelect;
type Optional = 'status' | 'allowedClockSkewSeconds' | 'replayWindowSeconds' | 'requestsPerMinute' | 'expiresAt';
type NewCredential = Pick<Row, 'tenantId' | 'clientId' | 'name'> & Partial<Pick<Row, Optional>>;

const DEFAULTS = { status: 'ACTIVE', allowedClockSkewSeconds: 300, replayWindowSeconds: 300 } as const;

/** Registers the client_id for good and stores the credential; null if the client_id is taken on the platform. */
export async function insertCredential(tx: Transaction, keyring: Keyring, fields: NewCredential) {
  const { tenantId, clientId } = fields;
  const name = { kind: 'CLIENT_ID', name: clientId, tenantId } as const;
  const [taken] = await tx.insert(takenNames).values(name).onConflictDoNothing().returning();
  if (!taken) return null;
  const secret = generateCredentialSecret();
  const row = await insertRow(tx, credentials, {
    ...DEFAULTS,
    ...fields,
    secretVersion: 1,
    secretSealed: keyring.seal(secret, credentialOwner(tenantId, clientId, 1)),
  });
  return { row, secret };
}

/**
 * Creates a new secret for a row that this transaction has locked. The old one expires with the commit, or after
 * `previousSecretTtlSeconds`, but never after the credential.
 */
export async function rotateSecret(tx: Transaction, keyring: Keyring, locked: Row, previousSecretTtlSeconds: number) {
  const secret = generateCredentialSecret();
  const secretVersion = locked.secretVersion + 1;
  const overlaps = previousSecretTtlSeconds > 0;
  const own = ownRow(credentials, locked, { client_id: locked.clientId });
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

/**
 * Reads and locks a credential to change it; null if the tenant has none with this name. New commands lock only its
 * key, which this lock leaves free, so they do not wait.
 */
export async function lockCredential(
  tx: Transaction,
  call: Pick<CallOf<'CREDENTIAL_DELETED'>, 'tenantId' | 'refuse'>,
  clientId: string,
) {
  const own = ownRow(credentials, call, { client_id: clientId });
  const [row] = await tx.select().from(credentials).where(own).for('no key update');
  if (!row) return null;
  if (row.status === 'DELETED') throw call.refuse('CREDENTIAL_DELETED');
  return row;
}

export const sealedCredentials = sealedTable(credentials, {
  id: 'clientId',
  secrets: {
    secretSealed: ({ tenantId, clientId, secretVersion }) => credentialOwner(tenantId, clientId, secretVersion),
    previousSecretSealed: (row) => credentialOwner(row.tenantId, row.clientId, row.secretVersion - 1),
  },
});
