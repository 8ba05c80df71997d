import { and, asc, desc, getTableName, gte, lte, type SQL, type Subquery } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type { Transaction } from './database.js';

/** A page reads at most so many rows, also where its filters let none of them through. */
const ROWS_READ = 5_000;

type Scan = {
  /** The list is in the order of this column. */
  column: PgColumn;
  direction: 'asc' | 'desc';
  /** The rows behind the cursor, by conditions for which there is an index. */
  range: SQL | undefined;
  /** The conditions for which there is none. */
  filters: SQL | undefined;
};

export type Bounded = {
  /** What to select from, by the names of the table. */
  from: PgTable | Subquery;
  where: SQL | undefined;
  /** The position of the last row that is read, if more follow. A page that is not full ends there, and so its cursor. */
  lastRead: string | null;
};

/**
 * Bounds what a page of a filtered list reads. The filters apply to rows that were read in the order of the list, so
 * Postgres can choose no other index for their sake and sort all that it finds there.
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

/** All of these conditions. What a request leaves out is no condition. */
export const all = (conditions: (SQL | string | false | null | undefined)[]): SQL | undefined =>
  and(...conditions.filter((condition) => typeof condition === 'object' && condition !== null));
