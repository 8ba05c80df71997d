import { eventTypes, type PlatformEvent } from '@tenant-open-platform/contract';
import { subjects } from '@tenant-open-platform/contract/bus';
import { and, asc, eq, sql as fragment, type SQL } from 'drizzle-orm';
import type { Database, Transaction } from '../foundation/database/database.js';
import { asAllTenants, asAllTenantsStatement } from '../foundation/database/row-level-security.js';
import { sql, statement } from '../foundation/database/statement.js';
import { newId } from '../foundation/ids.js';
import { busPrincipals } from '../foundation/tables.js';
import type { Bus, Message } from './bus/bus.js';
import { commands, events, type RepublishedRange } from './tables.js';
import { INITIAL, publicStatusOf, stateOf } from './transitions.js';

/** The columns of a command that events show; nothing that was sent to the device. */
export const shownColumns = {
  commandId: commands.commandId,
  vendor: commands.vendor,
  deviceId: commands.deviceId,
  commandType: commands.commandType,
  status: commands.status,
  adapterStatus: commands.adapterStatus,
  deviceExecutionStatus: commands.deviceExecutionStatus,
  statusReason: commands.statusReason,
  result: commands.result,
  acceptedAt: commands.acceptedAt,
  completedAt: commands.completedAt,
  requestId: commands.requestId,
  createdByClientId: commands.createdByClientId,
  idempotencyKey: commands.idempotencyKey,
};

type Command = Pick<typeof commands.$inferSelect, keyof typeof shownColumns>;
type Event = typeof events.$inferSelect;

/** An accepted command shows the fields that never change, a completed one its final fields. */
function shownBy({ eventType, loggedAt }: Event, command: Command): { occurredAt: Date; ended: Command | null } {
  switch (eventType) {
    case 'command.accepted':
      return { occurredAt: command.acceptedAt, ended: null };
    case 'command.completed':
      return { occurredAt: command.completedAt ?? loggedAt, ended: command };
  }
}

const instants: Record<Event['eventType'], SQL> = {
  'command.accepted': fragment`${commands.acceptedAt}`,
  'command.completed': fragment`coalesce(${commands.completedAt}, ${events.loggedAt})`,
};

const instantOf = eventTypes.map((type) => fragment`when ${fragment.raw(`'${type}'`)} then ${instants[type]}`);

/** The same instant as `occurred_at`, of an event that is joined with its command. */
export const occurredAt = fragment`case ${events.eventType} ${fragment.join(instantOf, fragment` `)} end`;

export function presentEvent(event: Event, command: Command): PlatformEvent {
  const { occurredAt, ended } = shownBy(event, command);
  const state = ended ? stateOf(ended) : INITIAL;
  return {
    event_id: event.eventId,
    event_type: event.eventType,
    schema_version: 1,
    tenant_id: event.tenantId,
    occurred_at: occurredAt.toISOString(),
    request: {
      request_id: command.requestId,
      client_id: command.createdByClientId,
      idempotency_key: command.idempotencyKey,
    },
    data: {
      command_id: command.commandId,
      vendor: command.vendor,
      device_id: command.deviceId,
      command_type: command.commandType,
      ...state,
      public_status: publicStatusOf(state.status),
      status_reason: ended?.statusReason ?? null,
      result: ended?.result ?? null,
      accepted_at: command.acceptedAt.toISOString(),
      completed_at: ended?.completedAt?.toISOString() ?? null,
    },
  };
}

type NewEvent = { tenant_id: string; command_id: string; event_type: Event['eventType'] };

/** An arbitrary lock number that only writers of the event log use. */
const ADVISORY_LOCK = '5120998347';

const lockLog = statement('events: lock the log', () => sql`select pg_advisory_xact_lock(${ADVISORY_LOCK}::bigint)`);

/**
 * An event that is already in the log stays unchanged: under the lock a read is enough, and costs less than ON CONFLICT.
 * The times never decrease with the numbers, whatever the clock does: `positionBefore` relies on it.
 */
const append = statement(
  'events: append',
  (given: string) => sql`
    insert into events (tenant_id, command_id, event_type, event_id, logged_at)
    select tenant_id, command_id, event_type, event_id,
      greatest(clock_timestamp(), (select logged_at from events order by seq desc limit 1))
    from json_to_recordset(${given}::text::json) as given (
      position int, tenant_id text, command_id uuid, event_type text, event_id uuid
    )
    where not exists (
      select from events
      where events.tenant_id = given.tenant_id and events.command_id = given.command_id
        and events.event_type = given.event_type
    )
    order by position`,
);

/**
 * Appends events to the log. Transactions that write events hold a lock from the numbering until their commit, so they
 * commit in the order of the numbers and a reader with a cursor misses no event. Send this last in a transaction,
 * because all other writers wait for the commit. (The relay may then still read commands that were dispatched before:
 * that is rare.)
 */
export async function logEvents(tx: Transaction, newEvents: readonly NewEvent[]): Promise<void> {
  if (newEvents.length === 0) return;
  const given = JSON.stringify(newEvents.map((event, position) => ({ ...event, position, event_id: newId() })));
  // Lock and insert leave together, which saves a round trip while the lock is held.
  await Promise.all([tx.execute(lockLog()), tx.execute(append(given))]);
}

const PAGE = 256;

/** The next events of the log, at most `limit`. */
export const readEvents = (database: Database, after: string, limit: number): Promise<EventPage | null> =>
  readPage(database, { after, until: END_OF_LOG, limit, tenantId: null });

/** The published events that were logged since the beginning of the range. */
export async function* republishedEvents(database: Database, { since, tenantId }: RepublishedRange) {
  const until = await readPublishedSeq(database);
  let after = await asAllTenants(database, (tx) => positionBefore(tx, since));
  for (;;) {
    const page = await readPage(database, { after, until, limit: PAGE, tenantId: tenantId ?? null });
    if (!page) return;
    yield { messages: page.messages, resumeFrom: new Date(page.loggedAtMs).toISOString() };
    after = page.last;
  }
}

const published = statement(
  'events: published up to',
  () => sql`select published_seq::text as seq from relay_lease where name = 'outbox'`,
);

/** The event number up to which the bus has acknowledged the event log. */
async function readPublishedSeq(database: Database): Promise<string> {
  const [lease] = await asAllTenantsStatement<{ seq: string }>(database, published());
  return lease?.seq ?? '0';
}

type Range = { after: string; until: string; limit: number; tenantId: string | null };
/** `last`: the number of the last event that the page looked at. `messages`: the events that a CLIENT principal may read. */
export type EventPage = { last: string; loggedAtMs: number; isFull: boolean; messages: Message[] };
type End = Omit<EventPage, 'messages'>;

const pageEnd = statement(
  'events: end of the page',
  ({ after, until, limit, tenantId }: Range) => sql`
    select seq::text as last, (extract(epoch from logged_at) * 1000)::double precision as "loggedAtMs",
      count(*) over () = ${limit}::int as "isFull"
    from (
      select seq, logged_at from events
      where seq > ${after}::bigint and seq <= ${until}::bigint
        and (${tenantId}::text is null or tenant_id = ${tenantId})
      order by seq limit ${limit}::int
    ) as page
    order by seq desc limit 1`,
);

/** The next events of the log up to a number, and the messages of those that are read. */
function readPage(database: Database, range: Range): Promise<EventPage | null> {
  const work = async (tx: Transaction, rows: readonly object[]) => {
    const [page] = rows as readonly End[];
    return page ? { ...page, messages: await readMessages(tx, { ...range, until: page.last }) } : null;
  };
  return asAllTenants(database, work, pageEnd(range));
}

/**
 * An event is read if its tenant has a CLIENT principal, even if DISABLED or expired: it may connect again later, and
 * continues at its position. If no event is published, a worker drains 1.3 times as many commands per second.
 */
async function readMessages(tx: Transaction, { after, until, tenantId }: Range) {
  const found = await tx
    .select({ event: events, command: { ...shownColumns, traceparent: commands.traceparent } })
    .from(events)
    .innerJoin(commands, and(eq(commands.tenantId, events.tenantId), eq(commands.commandId, events.commandId)))
    .where(
      fragment`${events.seq} > ${after}::bigint and ${events.seq} <= ${until}::bigint
        and (${tenantId}::text is null or ${events.tenantId} = ${tenantId})
        and exists (
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
      traceparent: command.traceparent ?? undefined,
    }),
  );
}

const afterGeneration = statement(
  'events: number that all later generations share',
  (generation: number) => sql`
    select min(parted_at)::text as seq, max(began_at) as restored_at from database_generations
    where generation > ${generation}::bigint`,
);

const logEnd = statement(
  'events: end of the log',
  () => sql`
    select greatest(
      (select max(seq) from events), (select published_seq from relay_lease where name = 'outbox'), 0
    )::text as seq`,
);

const declared = statement(
  'events: declare a restore',
  (known: number) => sql`select from declare_restored_v1(${known}::bigint)`,
);

/**
 * Something outside of the database knows a later event than it has. Of all who notice it, one begins the generation: if
 * another has begun since `known`, this process only learns of it. The other processes get a signal.
 */
async function declareRestored(database: Database, known: number): Promise<void> {
  await asAllTenantsStatement(database, declared(known));
  await database.generations.look();
}

const isLost = statement(
  'events: an event on the bus that the log lacks',
  ({ tenant_id, event_id, event_type, data }: PlatformEvent) => sql`
    select from tenants
    where tenant_id = ${tenant_id} and status not in ('DELETING', 'DELETED')
      and ${data.accepted_at}::timestamptz > now() - interval '12 hours' and not exists (
        select from events
        where events.tenant_id = ${tenant_id} and command_id = ${data.command_id}::uuid
          and event_type = ${event_type} and event_id = ${event_id}::uuid
      )`,
);

/**
 * Begins a new generation if the bus has an event that this history of the database has never had. Events of commands
 * that may be purged already do not count.
 */
export async function compareWithBus(database: Database, bus: Pick<Bus, 'lastEvent'>): Promise<void> {
  const known = database.generations.current();
  const last = await bus.lastEvent();
  if (!last || last.storedAt <= known.beganAt) return;
  const event = JSON.parse(last.body.toString('utf8')) as PlatformEvent;
  const lost = await asAllTenantsStatement(database, isLost(event));
  if (lost.length > 0) await declareRestored(database, known.id);
}

/** A position in the event log of one generation of the database. */
export type Position = { generation: number; seq: string };

/**
 * The position after which a reader goes on. In another generation its number may belong to another event, so the reader
 * goes on after the last number that both have. Then `restoredAt` is set: some earlier events may not exist now.
 *
 * A number beyond the end of the log, or of a later generation, comes from a history that is lost, even where Postgres
 * does not show it: a new generation begins. The end of the log is read only for a number beyond the end that this
 * process remembers.
 */
export function createContinuation(database: Database) {
  const { generations } = database;
  let knownEnd = 0n;
  generations.onNew(() => {
    knownEnd = 0n;
  });

  async function isBeyondEnd(seq: bigint): Promise<boolean> {
    if (seq <= knownEnd) return false;
    const [end] = await asAllTenantsStatement<{ seq: string }>(database, logEnd());
    knownEnd = BigInt(end?.seq ?? 0);
    return seq > knownEnd;
  }

  return async ({ generation, seq }: Position): Promise<{ seq: string; restoredAt: Date | null }> => {
    const current = generations.current();
    if (seq === END_OF_LOG) return { seq, restoredAt: null };
    if (generation >= current.id) {
      if (generation === current.id && !(await isBeyondEnd(BigInt(seq)))) return { seq, restoredAt: null };
      await declareRestored(database, current.id);
    }
    const [parted] = await asAllTenantsStatement<Parted>(database, afterGeneration(generation));
    if (!parted?.seq) return { seq, restoredAt: null };
    return { seq: BigInt(parted.seq) < BigInt(seq) ? parted.seq : seq, restoredAt: new Date(parted.restored_at) };
  };
}

type Parted = { seq: string | null; restored_at: string };

/** After every number. */
export const END_OF_LOG = '9'.repeat(18);

const searchByTime = statement(
  'events: position before a time',
  (time: string, tenantId: string | null) => sql`
    with recursive search (low, high) as (
      select 0::bigint, coalesce(max(seq), 0) from events where ${tenantId}::text is null or tenant_id = ${tenantId}
      union all
      select case when is_before then seq else low end, case when is_before then high else middle end
      from (select low, high, (low + high) / 2 as middle from search where low < high) halves
      cross join lateral (
        select seq, logged_at < ${time}::timestamptz as is_before from events
        where (${tenantId}::text is null or tenant_id = ${tenantId}) and seq > middle order by seq limit 1
      ) next
    )
    select low::text as seq from search where low >= high`,
);

/**
 * A number before the first event of this time or later, of a tenant or of all. The log has no index by time, but times
 * increase with the numbers, so a binary search finds the position.
 */
export async function positionBefore(tx: Transaction, time: string, tenantId?: string): Promise<string> {
  const [found] = await tx.execute<{ seq: string }>(searchByTime(time, tenantId ?? null));
  return found?.seq ?? '0';
}
