import { desc, eq, getTableColumns, lt, type SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { all, boundedScan } from '../database/bounded-scan.js';
import type { Database } from '../database/database.js';
import { asTenant } from '../database/roles.js';
import type { CallOf } from './call.js';
import { ID, pageOf, readCursor } from './cursor.js';

type TenantTable = PgTable & { tenantId: PgColumn };
type RowOf<Table extends TenantTable> = Table['$inferSelect'] & Record<string, unknown>;

type NewestFirst<Table extends TenantTable> = {
  table: Table;
  /** The name of the id: a UUID version 7, so its order is the order of creation. */
  id: keyof Table['$inferSelect'] & string;
  /** Further conditions that have an index. */
  range?: SQL | undefined;
  /** The conditions that have no index. */
  filters?: SQL | undefined;
};

/** A page of the tenant's rows, newest first. */
export async function newestFirst<Table extends TenantTable>(
  database: Database,
  call: CallOf<'INVALID_CURSOR'>,
  { limit, cursor, ...bound }: { limit: number; cursor?: string | undefined },
  { table, id, range, filters }: NewestFirst<Table>,
) {
  const list = { call, filters: bound };
  const before = readCursor(list, cursor, ID);
  const columns = getTableColumns(table as PgTable);
  const column = columns[id] as PgColumn;
  const found = await asTenant(database, call.tenantId, async (tx) => {
    const { from, where, lastRead } = await boundedScan(tx, {
      columns: [column],
      direction: 'desc',
      range: all([eq(table.tenantId, call.tenantId), range, before !== null && lt(column, before)]),
      filters,
    });
    const rows = await tx
      .select(columns)
      .from(from)
      .where(where)
      .orderBy(desc(column))
      .limit(limit + 1);
    return { rows: rows as RowOf<Table>[], lastRead };
  });
  return pageOf(list, found.rows, limit, (row) => String(row[id]), found.lastRead);
}
