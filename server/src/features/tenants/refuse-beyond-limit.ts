import { errors, PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { eq, getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Transaction } from '../../platform/database/database.js';
import type { CallOf } from '../../platform/operation/call.js';
import { tenants } from './tenants.table.js';

type Limited = CallOf<'RESOURCE_LIMIT_REACHED'>;

type TenantTable = PgTable & { tenantId: PgColumn };

/**
 * Refuses to create a row where the tenant has as many as it may have. Rows of every status count.
 *
 * The tenant's row is locked, so that creations in one tenant wait for each other and the count holds until the commit.
 * Call this before any other row is locked: changes of platform administrators lock the tenant's row first too, and
 * transactions that lock in one order never deadlock.
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

/** The same for what belongs to the platform and not to a tenant. */
export async function refuseBeyondPlatformLimit(
  tx: Transaction,
  call: Limited,
  table: PgTable,
  limit: number,
): Promise<void> {
  await lockTenant(tx, PLATFORM_TENANT_ID);
  await refuseWhereFull(tx, call, table, limit);
}

const lockTenant = (tx: Transaction, tenantId: string) =>
  tx.select().from(tenants).where(eq(tenants.tenantId, tenantId)).for('no key update');

/** Reads at most `limit` rows, however many there are. A statement of its own: it sees what the lock waited for. */
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
    message: `There may be ${limit} ${resource.replaceAll('_', ' ')}, and there are: those of every status count. ${errors.RESOURCE_LIMIT_REACHED.fix}`,
    metadata: { resource, limit },
  });
}
