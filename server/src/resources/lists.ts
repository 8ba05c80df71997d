import { hash } from 'node:crypto';
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

/** Up to `limit + 1` rows. `lastRead` is the position at which a bounded scan ended, if not at the end of the list. */
type Found<Row> = { rows: Row[]; limit: number; lastRead?: string | null };

/** The answer of a page. An extra row shows that the list goes on. */
export function answerPage<Row, Item>(
  list: List,
  { rows, limit, lastRead = null }: Found<Row>,
  positionOf: (row: Row) => string,
  present: (row: Row, call: Call) => Item,
) {
  const { call } = list;
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  const position = last !== undefined && rows.length > limit ? positionOf(last) : lastRead;
  const next_cursor = position === null ? null : cursorWriter(list)(position);
  const items = shown.map((row) => present(row, call));
  return { status: 200 as const, body: { items, next_cursor, request_id: call.requestId } };
}

function decode(cursor: string): unknown[] {
  try {
    return [JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))].flat();
  } catch {
    return [];
  }
}

const bindingOf = ({ call, filters }: List) =>
  hash('sha256', JSON.stringify([call.operation, call.tenantId, Object.entries(filters).sort()]), 'base64url').slice(
    0,
    16,
  );

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
  return list.answer(await list.look(), present);
}

/** A list at the position of the query's cursor. A list that waits calls `look` several times. */
export function openList<Table extends PgTable>(
  call: CallOf<'INVALID_CURSOR'>,
  { limit, cursor, ...bound }: Query,
  { table, order, filteredBy = [], json, ...described }: Description<Table>,
) {
  type Row = Table['$inferSelect'] & Record<string, unknown>;
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
    answer: <Item>(found: Found<Row>, present: (row: Row, call: Call) => Item) =>
      answerPage(list, found, placeOf, present),
    look: () =>
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
    const values = ordering.map((column, at) => sql.param(fromText(column, position[at] as string), column));
    const comes = direction === 'asc' ? sql`>` : sql`<`;
    return sql`(${listed(ordering)}) ${comes} (${listed(values)})`;
  }
}

function hasValue(column: PgColumn, filters: Record<string, unknown>): SQL | undefined {
  const value = filters[column.name];
  if (value === undefined) return undefined;
  return Array.isArray(value) ? inArray(column, value) : eq(column, value);
}

export const dayBefore = (time: string) => new Date(Math.max(0, Date.parse(time) - 86_400_000)).toISOString();

/** An instant is in Unix milliseconds. */
const fromText = (column: PgColumn, text: string) => (column.dataType === 'date' ? new Date(Number(text)) : text);

function patternOf(column: PgColumn): string {
  if (column.dataType === 'date') return '[0-9]{1,14}';
  return column.getSQLType() === 'uuid' ? ID.source.slice(1, -1) : '[A-Za-z0-9._~-]{1,128}';
}
