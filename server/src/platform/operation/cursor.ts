import { createHash } from 'node:crypto';
import type { Call, CallOf } from './call.js';

/** A position of a list in the order of its ids. */
export const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

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

/** The body of every list answer. */
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
