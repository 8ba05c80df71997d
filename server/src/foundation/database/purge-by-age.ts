import { getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { idTimeOf } from '../ids.js';
import type { Transaction } from './database.js';

/** Deletes some expired rows in a transaction over all tenants. It is called again soon if there may be more. */
export type Purge = {
  table: string;
  round: (tx: Transaction) => Promise<{ removed: number; hasMore: boolean }>;
};

/**
 * This node's clock, for `least(now(), …)` in a purge. A row has expired once the database's clock and the node's both
 * say so: a clock that is ahead for a moment must not delete commands, nor nonces whose requests could then be replayed.
 */
export const nodeClock = () => new Date().toISOString();

/** A transaction deletes at most this many rows, so it holds their locks for some milliseconds. */
const BATCH = 1_000;
/** A transaction passes at most this many tenants: with one for each, 100,000 tenants took hours. */
const RANGES = 50;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

type Aged = {
  /** The primary key together with the tenant. A UUID version 7, so the index is in the order of age. */
  id: PgColumn;
  keptDays: number;
  /** Deletes the expired rows of a range and returns their number. Absent: all of them. */
  deleteRange?: (tx: Transaction, range: SQL) => Promise<number>;
};

/**
 * Deletes old rows, tenant after tenant, but none of a tenant that moves. It remembers its position, so that no statement
 * scans a row again.
 */
export function purgeByAge({ id, keptDays, deleteRange }: Aged): Purge {
  let tenantId = '';
  let after: string | null = null;

  const deleteAll = async (tx: Transaction, range: SQL) =>
    (await tx.execute(sql`delete from ${id.table} where ${range}`)).count;

  async function nextTenant(tx: Transaction): Promise<string> {
    const [next] = await tx.execute<{ tenant_id: string }>(sql`
      select tenant_id from tenants
      where tenant_id > ${tenantId} and status <> 'MOVING' and exists (
        select from ${id.table} where ${id.table}.tenant_id = tenants.tenant_id and ${id} < ${endId(keptDays)} offset 0
      )
      order by tenants.tenant_id limit 1`);
    return next?.tenant_id ?? '';
  }

  return {
    table: getTableName(id.table),
    async round(tx) {
      let removed = 0;
      for (let ranges = 0; ranges < RANGES && removed < BATCH; ranges++) {
        if (after === null) {
          tenantId = await nextTenant(tx);
          if (tenantId === '') return { removed, hasMore: false };
        }
        const isInTenant = sql`${id.table}.tenant_id = ${tenantId} and ${id} > ${after ?? FIRST_ID}::uuid
          and (select status from tenants where tenant_id = ${tenantId}) <> 'MOVING'`;
        const range = sql`${isInTenant} and ${id} < ${endId(keptDays)}`;
        const [last] = await tx.execute<{ id: string }>(
          sql`select ${id} as id from ${id.table} where ${range} order by ${id} limit 1 offset ${BATCH - removed - 1}`,
        );
        const batch = last ? sql`${range} and ${id} <= ${last.id}::uuid` : range;
        removed += await (deleteRange ?? deleteAll)(tx, batch);
        after = last?.id ?? null;
      }
      return { removed, hasMore: true };
    },
  };
}

/** The first id that is young enough to stay. */
const endId = (keptDays: number) => sql`(
  select (${sql.raw(idTimeOf('kept_since'))} || repeat('0', 20))::uuid
  from (select least(now(), ${nodeClock()}::timestamptz) - make_interval(days => ${keptDays}) as kept_since) as age
)`;
