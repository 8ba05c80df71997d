import { eq } from 'drizzle-orm';
import type { Transaction } from '../../platform/database/database.js';
import { ApiError } from '../../platform/http/api-error.js';
import { tenants } from './tenants.table.js';

/**
 * Refuses one more ACTIVE resource of a kind than the tenant may have. Whoever adds one waits for the tenant's row, so
 * that the count holds until the commit. Lock other rows first: everybody in that order, and nobody deadlocks.
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
