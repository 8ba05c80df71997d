import { createHash } from 'node:crypto';
import { MAX_INSTANT } from '@tenant-open-platform/contract';
import { asc, desc, eq, getTableColumns, inArray, type SQL, sql } from 'drizzle-orm';
import type { PgColumn, PgTable, SelectedFields } from 'drizzle-orm/pg-core';
import { all, boundedScan, fittingRows, jsonBytes, listed, positionOf } from '../foundation/database/pages.js';
import { ID } from '../foundation/ids.js';
import type { Call, CallOf } from '../gateway/operation/call.js';

/** The scope of a cursor: one list, in one tenant, with these filters. */
type List = { call: CallOf<'INVALID_CURSOR'>; filters: Record<string, unknown> };

/** Creates opaque cursors after items of one list. */
export function cursorWriter(list: List): (position: string) => string {
  const binding = bindingOf(list);
  return (position) => Buffer.from(JSON.stringify([binding, position])).toString('base64url');
}

/** The position in a cursor of this very list. `positions` is the pattern that it must match. */
export function readCursor(list: List, cursor: string | undefined, positions: RegExp): string | null {
  if (cursor === undefined) return null;
  const [binding, position] = decode(cursor);
  if (binding !== bindingOf(list) || typeof position !== 'string' || !positions.test(position)) {
    throw list.call.refuse('INVALID_CURSOR');
  }
  return position;
}

type Page<Row> = { rows: Row[]; nextCursor: string | null };

/**
 * A page out of up to `limit + 1` rows: the extra row shows that the list goes on. `lastRead` is the position at which
 * a bounded scan ended, if it did not reach the end of the list.
 */
export function pageOf<Row>(
  list: List,
  rows: Row[],
  limit: number,
  positionOf: (row: Row) => string,
  lastRead: string | null = null,
): Page<Row> {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  const position = last !== undefined && rows.length > limit ? positionOf(last) : lastRead;
  return { rows: items, nextCursor: position === null ? null : cursorWriter(list)(position) };
}

export function answerPage<Row, Item>(
  { rows, nextCursor }: Page<Row>,
  call: Call,
  present: (row: Row, call: Call) => Item,
) {
  const items = rows.map((row) => present(row, call));
  return { status: 200 as const, body: { items, next_cursor: nextCursor, request_id: call.requestId } };
}

function decode(cursor: string): unknown[] {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    return Array.isArray(decoded) ? decoded : [];
  } catch {
    return [];
  }
}

const bindingOf = ({ call, filters }: List) =>
  createHash('sha256')
    .update(JSON.stringify([call.operation, call.tenantId, Object.entries(filters).sort()]))
    .digest('base64url')
    .slice(0, 16);

/** A cursor is valid only with the filters that it was made for: all other fields. */
export type Query = { limit: number; cursor?: string | undefined; [filter: string]: unknown };

type Description<Table extends PgTable> = {
  table: Table;
  /** The id, a UUID version 7, whose order is the order of creation; or created_at and the names in the key. */
  order: readonly (keyof Table['$inferSelect'] & string)[];
  /** Further conditions that have an index. */
  range?: SQL | undefined;
  /** The conditions that have no index. */
  filters?: SQL | undefined;
  /** Further columns without an index: a filter of the same name gives their value, or a list of values. */
  filteredBy?: readonly (keyof Table['$inferSelect'] & string)[];
  /** A list of the platform: its rows belong to no tenant. Every other list has the rows of one tenant. */
  ofPlatform?: boolean;
  /** What is read instead of the columns of the table. */
  columns?: SelectedFields;
  /** Opaque JSON columns: the page ends once they reach its maximum size. */
  json?: readonly string[];
};

export type Listed<Table extends PgTable, Item> = Description<Table> & {
  present: (row: Table['$inferSelect'], call: Call) => Item;
};

/** The answer of a list: a page, newest first, or oldest first if the query has `order=asc`. */
export async function newestFirst<Table extends PgTable, Item>(
  call: CallOf<'INVALID_CURSOR'>,
  query: Query,
  { present, ...described }: Listed<Table, Item>,
) {
  const list = openList(call, query, described);
  return answerPage(list.pageOf(await list.look()), call, present);
}

/** A list at the position of the query's cursor. A list that waits calls `look` several times. */
export function openList<Table extends PgTable>(
  call: CallOf<'INVALID_CURSOR'>,
  { limit, cursor, ...bound }: Query,
  { table, order, filteredBy = [], json, ...described }: Description<Table>,
) {
  type Row = Table['$inferSelect'] & Record<string, unknown>;
  type Found = { rows: Row[]; limit: number; lastRead: string | null };
  const list = { call, filters: bound };
  const columns = getTableColumns(table as PgTable);
  const ordering = order.map((name) => columns[name] as PgColumn);
  const position = readCursor(list, cursor, new RegExp(`^${ordering.map(patternOf).join(' ')}$`));
  const after = position?.split(' ');
  const direction = bound.order === 'asc' ? 'asc' : 'desc';
  const inOrder = ordering.map((column) => (direction === 'asc' ? asc : desc)(column));
  const names = listed(ordering.map(({ name }) => sql`${sql.identifier(name)} ${sql.raw(direction)}`));
  const placeOf = (row: Row) => positionOf(order.map((name) => row[name]));
  const isOwn = !described.ofPlatform && eq(columns.tenantId as PgColumn, call.tenantId);
  const range = all([isOwn, described.range, after && isAfter(after)]);
  const filters = all([described.filters, ...filteredBy.map((name) => hasValue(columns[name] as PgColumn, bound))]);

  return {
    position,
    cursorAt: cursorWriter(list),
    pageOf: ({ rows, limit, lastRead }: Found) => pageOf(list, rows, limit, placeOf, lastRead),
    look: (): Promise<Found> =>
      call.asTenant(async (tx) => {
        const { from, where, lastRead } = await boundedScan(tx, { columns: ordering, direction, range, filters });
        const first = (count: number) =>
          tx
            .select(described.columns ?? columns)
            .from(from)
            .where(where)
            .orderBy(...inOrder)
            .limit(count);
        const page = json
          ? await fittingRows(tx, { first, limit, bytes: jsonBytes(...json), orderBy: names })
          : { rows: await first(limit + 1), limit };
        return { ...page, rows: page.rows as Row[], lastRead };
      }),
  };

  function isAfter(position: string[]): SQL {
    const values = ordering.map((column, at) => sql.param(readValue(column, position[at] as string), column));
    const comes = direction === 'asc' ? sql`>` : sql`<`;
    return sql`(${listed(ordering)}) ${comes} (${listed(values)})`;
  }

  /** An instant is in Unix milliseconds. */
  function readValue(column: PgColumn, text: string): Date | string {
    if (column.dataType !== 'date') return text;
    if (Number(text) > MAX_INSTANT) throw call.refuse('INVALID_CURSOR');
    return new Date(Number(text));
  }
}

function hasValue(column: PgColumn, filters: Record<string, unknown>): SQL | undefined {
  const value = filters[column.name];
  if (value === undefined) return undefined;
  return Array.isArray(value) ? inArray(column, value) : eq(column, value);
}

function patternOf(column: PgColumn): string {
  if (column.dataType === 'date') return '[0-9]{1,15}';
  return column.getSQLType() === 'uuid' ? ID.source.slice(1, -1) : '[A-Za-z0-9._~-]{1,128}';
}
