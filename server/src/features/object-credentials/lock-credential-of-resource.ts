import type { Transaction } from '../../platform/database/database.js';
import { isObjectCredential, objectCredentials } from './object-credentials.table.js';

/**
 * Reads and locks an object credential until the transaction ends: `update` to delete it, `no key update` to change it,
 * `share` to check a resource against it. Null if the tenant has none with this id.
 */
export async function lockObjectCredential(
  tx: Transaction,
  tenantId: string,
  credentialId: string,
  strength: 'update' | 'no key update' | 'share',
) {
  const [row] = await tx
    .select()
    .from(objectCredentials)
    .where(isObjectCredential(tenantId, credentialId))
    .for(strength);
  return row ?? null;
}
