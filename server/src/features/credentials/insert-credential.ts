import type { Transaction } from '../../platform/database/database.js';
import { takenNames } from '../../platform/database/names.table.js';
import { credentials } from '../../platform/identity/credentials.table.js';
import { credentialOwner } from '../../platform/secrets/credential-owner.js';
import { generateCredentialSecret } from '../../platform/secrets/credential-secret.js';
import type { Keyring } from '../../platform/secrets/keyring.js';

type NewCredential = {
  tenantId: string;
  clientId: string;
  name: string;
  status?: 'ACTIVE' | 'DISABLED' | 'DELETED' | undefined;
  allowedClockSkewSeconds?: number | undefined;
  replayWindowSeconds?: number | undefined;
  expiresAt?: Date | null | undefined;
};

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
  const [row] = await tx
    .insert(credentials)
    .values({
      tenantId,
      clientId,
      name: fields.name,
      status: fields.status ?? 'ACTIVE',
      allowedClockSkewSeconds: fields.allowedClockSkewSeconds ?? DEFAULT_WINDOW_SECONDS,
      replayWindowSeconds: fields.replayWindowSeconds ?? DEFAULT_WINDOW_SECONDS,
      secretVersion: 1,
      secretSealed: keyring.seal(secret, credentialOwner(tenantId, clientId, 1)),
      expiresAt: fields.expiresAt ?? null,
    })
    .returning();
  if (!row) throw new Error('The insert returned no row.');
  return { row, secret };
}
