import { subjects } from '@tenant-open-platform/contract/bus';
import { and, asc, eq, getTableColumns, getTableName, sql } from 'drizzle-orm';
import type { Database, Transaction } from '../foundation/database/database.js';
import { asAllTenants, asAllTenantsStatement } from '../foundation/database/row-level-security.js';
import { fixedSql, statement } from '../foundation/database/statement.js';
import { idTimeMs, newId } from '../foundation/ids.js';
import { slotOf } from '../foundation/slots.js';
import { busPrincipals } from '../foundation/tables.js';
import type { Message } from './bus/bus.js';
import { END_OF_LOG, presentEvent, shownColumns, tagOf } from './events.js';
import type { SlotPosition } from './slots/slot-owner.js';
import { commands, events, type RepublishedRange } from './tables.js';
import type { State } from './transitions.js';

type NewEvent = { tenant_id: string; command_id: string } & (
  | { event_type: 'command.accepted' }
  | ({ event_type: 'command.completed' } & Ended)
);
/** What is counted of a command that has ended. `reason`: the code, if there is a reason. */
type Ended = { vendor: string; status: State['status']; reason: string | undefined };

/** Locks the logs, appends and counts: see server/drizzle/functions/log_events_v1.sql. */
const append = statement(
  'events: append',
  (given: string, slots: string, ended: string) =>
    fixedSql`select log_events_v1(${given}, string_to_array(${slots}, ',')::int[], ${ended})`,
);

/**
 * Appends events to the log, and counts the commands that have ended. Transactions that write events of a slot hold its
 * lock from the numbering until their commit, so they commit in the order of the numbers and a reader with a cursor
 * misses no event. Send this last in a transaction, and once, because other writers wait for the commit. (The relay may
 * then still read commands that were dispatched before: that is rare.) A transaction that waits for a short time only
 * leaves busy slots out: see slots/patience.ts.
 */
export async function logEvents(tx: Transaction, newEvents: readonly NewEvent[]): Promise<void> {
  if (newEvents.length === 0) return;
  const given = newEvents.map(({ tenant_id, command_id, event_type }, position) => ({
    tenant_id,
    command_id,
    event_type,
    slot: slotOf(tenant_id),
    position,
    event_id: newId(),
  }));
  const slots = [...new Set(given.map(({ slot }) => slot))].sort((a, b) => a - b);
  await tx.execute(append(JSON.stringify(given), slots.join(), JSON.stringify(endedIn(newEvents))));
}

/** The commands that have ended, by tenant, vendor, status and reason, with the times of their acceptance. */
function endedIn(newEvents: readonly NewEvent[]) {
  const groups = new Map<string, Ended & { tenant_id: string; accepted_ms: number[] }>();
  for (const event of newEvents) {
    if (event.event_type !== 'command.completed') continue;
    const { tenant_id, vendor, status, reason, command_id } = event;
    const key = JSON.stringify([tenant_id, vendor, status, reason]);
    const group = groups.get(key) ?? { tenant_id, vendor, status, reason, accepted_ms: [] };
    group.accepted_ms.push(idTimeMs(command_id));
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** `positions`: of the slots whose events the page has. `messages`: the events that a CLIENT principal may read. */
export type EventPage = { positions: SlotPosition[]; loggedAtMs: number; isFull: boolean; messages: Message[] };

type Range = { slot: number; after: string; until?: string | undefined };

/** The next events of these slots, at most `limit`; null if there are none. */
export const readEvents = (
  database: Database,
  positions: readonly SlotPosition[],
  limit: number,
): Promise<EventPage | null> =>
  readPage(database, { ranges: positions.map(({ slot, seq }) => ({ slot, after: seq })), limit, tenantId: null });

const PAGE = 256;

/** The published events that were logged since the beginning of the range. */
export async function* republishedEvents(database: Database, { since, tenantId }: RepublishedRange) {
  const published = await asAllTenantsStatement<SlotPosition>(database, publishedPositions());
  const slot = tenantId === undefined ? null : slotOf(tenantId);
  let ranges: Range[] = [];
  for (const { slot: one, seq: until } of published) {
    if (slot !== null && one !== slot) continue;
    const [start] = await asAllTenantsStatement<{ seq: string }>(database, searchInSlot(since, one));
    ranges.push({ slot: one, after: start?.seq ?? '0', until });
  }
  for (;;) {
    const page = await readPage(database, { ranges, limit: PAGE, tenantId: tenantId ?? null });
    if (!page) return;
    yield { messages: page.messages, resumeFrom: new Date(page.loggedAtMs).toISOString() };
    const read = new Map(page.positions.map(({ slot, seq }) => [slot, seq]));
    ranges = ranges.map((range) => ({ ...range, after: read.get(range.slot) ?? range.after }));
  }
}

const publishedPositions = statement(
  'events: published up to',
  () => fixedSql`select slot, published_seq::text as seq from slots`,
);

type End = { slot: number; after: string; seq: string; logged_at_ms: number; is_full: boolean };

/**
 * By time, so that a reader that has to begin again can continue at the time of the last page. In all statements the rows
 * of a slot are compared and sorted by (slot, seq): otherwise the planner takes the index by seq, and reads all slots.
 */
const pageEnds = statement(
  'events: ends of the page',
  (ranges: string, limit: number, tenantId: string | null) => fixedSql`
    with page as (
      select part.slot, part.after, next.seq, next.logged_at
      from json_to_recordset(${ranges}::text::json) as part (slot int, after bigint, until bigint)
      cross join lateral (
        select seq, logged_at from events
        where (tenant_slot_v1(tenant_id), seq) > (part.slot, part.after)
          and (tenant_slot_v1(tenant_id), seq) <= (part.slot, coalesce(part.until, ${END_OF_LOG}::bigint))
          and (${tenantId}::text is null or tenant_id is not distinct from ${tenantId})
        order by tenant_slot_v1(tenant_id), seq limit ${limit}::int
      ) as next
      order by next.logged_at, next.seq limit ${limit}::int
    )
    select slot, after::text, max(seq)::text as seq,
      (extract(epoch from max(logged_at)) * 1000)::double precision as logged_at_ms,
      sum(count(*)) over () = ${limit}::int as is_full
    from page group by slot, after`,
);

type PageOf = { ranges: readonly Range[]; limit: number; tenantId: string | null };

/** The next events of these ranges, and the messages of those that are read. */
function readPage(database: Database, { ranges, limit, tenantId }: PageOf): Promise<EventPage | null> {
  const work = async (tx: Transaction, rows: readonly object[]) => {
    const ends = rows as readonly End[];
    const [first] = ends;
    if (!first) return null;
    return {
      positions: ends.map(({ slot, seq }) => ({ slot, seq })),
      loggedAtMs: Math.max(...ends.map(({ logged_at_ms }) => logged_at_ms)),
      isFull: first.is_full,
      messages: await readMessages(tx, ends, { limit, tenantId, history: tagOf(database.generations.current().id) }),
    };
  };
  return asAllTenants(database, work, pageEnds(JSON.stringify(ranges), limit, tenantId));
}

/**
 * An event is read if its tenant has a CLIENT principal, even if DISABLED or expired: it may connect again later, and
 * continues at its position. If no event is published, a worker drains 1.3 times as many commands per second.
 */
async function readMessages(
  tx: Transaction,
  ends: readonly End[],
  { limit, tenantId, history }: Omit<PageOf, 'ranges'> & { history: string },
) {
  const inSlot = tx
    .select()
    .from(events)
    .where(
      sql`(tenant_slot_v1(${events.tenantId}), ${events.seq}) > (part.slot, part.after)
        and (tenant_slot_v1(${events.tenantId}), ${events.seq}) <= (part.slot, part.seq)
        and (${tenantId}::text is null or ${events.tenantId} is not distinct from ${tenantId})`,
    )
    .orderBy(sql`tenant_slot_v1(${events.tenantId})`, asc(events.seq))
    // The range has no more rows. Without a limit and without statistics the planner reads and sorts the whole slot.
    .limit(limit)
    .as(getTableName(events));
  // Lateral: each event looks its command up by key, whatever Postgres assumes about the row counts.
  const columns = { ...shownColumns, traceparent: commands.traceparent };
  const command = tx
    .select(columns)
    .from(commands)
    .where(and(eq(commands.tenantId, events.tenantId), eq(commands.commandId, events.commandId)))
    .limit(1)
    .as(getTableName(commands));
  const found = await tx
    .select({ event: getTableColumns(events), command: columns })
    .from(sql`json_to_recordset(${JSON.stringify(ends)}::text::json) as part (slot int, after bigint, seq bigint)`)
    .innerJoinLateral(inSlot, sql`true`)
    .innerJoinLateral(command, sql`true`)
    .where(
      sql`exists (
        select from ${busPrincipals} as principal
        where principal.tenant_id = ${events.tenantId} and principal.principal_type = 'CLIENT'
          and principal.status <> 'DELETED'
        offset 0
      )`,
    )
    .orderBy(asc(events.seq));
  return found.map(
    ({ event, command }): Message => ({
      subject: subjects.event(event.tenantId, event.eventType),
      id: event.eventId,
      body: Buffer.from(JSON.stringify(presentEvent(event, command))),
      history,
      traceparent: command.traceparent ?? undefined,
    }),
  );
}

/** The log has no index by time, but in a slot times increase with the numbers, so a binary search finds the position. */
const searchInSlot = statement(
  'events: position in a slot before a time',
  (time: string, slot: number) => fixedSql`
    with recursive search (low, high) as (
      select 0::bigint, coalesce((
        select seq from slot_events_v1(${slot}::int, 0)
        order by tenant_slot_v1(tenant_id) desc, seq desc limit 1
      ), 0)
      union all
      select case when is_before then seq else low end, case when is_before then high else middle end
      from (select low, high, (low + high) / 2 as middle from search where low < high) halves
      cross join lateral (
        select seq, logged_at < ${time}::timestamptz as is_before from slot_events_v1(${slot}::int, middle)
        order by tenant_slot_v1(tenant_id), seq limit 1
      ) next
    )
    select low::text as seq from search where low >= high`,
);

const searchOfTenant = statement(
  'events: position of a tenant before a time',
  (time: string, tenantId: string) => fixedSql`
    with recursive search (low, high) as (
      select least(min(seq) - 1, 0), coalesce(max(seq), 0) from events where tenant_id = ${tenantId}
      union all
      select case when is_before then seq else low end, case when is_before then high else middle end
      from (select low, high, low + (high - low) / 2 as middle from search where low < high) halves
      cross join lateral (
        select seq, logged_at < ${time}::timestamptz as is_before from events
        where tenant_id = ${tenantId} and seq > middle order by seq limit 1
      ) next
    )
    select low::text as seq from search where low >= high`,
);

/** A number before the first event of a tenant of this time or later. Events that moved with it have numbers below 0. */
export async function positionBefore(tx: Transaction, time: string, tenantId: string): Promise<string> {
  const [found] = await tx.execute<{ seq: string }>(searchOfTenant(time, tenantId));
  return found?.seq ?? '0';
}
