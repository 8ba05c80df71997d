import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Transaction } from './database.js';

/** A page of a list ends once its opaque JSON columns reach this size. */
const PAGE_BYTES = 1_048_576;

/** The database reads a whole row to measure it: 500 rows of 64 KiB took 30 ms. So a few rows are measured first. */
const FEW_ROWS = 100;

/** The size in bytes of the json columns of the counted rows. */
export const jsonBytes = (...columns: string[]): SQL =>
  sql.raw(columns.map((column) => `coalesce(octet_length(${column}::text), 0)`).join(' + '));

type Query<Row> = SQLWrapper & PromiseLike<Row[]>;

type List<Row> = {
  /** The first rows of the list, up to this limit. */
  first: (count: number) => Query<Row>;
  /** The limit that the caller asked for. */
  limit: number;
  /** The size of a row and the order of the list, both by column names. */
  bytes: SQL;
  orderBy: SQL;
};

/** Selects the rows of a list that fit on one page, and one more row if the list goes on. `limit` is how many fit. */
export async function fittingRows<Row>(tx: Transaction, list: List<Row>): Promise<{ rows: Row[]; limit: number }> {
  const few = Math.min(list.limit, FEW_ROWS);
  let limit = await countFitting(tx, { ...list, query: list.first(few) });
  if (limit === few && few < list.limit) limit = await countFitting(tx, { ...list, query: list.first(list.limit) });
  return { rows: limit === 0 ? [] : await list.first(limit + 1), limit };
}

/** Counts in the database the rows that fit on one page, and the first one that exceeds it. */
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
