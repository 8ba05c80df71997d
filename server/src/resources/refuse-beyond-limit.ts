import { errors } from '@tenant-open-platform/contract';
import { eq, getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Transaction } from '../foundation/database/database.js';
import { tenants } from '../foundation/identity/identity.table.js';
import type { CallOf } from '../gateway/operation/call.js';

/**
 * Refuses to create a row if the tenant has reached the limit, or the platform for a table that belongs to no tenant:
 * only tenant `platform` creates such rows. Rows of every status count.
 * Locks the tenant's row, so that creations in one tenant wait for each other and the count stays valid until the
 * commit.
 * Call this before any other row is locked: changes of platform administrators also lock the tenant's row first, and
 * transactions that lock in the same order never deadlock.
 */
export async function refuseBeyondLimit(
  tx: Transaction,
  call: CallOf<'RESOURCE_LIMIT_REACHED'>,
  table: PgTable & { tenantId?: PgColumn },
  limit: number,
  counted: SQL | undefined = table.tenantId && eq(table.tenantId, call.tenantId),
): Promise<void> {
  await tx.select().from(tenants).where(eq(tenants.tenantId, call.tenantId)).for('no key update');
  // A separate statement, so its snapshot includes the commits that the lock waited for. It reads at most `limit` rows.
  const full = await tx
    .select({ one: sql`1` })
    .from(table as PgTable)
    .where(counted)
    .limit(1)
    .offset(limit - 1);
  if (full.length === 0) return;
  const resource = getTableName(table);
  throw call.refuse('RESOURCE_LIMIT_REACHED', {
    message: `The limit of ${limit} ${resource.replaceAll('_', ' ')} is reached. Each one counts, whatever its status. ${errors.RESOURCE_LIMIT_REACHED.fix}`,
    metadata: { resource, limit },
  });
}
