import { type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { listed } from '../../foundation/database/pages.js';
import { events } from '../../pipeline/tables.js';
import { keyColumns, type TenantTable } from '../../resources/rows.js';
import { isInTenantAfter } from '../../resources/tenants/tenant-tables.js';
import type { Place } from './place.js';

const ROWS = 1_000;
/** A page of rows becomes one parameter. A single row may be larger. */
const BYTES = 8 * 1_024 * 1_024;

/** Rows as the JSON of Postgres, which keeps what JavaScript cannot hold: large numbers and the texts of json. */
export type Page = { rows: string; count: number; last: string[] };

export const named = ({ name }: PgColumn) => sql.identifier(name);

/** The value that a column of the source has in the target: events have `shift` less there, see eventLogOrigins. */
export const inTarget = (column: PgColumn, shift: bigint) =>
  column === events.seq ? sql`seq - ${String(shift)}::bigint` : named(column);

/** SQL: of the next rows of the tenant, in the order of the key, the place, the key, and this value of the row `page`. */
export function nextRows({ tenantId }: Place, table: TenantTable, after: string[] | null, value: SQL, limit: number) {
  const key = keyColumns(table);
  const texts = listed(key.map((column) => sql`${named(column)}::text`));
  return sql`
    select row_number() over (order by ${listed(key.map(named))}) as place, json_build_array(${texts}) as key, ${value}
    from (
      select * from ${table} where ${isInTenantAfter(table, tenantId, after)} order by ${listed(key)} limit ${limit}
    ) as page`;
}

/** The next rows of the tenant; null after the last one. */
export async function readPage(place: Place, table: TenantTable, after: string[] | null): Promise<Page | null> {
  const [page] = await place.read<Page>(sql`
    select '[' || string_agg(line, ',' order by place) || ']' as rows, count(*)::int as count,
      (array_agg(key order by place desc))[1] as last
    from (
      select *, sum(octet_length(line)) over (order by place) as bytes
      from (${nextRows(place, table, after, sql`row_to_json(page)::text as line`, ROWS)}) as lines
    ) as measured
    where place = 1 or bytes <= ${BYTES}`);
  return page?.rows ? page : null;
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
