import { errors, PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { eq, getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Transaction } from '../../platform/database/database.js';
import { tenants } from '../../platform/identity/tenants.table.js';
import type { CallOf } from '../../platform/operation/call.js';

type Limited = CallOf<'RESOURCE_LIMIT_REACHED'>;

type TenantTable = PgTable & { tenantId: PgColumn };

/**
 * Refuses to create a row if the tenant has reached the limit. Rows of every status count.
 * Locks the tenant's row, so that creations in one tenant wait for each other and the count stays valid until the
 * commit.
 * Call this before any other row is locked: changes of platform administrators also lock the tenant's row first, and
 * transactions that lock in the same order never deadlock.
 */
export async function refuseBeyondLimit(
  tx: Transaction,
  call: Limited,
  table: TenantTable,
  limit: number,
  counted: SQL | undefined = eq(table.tenantId, call.tenantId),
): Promise<void> {
  await lockTenant(tx, call.tenantId);
  await refuseWhereFull(tx, call, table, limit, counted);
}

/** The same for resources of the platform. */
export async function refuseBeyondPlatformLimit(
  tx: Transaction,
  call: Limited,
  table: PgTable,
  limit: number,
  counted?: SQL,
): Promise<void> {
  await lockTenant(tx, PLATFORM_TENANT_ID);
  await refuseWhereFull(tx, call, table, limit, counted);
}

const lockTenant = (tx: Transaction, tenantId: string) =>
  tx.select().from(tenants).where(eq(tenants.tenantId, tenantId)).for('no key update');

/**
 * Reads at most `limit` rows. It is a separate statement, so its snapshot includes the commits that the lock waited
 * for.
 */
async function refuseWhereFull(
  tx: Transaction,
  call: Limited,
  table: PgTable,
  limit: number,
  counted?: SQL,
): Promise<void> {
  const full = await tx
    .select({ one: sql`1` })
    .from(table)
    .where(counted)
    .limit(1)
    .offset(limit - 1);
  if (full.length === 0) return;
  const resource = getTableName(table);
  throw call.refuse('RESOURCE_LIMIT_REACHED', {
    message: `The limit of ${limit} ${resource.replaceAll('_', ' ')} is reached; every status counts. ${errors.RESOURCE_LIMIT_REACHED.fix}`,
    metadata: { resource, limit },
  });
}
