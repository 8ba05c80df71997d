import type { Transaction } from '../../platform/database/database.js';
import { takenNames } from '../../platform/database/names.table.js';
import { credentials } from '../../platform/identity/credentials.table.js';
import { insertRow } from '../../platform/operation/rows.js';
import { credentialOwner, generateCredentialSecret } from '../../platform/secrets/credential-secret.js';
import type { Keyring } from '../../platform/secrets/keyring.js';

type Row = typeof credentials.$inferInsert;
type Optional = 'status' | 'allowedClockSkewSeconds' | 'replayWindowSeconds' | 'requestsPerMinute' | 'expiresAt';
type NewCredential = Pick<Row, 'tenantId' | 'clientId' | 'name'> & { [Field in Optional]?: Row[Field] | undefined };

const DEFAULT_WINDOW_SECONDS = 300;

/** Registers the client_id for good and stores the credential; null if the client_id is taken on the platform. */
export async function insertCredential(tx: Transaction, keyring: Keyring, fields: NewCredential) {
  const { tenantId, clientId } = fields;
  const taken = await tx
    .insert(takenNames)
    .values({ kind: 'CLIENT_ID', name: clientId, tenantId })
    .onConflictDoNothing()
    .returning();
  if (taken.length === 0) return null;
  const secret = generateCredentialSecret();
  const row = await insertRow(tx, credentials, {
    tenantId,
    clientId,
    name: fields.name,
    status: fields.status ?? 'ACTIVE',
    allowedClockSkewSeconds: fields.allowedClockSkewSeconds ?? DEFAULT_WINDOW_SECONDS,
    replayWindowSeconds: fields.replayWindowSeconds ?? DEFAULT_WINDOW_SECONDS,
    requestsPerMinute: fields.requestsPerMinute ?? null,
    secretVersion: 1,
    secretSealed: keyring.seal(secret, credentialOwner(tenantId, clientId, 1)),
    expiresAt: fields.expiresAt ?? null,
  });
  return { row, secret };
}
