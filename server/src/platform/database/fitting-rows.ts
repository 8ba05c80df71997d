import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Transaction } from './database.js';

/** A page of a list ends once it holds this much of what the platform does not look into. */
const PAGE_BYTES = 1_048_576;

/** To measure a row, the database reads all of it: 500 rows of 64 KiB took 30 ms, so a few are measured first. */
const FEW_ROWS = 100;

/** The bytes of json columns of the rows that are counted. */
export const jsonBytes = (...columns: string[]): SQL =>
  sql.raw(columns.map((column) => `coalesce(octet_length(${column}::text), 0)`).join(' + '));

type Query<Row> = SQLWrapper & PromiseLike<Row[]>;

type List<Row> = {
  /** The first rows of the list, as many as asked. */
  first: (count: number) => Query<Row>;
  /** The most rows that the caller asked for. */
  limit: number;
  /** How large a row is, and the order of the list, both by the names of columns. */
  bytes: SQL;
  orderBy: SQL;
};

/** The rows of a list that fit on one page, and one more where there are more: `limit` is how many fit. */
export async function fittingRows<Row>(tx: Transaction, list: List<Row>): Promise<{ rows: Row[]; limit: number }> {
  const few = Math.min(list.limit, FEW_ROWS);
  let limit = await countFitting(tx, { ...list, query: list.first(few) });
  if (limit === few && few < list.limit) limit = await countFitting(tx, { ...list, query: list.first(list.limit) });
  return { rows: limit === 0 ? [] : await list.first(limit + 1), limit };
}

/**
 * How many of the rows of a query fit on one page: as many as stay below the budget, and the one that exceeds it. The
 * database counts, so that it sends no more than a page.
 */
async function countFitting(
  tx: Transaction,
  { query, bytes, orderBy }: { query: SQLWrapper } & Pick<List<unknown>, 'bytes' | 'orderBy'>,
): Promise<number> {
  const [counted] = await tx.execute<{ fitting: number }>(sql`
    select count(*)::int as fitting
    from (
      select sum(${bytes}) over (order by ${orderBy} rows between unbounded preceding and 1 preceding) as bytes_before
      from (${query}) page
    ) counted
    where coalesce(bytes_before, 0) < ${PAGE_BYTES}`);
  return counted?.fitting ?? 0;
}
