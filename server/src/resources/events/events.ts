import { eventTypes } from '@tenant-open-platform/contract';
import { and, asc, desc, eq, getTableColumns, getTableName, gt, lt, type SQL, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../../foundation/database/database.js';
import { all, type Bounded, boundedScan, fittingRows, jsonBytes } from '../../foundation/database/pages.js';
import { type OpenedKeyring, SEALED_NUMBER, sealedNumbers } from '../../foundation/secrets/keyring.js';
import { topics } from '../../foundation/signals/signals.js';
import type { Metrics } from '../../foundation/telemetry/metrics.js';
import type { Handler } from '../../gateway/operation/call.js';
import { positionBefore } from '../../pipeline/event-log.js';
import {
  createContinuation,
  END_OF_LOG,
  occurredAt,
  presentEvent,
  shownColumns,
  tagOf,
} from '../../pipeline/events.js';
import { BEFORE_LOG, createMovedCursors } from '../../pipeline/moved-cursors.js';
import { commands, events } from '../../pipeline/tables.js';
import type { WaitFor } from '../../pipeline/wait-for.js';
import { cursorWriter, readCursor } from '../lists.js';

type List = Parameters<Handler<'events.list'>>;
type Query = List[0]['query'];

type Services = { waitFor: WaitFor; keyring: OpenedKeyring; database: Database; metrics: Metrics };

export const listEvents = ({ waitFor, keyring, database, metrics }: Services): Handler<'events.list'> => {
  const continuedAt = createContinuation(database);
  const movedTo = createMovedCursors(keyring);

  async function readPage({ limit, cursor, wait_seconds: waitSeconds, from, ...filters }: Query, call: List[1]) {
    const { tenantId } = call;
    const generation = database.generations.current().id;
    const list = { call, filters };
    const direction = filters.order;
    const isDescending = direction === 'desc';
    // Events of all tenants share one sequence. A cursor must not show how many events the platform has.
    const numbers = sealedNumbers(keyring.cursorKey, tenantId);
    const sealed = readCursor(list, cursor, SEALED_NUMBER);
    const moved = sealed === null ? null : await movedTo(sealed, call);
    const given = sealed === null ? null : numbers.open(sealed);
    const going = moved ?? (given && (await continuedAt(given)));
    if (given && !going) metrics.countLostCursor();
    if (sealed !== null && !going) throw call.refuse('INVALID_CURSOR');
    const { seq: continued, restoredAt } = going ?? { seq: null, restoredAt: null };
    const start = () =>
      call.asTenant(async (tx) => {
        if (from === 'now') return lastPosition(tx, tenantId);
        const since = from ?? (filters.occurred_after && shortlyBefore(filters.occurred_after));
        return since === undefined ? BEFORE_LOG : positionBefore(tx, since, tenantId);
      });
    const position = continued ?? (isDescending ? END_OF_LOG : await start());
    const after = isDescending ? await start() : position;
    const range = all([
      eq(events.tenantId, tenantId),
      gt(events.seq, sql`${after}::bigint`),
      isDescending && lt(events.seq, sql`${position}::bigint`),
    ]);
    const withoutIndex = all([
      filters.event_type && eq(events.eventType, filters.event_type),
      filters.occurred_after && sql`${occurredAt} >= ${filters.occurred_after}::timestamptz`,
      filters.occurred_before && sql`${occurredAt} < ${filters.occurred_before}::timestamptz`,
    ]);
    const scan = (tx: Transaction) =>
      filters.command_id
        ? ofCommand(tx, tenantId, filters.command_id, all([range, withoutIndex]))
        : boundedScan(tx, { columns: [events.seq], direction, range, filters: withoutIndex });
    const isOnlyPlace = sealed === null && from === 'now';
    const found = await waitFor({
      call,
      topic: topics.events(tenantId),
      waitSeconds: isDescending || isOnlyPlace ? 0 : waitSeconds,
      // A page that has read its maximum of rows is answered even if it is empty: its cursor goes on.
      isEnough: ({ rows, lastRead }) => rows.length > 0 || lastRead !== null,
      look: () =>
        call.asTenant(async (tx) => {
          const { from, where, lastRead } = await scan(tx);
          const rows = await fittingRows(tx, {
            first: (count) => withCommands(tx, { from, where, order: isDescending ? desc : asc, count }),
            limit,
            bytes: jsonBytes('result'),
            orderBy: isDescending ? sql`seq desc` : sql`seq`,
          });
          return { ...rows, lastRead };
        }),
    });
    const rows = isOnlyPlace ? [] : found.rows.slice(0, found.limit);
    const isFull = found.rows.length > found.limit;
    const write = cursorWriter(list);
    const cursorAt = (seq: string) => write(numbers.seal({ generation: tagOf(generation), seq }));
    const items = rows.map(({ event, command }) => ({
      ...presentEvent(event, command),
      cursor: cursorAt(String(event.seq)),
    }));
    const lastRead = isOnlyPlace || isFull ? null : found.lastRead;
    const next_cursor = lastRead === null ? (items.at(-1)?.cursor ?? cursorAt(position)) : cursorAt(lastRead);
    const restored_at = restoredAt?.toISOString() ?? null;
    return { generation, body: { items, next_cursor, restored_at, request_id: call.requestId } };
  }

  return async (request, call) => {
    // A page that was begun in a generation that has ended is read again: its position may be another event's by now.
    for (let { query } = request; ; query = { ...query, wait_seconds: 0 }) {
      const { generation, body } = await readPage(query, call);
      if (generation === database.generations.current().id) return { status: 200, body };
    }
  };
};

/**
 * An event is logged after it occurred, but two changes of a command within a millisecond get distinct instants: the second
 * one lies a little ahead.
 */
const shortlyBefore = (instant: string) => new Date(Date.parse(instant) - 1_000).toISOString();

/** A command has few events: look them up by primary key before applying any other condition. */
function ofCommand(tx: Transaction, tenantId: string, commandId: string, where: SQL | undefined): Bounded {
  const found = tx
    .select()
    .from(events)
    .where(and(eq(events.tenantId, tenantId), eq(events.commandId, commandId)))
    .limit(eventTypes.length);
  return { from: found.as(getTableName(events)), where, lastRead: null };
}

type Part = Omit<Bounded, 'lastRead'> & { order: typeof asc | typeof desc; count: number };

/** Lateral: each event looks its command up by key, whatever Postgres assumes about the row counts. */
function withCommands(tx: Transaction, { from, where, order, count }: Part) {
  const command = tx
    .select(shownColumns)
    .from(commands)
    .where(and(eq(commands.tenantId, events.tenantId), eq(commands.commandId, events.commandId)))
    .limit(1)
    .as(getTableName(commands));
  return tx
    .select({ event: getTableColumns(events), command: shownColumns })
    .from(from)
    .innerJoinLateral(command, sql`true`)
    .where(where)
    .orderBy(order(events.seq))
    .limit(count);
}

async function lastPosition(tx: Transaction, tenantId: string): Promise<string> {
  const [last] = await tx.execute<{ seq: string }>(sql`
    select coalesce(max(seq), 0)::text as seq from events where tenant_id = ${tenantId}`);
  return last?.seq ?? '0';
}
