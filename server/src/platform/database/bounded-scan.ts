import { and, asc, desc, getTableName, type SQL, type Subquery, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Transaction } from './database.js';

/** A page reads at most this many rows, even if its filters match none of them. */
const ROWS_READ = 5_000;

type Scan = {
  columns: readonly PgColumn[];
  direction: 'asc' | 'desc';
  /** The rows after the cursor, by conditions that have an index. */
  range: SQL | undefined;
  /** The conditions that have no index. */
  filters: SQL | undefined;
};

export type Bounded = {
  /** The columns to select, by their names in the table. */
  from: PgTable | Subquery;
  where: SQL | undefined;
  /**
   * The position of the last row read, if more follow: the values of the columns, instants in milliseconds. A page that
   * is not full gets this position as its cursor.
   */
  lastRead: string | null;
};

/**
 * Bounds how many rows a page of a filtered list reads. The filters apply after the rows were read in the order of the
 * list. Otherwise Postgres could choose another index for the filters and sort all rows that it finds there.
 */
export async function boundedScan(tx: Transaction, { columns, direction, range, filters }: Scan): Promise<Bounded> {
  const table = columns[0]?.table as PgTable;
  if (filters === undefined) return { from: table, where: range, lastRead: null };
  const order = columns.map((column) => (direction === 'asc' ? asc(column) : desc(column)));
  const [last] = await tx
    .select(Object.fromEntries(columns.map((column) => [column.name, column])))
    .from(table)
    .where(range)
    .orderBy(...order)
    .limit(1)
    .offset(ROWS_READ - 1);
  const values = last && columns.map(({ name }) => last[name]);
  const isRead = values && isUpTo(columns, direction, values);
  const rows = tx
    .select()
    .from(table)
    .where(and(range, isRead))
    .orderBy(...order)
    .limit(ROWS_READ);
  return {
    from: rows.as(getTableName(table)),
    where: filters,
    lastRead: values?.map((value) => (value instanceof Date ? value.getTime() : value)).join(' ') ?? null,
  };
}

function isUpTo(columns: readonly PgColumn[], direction: Scan['direction'], values: unknown[]): SQL {
  const row = sql.join([...columns], sql`, `);
  const last = sql.join(
    columns.map((column, index) => sql.param(values[index], column)),
    sql`, `,
  );
  return direction === 'asc' ? sql`(${row}) <= (${last})` : sql`(${row}) >= (${last})`;
}

/** Joins the conditions with AND. A filter that the request leaves out is undefined and adds no condition. */
export const all = (conditions: (SQL | string | false | null | undefined)[]): SQL | undefined =>
  and(...conditions.filter((condition) => typeof condition === 'object' && condition !== null));
