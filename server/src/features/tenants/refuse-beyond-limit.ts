import { eq } from 'drizzle-orm';
import type { Transaction } from '../../platform/database/database.js';
import { ApiError } from '../../platform/http/api-error.js';
import { tenants } from './tenants.table.js';

/**
 * Refuses one more ACTIVE resource of a kind where the tenant has as many as it may have. Until the transaction ends
 * whoever else adds one waits: counted only then, it is seen. The lock leaves the tenant's key free, so nothing that
 * refers to the tenant waits.
 */
export async function refuseBeyondLimit(
  tx: Transaction,
  tenantId: string,
  countActive: () => Promise<number>,
  limit: number,
): Promise<void> {
  await tx.select().from(tenants).where(eq(tenants.tenantId, tenantId)).for('no key update');
  if ((await countActive()) >= limit) throw new ApiError('RESOURCE_LIMIT_REACHED', { metadata: { limit } });
}
