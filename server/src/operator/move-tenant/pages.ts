import { getTableColumns, getTableName, type SQL, sql } from 'drizzle-orm';
import type { PgColumn } from 'drizzle-orm/pg-core';
import { listed } from '../../foundation/database/pages.js';
import { busPrincipals, credentials } from '../../foundation/tables.js';
import { commands, deviceRequests, events } from '../../pipeline/tables.js';
import { keyColumns, type TenantTable } from '../../resources/rows.js';
import { isInTenantAfter, valuesOf } from '../../resources/tenants/tenant-tables.js';
import type { Place } from './place.js';

const ROWS = 1_000;
/** A page of rows becomes one parameter. A single row may be larger. */
const BYTES = 8 * 1_024 * 1_024;

type Key = string[];

/**
 * Rows of the tenant: those whose key begins with one of these ids, or all after one key up to another one. Null: from the
 * first, to the last. `isEnded`: without open commands. The target would let them expire.
 */
export type Scope = ({ ids: string[] } | { after: Key | null; last: Key | null }) & { isEnded: boolean };

export const EVERYTHING: Scope = { after: null, last: null, isEnded: false };

/** The number of rows, and the sum of their hashes. */
export type Sum = { count: number; sum: string };

export const named = ({ name }: PgColumn) => sql.identifier(name);

/** The value that a column of the source has in the target: events have `shift` less there, see eventLogOrigins. */
export const inTarget = (column: PgColumn, shift: bigint) =>
  column === events.seq ? sql`seq - ${String(shift)}::bigint` : named(column);

/** Each platform numbers credentials by itself. What the provisioning of the target finds is its own. */
export const ownColumns: PgColumn[] = [credentials.number, busPrincipals.problem];

/** What each platform notes by itself. */
const differing: PgColumn[] = [
  ...ownColumns,
  credentials.lastUsedAt,
  credentials.secretLastUsedAt,
  credentials.previousSecretLastUsedAt,
  deviceRequests.status,
];

/** Secrets are compared by what they open to. */
const isCompared = (column: PgColumn) => !differing.includes(column) && !column.name.endsWith('_sealed');

/** SQL: the key of a row as texts. */
const keyOf = (table: TenantTable) =>
  sql`json_build_array(${listed(keyColumns(table).map((column) => sql`${named(column)}::text`))})`;

const byKey = (table: TenantTable) => listed(keyColumns(table).map(named));

export function isIn(table: TenantTable, tenantId: string, scope: Scope): SQL {
  const hasEnded = scope.isEnded && table === commands ? sql` and completed_at is not null` : sql``;
  if ('ids' in scope) {
    const ids = `{${scope.ids}}`;
    return sql`${table.tenantId} = ${tenantId} and ${keyColumns(table)[0]} = any (${ids}::text::uuid[])${hasEnded}`;
  }
  const isAfter = sql`${isInTenantAfter(table, tenantId, scope.after)}${hasEnded}`;
  if (scope.last === null) return isAfter;
  return sql`${isAfter} and (${listed(keyColumns(table))}) <= (${valuesOf(table, scope.last)})`;
}

/** SQL: what is compared of a row. */
function lineOf(table: TenantTable, shift: bigint): SQL {
  const columns = Object.values<PgColumn>(getTableColumns(table)).filter(isCompared);
  return sql`row(${listed(columns.map((column) => inTarget(column, shift)))})::text as line`;
}

const sum = sql`count(*)::int as count, coalesce(sum(('x' || left(md5(line), 15))::bit(60)::bigint), 0)::text as sum`;

async function sumOf(place: Place, table: TenantTable, scope: Scope, shift: bigint): Promise<Sum> {
  const [found] = await place.read<Sum>(sql`
    select ${sum}
    from (select ${lineOf(table, shift)} from ${table} where ${isIn(table, place.tenantId, scope)}) as lines`);
  return found as Sum;
}

/** The rows of the scope page by page, in the order of the key. The last page is empty: it is what lies beyond all rows. */
async function* pagesOf(
  place: Place,
  table: TenantTable,
  scope: Scope,
  shift = 0n,
): AsyncGenerator<Sum & { scope: Scope }> {
  if ('ids' in scope) {
    yield { scope, ...(await sumOf(place, table, scope, shift)) };
    return;
  }
  for (let { after } = scope; ; ) {
    const [page] = await place.read<Sum & { last: Key | null }>(sql`
      select ${sum}, (array_agg(key order by place desc))[1] as last
      from (
        select *, sum(octet_length(line)) over (order by place) as bytes
        from (
          select row_number() over (order by ${byKey(table)}) as place, ${keyOf(table)} as key, ${lineOf(table, shift)}
          from (
            select * from ${table} where ${isIn(table, place.tenantId, { ...scope, after })}
            order by ${byKey(table)} limit ${ROWS}
          ) as page
        ) as lines
      ) as measured
      where place = 1 or bytes <= ${BYTES}`);
    const last = page?.last ?? null;
    yield { scope: { ...scope, after, last: last ?? scope.last }, count: page?.count ?? 0, sum: page?.sum ?? '0' };
    if (last === null) return;
    after = last;
  }
}

/** The rows as the JSON of Postgres, which keeps what JavaScript cannot hold: large numbers and the texts of json. */
export async function readRows(place: Place, table: TenantTable, scope: Scope): Promise<string> {
  const [page] = await place.read<{ rows: string | null }>(sql`
    select '[' || string_agg(row_to_json(page)::text, ',' order by ${byKey(table)}) || ']' as rows
    from (select * from ${table} where ${isIn(table, place.tenantId, scope)}) as page`);
  return page?.rows ?? '[]';
}

/** All rows, page by page, in the order of the key. */
export async function* readAll(place: Place, table: TenantTable): AsyncGenerator<Record<string, unknown>> {
  for await (const { scope } of pagesOf(place, table, EVERYTHING)) {
    yield* JSON.parse(await readRows(place, table, scope)) as Record<string, unknown>[];
  }
}

type Compared = { source: Place; target: Place; shift: bigint };
export type Difference = { scope: Scope; expected: Sum; found: Sum };

/** The pages of the scope in which source and target differ. */
export async function* differences(
  { source, target, shift }: Compared,
  table: TenantTable,
  scope: Scope,
): AsyncGenerator<Difference> {
  for await (const { scope: page, ...expected } of pagesOf(source, table, scope, shift)) {
    const found = await sumOf(target, table, page, 0n);
    if (found.count !== expected.count || found.sum !== expected.sum) yield { scope: page, expected, found };
  }
}

/** A moment in the source. `seq`: the last event of the tenant. `xid`: older transactions have ended. */
export type Mark = { xid: string; seq: string };

export async function readMark(source: Place): Promise<Mark> {
  const [mark] = await source.read<Mark>(sql`
    select pg_snapshot_xmin(pg_current_snapshot())::xid::text as xid, coalesce(
      (select seq from events where tenant_id = ${source.tenantId} order by seq desc limit 1), -9223372036854775808
    )::text as seq`);
  return mark as Mark;
}

/** A command may have a payload and two results of 64 KiB. */
const IDS = 100;

/** The rows that were written since the mark. */
export async function changedSince(
  source: Place,
  table: TenantTable,
  { xid, seq }: Mark,
  isEnded: boolean,
): Promise<Scope[]> {
  const ids = await (table === events ? commandsOfEventsSince(source, seq) : writtenSince(source, table, xid));
  return Array.from({ length: Math.ceil(ids.length / IDS) }, (_, index) => ({
    ids: ids.slice(index * IDS, (index + 1) * IDS),
    isEnded,
  }));
}

/** In a slot, transactions commit in the order of the numbers of events. */
async function commandsOfEventsSince(source: Place, seq: string): Promise<string[]> {
  const rows = await source.read<{ id: string }>(sql`
    select distinct ${events.commandId} as id from ${events}
    where ${events.tenantId} = ${source.tenantId} and ${events.seq} > ${seq}::bigint`);
  return rows.map(({ id }) => id);
}

/** A statement may take 10 s. */
const LOOKED_AT = 100_000;

async function writtenSince(source: Place, table: TenantTable, xid: string): Promise<string[]> {
  const found: string[] = [];
  const isNew = sql`age(${sql.identifier(getTableName(table))}.xmin) <= age(${xid}::text::xid)`;
  for (let after: Key | null = null; ; ) {
    const [page]: { ids: string[]; last: Key | null }[] = await source.read(sql`
      select coalesce(json_agg(distinct key ->> 0) filter (where is_new), '[]') as ids,
        (array_agg(key) filter (where place = ${LOOKED_AT}))[1] as last
      from (
        select ${keyOf(table)} as key, is_new, row_number() over (order by ${byKey(table)}) as place
        from (
          select ${listed(keyColumns(table))}, ${isNew} as is_new
          from ${table} where ${isInTenantAfter(table, source.tenantId, after)}
          order by ${byKey(table)} limit ${LOOKED_AT}
        ) as page
      ) as looked_at`);
    found.push(...(page?.ids ?? []));
    after = page?.last ?? null;
    if (after === null) return found;
  }
}
