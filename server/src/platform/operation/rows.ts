import { and, eq, type SQL, sql } from 'drizzle-orm';
import { getTableConfig, type PgColumn, type PgTable, type PgUpdateSetSource } from 'drizzle-orm/pg-core';
import type { Transaction } from '../database/database.js';
import type { Call, CallOf } from './call.js';

type Row<Table extends PgTable> = Table['$inferSelect'];

/** The refusal of a row that does not exist. */
type Refusing = Pick<CallOf<'NOT_FOUND'>, 'refuse'>;

/** `update` to delete the row, `no key update` to change it, the others to keep it while another row comes to refer to it. */
type Lock = 'update' | 'no key update' | 'share' | 'key share';

/** The columns of the primary key after the tenant. */
export function keyOf(table: PgTable): PgColumn[] {
  const { primaryKeys, columns } = getTableConfig(table);
  const names = primaryKeys[0]?.columns.slice(1).map(({ name }) => name) ?? [];
  return names.flatMap((name) => columns.find((column) => column.name === name) ?? []);
}

/** The row of the call's tenant with this key, by the names of its columns. Path parameters have the same names. */
export function ownRow(
  table: PgTable & { tenantId: PgColumn },
  { tenantId }: Pick<Call, 'tenantId'>,
  key: Readonly<Record<string, string>>,
): SQL | undefined {
  const isKey = keyOf(table).map((column) => {
    const value = key[column.name];
    if (value === undefined) throw new Error(`The key lacks ${column.name}.`);
    return eq(column, value);
  });
  return and(eq(table.tenantId, tenantId), ...isKey);
}

/** Reads a row, or refuses. A lock lasts until the transaction ends. */
export async function readRow<Table extends PgTable>(
  tx: Transaction,
  { refuse }: Refusing,
  table: Table,
  where: SQL | undefined,
  lock?: Lock,
): Promise<Row<Table>> {
  const query = tx
    .select()
    .from(table as PgTable)
    .where(where);
  const [row] = await (lock ? query.for(lock) : query);
  if (!row) throw refuse('NOT_FOUND');
  return row;
}

export async function insertRow<Table extends PgTable>(
  tx: Transaction,
  table: Table,
  values: Table['$inferInsert'],
): Promise<Row<Table>> {
  const [row] = await tx.insert(table).values(values).returning();
  return row as Row<Table>;
}

/** Changes a row that the transaction has locked, and its updated_at. A value that is undefined stays. */
export async function updateRow<Table extends PgTable & { updatedAt: PgColumn }>(
  tx: Transaction,
  table: Table,
  where: SQL | undefined,
  values: PgUpdateSetSource<Table>,
): Promise<Row<Table>> {
  const [row] = await tx
    .update(table as PgTable)
    .set({ ...values, updatedAt: sql`now()` })
    .where(where)
    .returning();
  if (!row) throw new Error('The row that was locked is gone.');
  return row;
}

export async function deleteRow<Table extends PgTable>(
  tx: Transaction,
  { refuse }: Refusing,
  table: Table,
  where: SQL | undefined,
): Promise<Row<Table>> {
  const [row] = await tx.delete(table).where(where).returning();
  if (!row) throw refuse('NOT_FOUND');
  return row as Row<Table>;
}
