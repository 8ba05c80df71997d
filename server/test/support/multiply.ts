import type postgres from 'postgres';

/** SQL: an id like the platform's, older for a larger `n`. All are of 2026-01-01. */
export const ID_OF_N = `(
  lpad(to_hex(1767225600000 + 10000000 - n), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15)
)::uuid`;

/**
 * Adds rows to a table that copy an existing row, except for these columns. Their SQL uses `n`, which counts from 1.
 */
export async function multiply(
  sql: postgres.Sql,
  table: string,
  count: number,
  columns: Record<string, string>,
  like = 'true',
): Promise<void> {
  const all = await sql<{ name: string }[]>`
    select quote_ident(attname) as name from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped and attidentity = ''
    order by attnum`;
  const names = all.map(({ name }) => name);
  const unknown = Object.keys(columns).filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`${table} has no column ${unknown}.`);
  const { count: added } = await sql.unsafe(
    `insert into ${table} (${names.join()}) select ${names.map((name) => columns[name] ?? `sample.${name}`).join()}
    from (select * from ${table} where ${like} limit 1) as sample, generate_series(1, ${count}) as n`,
  );
  if (added !== count) throw new Error(`${table} has no such row to multiply.`);
}
