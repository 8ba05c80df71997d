import { and, eq } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Transaction } from '../../platform/database/database.js';
import { ApiError } from '../../platform/http/api-error.js';
import { tenants } from './tenants.table.js';

type TableOfActive = PgTable & { tenantId: PgColumn; status: PgColumn };

/**
 * Refuses one more ACTIVE row of a table than the tenant may have. Whoever adds one waits for the tenant's row, so
 * that the count holds until the commit. Lock other rows first: everybody in that order, and nobody deadlocks.
 */
export async function refuseBeyondLimit(
  tx: Transaction,
  table: TableOfActive,
  tenantId: string,
  limit: number,
): Promise<void> {
  await tx.select().from(tenants).where(eq(tenants.tenantId, tenantId)).for('no key update');
  const active = await tx.$count(table, and(eq(table.tenantId, tenantId), eq(table.status, 'ACTIVE')));
  if (active >= limit) throw new ApiError('RESOURCE_LIMIT_REACHED', { metadata: { limit } });
}
