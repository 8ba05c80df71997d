import { and, asc, desc, getTableName, gte, lte, type SQL, type Subquery } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Transaction } from './database.js';

/** A page reads at most this many rows, even if its filters match none of them. */
export const ROWS_READ = 5_000;

type Scan = {
  /** The column that orders the list. */
  column: PgColumn;
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
  /** The position of the last row read, if more follow. A page that is not full gets this position as its cursor. */
  lastRead: string | null;
};

/**
 * Bounds how many rows a page of a filtered list reads. The filters apply after the rows were read in the order of the
 * list. Otherwise Postgres could choose another index for the filters and sort all rows that it finds there.
 */
export async function boundedScan(tx: Transaction, { column, direction, range, filters }: Scan): Promise<Bounded> {
  const table = column.table as PgTable;
  if (filters === undefined) return { from: table, where: range, lastRead: null };
  const order = direction === 'asc' ? asc(column) : desc(column);
  const [last] = await tx
    .select({ position: column })
    .from(table)
    .where(range)
    .orderBy(order)
    .limit(1)
    .offset(ROWS_READ - 1);
  const isRead = last && (direction === 'asc' ? lte(column, last.position) : gte(column, last.position));
  const rows = tx.select().from(table).where(and(range, isRead)).orderBy(order).limit(ROWS_READ);
  return {
    from: rows.as(getTableName(table)),
    where: filters,
    lastRead: last === undefined ? null : String(last.position),
  };
}

/** Joins the conditions with AND. A filter that the request leaves out is undefined and adds no condition. */
export const all = (conditions: (SQL | string | false | null | undefined)[]): SQL | undefined =>
  and(...conditions.filter((condition) => typeof condition === 'object' && condition !== null));
