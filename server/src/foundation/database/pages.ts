import { MAX_INSTANT } from '@tenant-open-platform/contract';
import { MAX_ROWS_READ } from '@tenant-open-platform/contract/facts';
import { and, asc, desc, getTableName, gte, lt, type SQL, type SQLWrapper, type Subquery, sql } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { firstIdAt, millisecondAt } from '../ids.js';
import type { Transaction } from './database.js';

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
  /** The position of the last row read, if more follow: it becomes the cursor of a page that is not full. */
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
    .offset(MAX_ROWS_READ - 1);
  const values = last && columns.map(({ name }) => last[name]);
  const isRead = values && isUpTo(columns, direction, values);
  const rows = tx
    .select()
    .from(table)
    .where(and(range, isRead))
    .orderBy(...order)
    .limit(MAX_ROWS_READ);
  return {
    from: rows.as(getTableName(table)),
    where: filters,
    lastRead: values ? positionOf(values) : null,
  };
}

/** The position of a row in a list, by the values of the columns that order it. */
export const positionOf = (values: unknown[]): string =>
  values.map((value) => (value instanceof Date ? value.getTime() : value)).join(' ');

function isUpTo(columns: readonly PgColumn[], direction: Scan['direction'], values: unknown[]): SQL {
  const last = listed(columns.map((column, index) => sql.param(values[index], column)));
  return direction === 'asc' ? sql`(${listed(columns)}) <= (${last})` : sql`(${listed(columns)}) >= (${last})`;
}

/** Separated by commas. */
export const listed = (parts: readonly SQLWrapper[]): SQL => sql.join([...parts], sql`, `);

/** Joins the conditions with AND. A filter that the request leaves out is undefined and adds no condition. */
export const all = (conditions: (SQL | string | false | null | undefined)[]): SQL | undefined =>
  and(...conditions.filter((condition) => typeof condition === 'object' && condition !== null));

/** Rows by their time, with which their ids begin. An end that is undefined is open. */
export const idsBetween = (id: PgColumn, after: string | undefined, before: string | undefined): SQL | undefined =>
  all([after && gte(id, firstIdAt(after)), before && lt(id, firstIdAt(before))]);

/** Rows by a column of instants. An end that is undefined is open. */
export const instantsBetween = (column: PgColumn, after: string | undefined, before?: string) =>
  all([after && gte(column, storable(after)), before && lt(column, storable(before))]);

const storable = (time: string) => new Date(Math.min(MAX_INSTANT, millisecondAt(time)));

/** A page of a list ends once its opaque JSON columns reach this size. */
const PAGE_BYTES = 1_048_576;

/** The database reads a whole row to measure it: 500 rows of 64 KiB took 30 ms. So a few rows are measured first. */
const FEW_ROWS = 100;

/** The size in bytes of the json columns of the counted rows. */
export const jsonBytes = (...columns: string[]): SQL =>
  sql.raw(columns.map((column) => `coalesce(octet_length(${column}::text), 0)`).join(' + '));

type List<Row> = {
  /** The size of a row and the order of the list, both by column names. */
  bytes: SQL;
  orderBy: SQL;
  first: (count: number) => SQLWrapper & PromiseLike<Row[]>;
  /** The limit that the caller asked for. */
  limit: number;
};

/** Selects the rows of a list that fit on one page, and one more row if the list goes on. `limit` is how many fit. */
export async function fittingRows<Row>(tx: Transaction, list: List<Row>): Promise<{ rows: Row[]; limit: number }> {
  const few = Math.min(list.limit, FEW_ROWS);
  let limit = await countFitting(tx, list.first(few), list);
  if (limit === few && few < list.limit) limit = await countFitting(tx, list.first(list.limit), list);
  return { rows: limit === 0 ? [] : await list.first(limit + 1), limit };
}

/** Counts in the database the rows that fit on one page, and the first one that exceeds it. */
async function countFitting(tx: Transaction, rows: SQLWrapper, { bytes, orderBy }: List<unknown>): Promise<number> {
  const [counted] = await tx.execute<{ fitting: number }>(sql`
    select count(*)::int as fitting
    from (
      select sum(${bytes}) over (order by ${orderBy} rows between unbounded preceding and 1 preceding) as bytes_before
      from (${rows}) page
    ) counted
    where coalesce(bytes_before, 0) < ${PAGE_BYTES}`);
  return counted?.fitting ?? 0;
}
