import { eventTypes, type PlatformEvent } from '@tenant-open-platform/contract';
import { type SQL, sql } from 'drizzle-orm';
import type { Database } from '../foundation/database/database.js';
import { asAllTenantsStatement } from '../foundation/database/row-level-security.js';
import { fixedSql, statement } from '../foundation/database/statement.js';
import type { Bus } from './bus/bus.js';
import { commands, events } from './tables.js';
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
  'command.accepted': sql`${commands.acceptedAt}`,
  'command.completed': sql`coalesce(${commands.completedAt}, ${events.loggedAt})`,
};

const instantOf = eventTypes.map((type) => sql`when ${sql.raw(`'${type}'`)} then ${instants[type]}`);

/** The same instant as `occurred_at`, of an event that is joined with its command. */
export const occurredAt = sql`case ${events.eventType} ${sql.join(instantOf, sql` `)} end`;

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
      public_status: publicStatusOf(state),
      status_reason: ended?.statusReason ?? null,
      result: ended?.result ?? null,
      accepted_at: command.acceptedAt.toISOString(),
      completed_at: ended?.completedAt?.toISOString() ?? null,
    },
  };
}

const afterGeneration = statement(
  'events: number that all later generations share',
  (generation: number) => fixedSql`
    select min(parted_at)::text as seq, max(began_at) as restored_at from database_generations
    where generation > ${generation}::bigint`,
);

const logEnd = statement('events: end of the log', () => fixedSql`select log_end_v1()::text as seq`);

const declared = statement(
  'events: declare a restore',
  (known: number) => fixedSql`select from declare_restored_v1(${known}::bigint)`,
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
  ({ tenant_id, event_id, event_type, data }: PlatformEvent) => fixedSql`
    select from tenants
    where tenant_id = ${tenant_id} and status not in ('MOVED', 'DELETING', 'DELETED')
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
