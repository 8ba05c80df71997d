import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { listed } from '../../foundation/database/pages.js';
import { keyColumns, type TenantTable } from '../../resources/rows.js';
import { isInTenantAfter, valuesOf } from '../../resources/tenants/tenant-tables.js';
import type { Place } from './place.js';

const ROWS = 1_000;
/** A page of rows becomes one parameter. A single row may be larger. */
const BYTES = 8 * 1_024 * 1_024;

/** Rows as the JSON of Postgres, which keeps what JavaScript cannot hold: large numbers and the texts of json. */
export type Page = { rows: string; count: number; last: string[] };

const named = ({ name }: PgColumn) => sql.identifier(name);

/** The next rows of the tenant in the order of the key; null after the last one. */
export async function readPage(place: Place, table: TenantTable, after: string[] | null): Promise<Page | null> {
  const key = keyColumns(table);
  const texts = listed(key.map((column) => sql`${named(column)}::text`));
  const [page] = await place.read<{ rows: string | null; count: number; last: string[] }>(sql`
    select '[' || string_agg(line, ',' order by place) || ']' as rows, count(*)::int as count,
      (array_agg(key order by place desc))[1] as last
    from (
      select place, line, key, sum(octet_length(line)) over (order by place) as bytes
      from (
        select row_number() over (order by ${listed(key.map(named))}) as place, row_to_json(page)::text as line,
          json_build_array(${texts}) as key
        from (
          select * from ${table} where ${isInTenantAfter(table, place.tenantId, after)}
          order by ${listed(key)} limit ${ROWS}
        ) as page
      ) as lines
    ) as measured
    where place = 1 or bytes <= ${BYTES}`);
  return page?.rows ? { rows: page.rows, count: page.count, last: page.last } : null;
}

/** The key of the tenant's last row. */
export async function readLastKey(place: Place, table: TenantTable): Promise<string[] | null> {
  const key = keyColumns(table);
  const [last] = await place.read<{ key: string[] }>(sql`
    select json_build_array(${listed(key.map((column) => sql`${column}::text`))}) as key from ${table}
    where ${table.tenantId} = ${place.tenantId}
    order by ${listed(key.map((column) => sql`${column} desc`))} limit 1`);
  return last?.key ?? null;
}

/** Each may have a payload and a result of 64 KiB. */
const SUMMED_ROWS = 2_000;

/** How many rows a range has, and the sum of their hashes; `last` is null if the range reaches the end. */
export type Sum = { count: number; sum: string; last: string[] | null };

/**
 * Sums up the next rows, or those up to the key `until`. `omitted` are columns that may differ, `changed` says how others
 * are compared.
 */
export async function sumUp(
  place: Place,
  table: TenantTable,
  range: { after: string[] | null; until?: string[] | null },
  { omitted, changed = {} }: Compared,
): Promise<Sum> {
  const key = keyColumns(table);
  const texts = listed(key.map((column) => sql`${named(column)}::text`));
  const columns = Object.values<PgColumn>(getTableColumns(table)).filter(({ name }) => !omitted.includes(name));
  const compared = columns.map((column) => sql`${changed[column.name] ?? named(column)}`);
  const upTo = range.until ? sql`and (${listed(key)}) <= (${valuesOf(table, range.until)})` : sql``;
  const limit = range.until === undefined ? sql`limit ${SUMMED_ROWS}` : sql``;
  const [found] = await place.read<Sum>(sql`
    select count(*)::int as count, coalesce(sum(hash), 0)::text as sum,
      (array_agg(key order by place desc) filter (where place = ${SUMMED_ROWS}))[1] as last
    from (
      select row_number() over (order by ${listed(key.map(named))}) as place, json_build_array(${texts}) as key,
        ('x' || left(md5(row(${listed(compared)})::text), 15))::bit(60)::bigint as hash
      from (
        select * from ${table} where ${isInTenantAfter(table, place.tenantId, range.after)} ${upTo}
        order by ${listed(key)} ${limit}
      ) as page
    ) as lines`);
  if (!found) throw new Error(`Nothing was read of ${getTableName(table)}.`);
  return found;
}

export type Compared = { omitted: readonly string[]; changed?: Record<string, SQL> };
