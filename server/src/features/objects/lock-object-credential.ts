import { and, eq } from 'drizzle-orm';
import type { Transaction } from '../../platform/database/database.js';
import { objectCredentials } from './object-credentials.table.js';

/**
 * Reads an object credential, which then stays as it is until the transaction ends: `no key update` to change it,
 * `share` to judge a resource by it. Null where the tenant has none of that id.
 */
export async function lockObjectCredential(
  tx: Transaction,
  tenantId: string,
  credentialId: string,
  strength: 'no key update' | 'share',
) {
  const [row] = await tx
    .select()
    .from(objectCredentials)
    .where(and(eq(objectCredentials.tenantId, tenantId), eq(objectCredentials.credentialId, credentialId)))
    .for(strength);
  return row ?? null;
}
