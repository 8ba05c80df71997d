import { eventTypes, type PlatformEvent } from '@tenant-open-platform/contract';
import { type SQL, sql } from 'drizzle-orm';
import { unavailable } from '../foundation/api-error.js';
import type { Database } from '../foundation/database/database.js';
import { asAllTenantsStatement } from '../foundation/database/row-level-security.js';
import { fixedSql, statement } from '../foundation/database/statement.js';
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

const partOf = statement(
  'events: where a generation and the current one part',
  (generation: string) => fixedSql`
    select current.is_compared, current.began_at, past.shared_until::text as shared_until,
      case when past.id = current.id then log_end_v1()::text end as log_end
    from database_generations as current left join database_generations as past on left(past.id::text, 8) = ${generation}
    where current.shared_until is null`,
);

type Part = { is_compared: boolean; began_at: string; shared_until: string | null; log_end: string | null };

/** A position in the event log of one generation of the database: see `tagOf`. */
export type Position = { generation: string; seq: string };

/** The beginning of the id of a generation, which cursors carry. */
export const tagOf = (generationId: string): string => generationId.slice(0, 8);

const UNCOMPARED = 'The platform finds out whether its database was restored. Repeat the request.';

/**
 * The position after which a reader goes on. In another generation its number may belong to another event, so the reader
 * goes on after the last number that both have. Then `restoredAt` is set: some earlier events may not exist now.
 *
 * Null for a number beyond the end of the log, or of an unknown generation: it comes from a history that is lost, and
 * nothing showed the loss. The log is read only for a number beyond the end that this process remembers.
 */
export function createContinuation(database: Database) {
  const { generations } = database;
  let knownEnd = 0n;
  generations.onNew(() => {
    knownEnd = 0n;
  });

  return async ({ generation, seq }: Position): Promise<{ seq: string; restoredAt: Date | null } | null> => {
    const current = generations.current();
    const unchanged = { seq, restoredAt: null };
    if (seq === END_OF_LOG || (generation === tagOf(current.id) && BigInt(seq) <= knownEnd)) return unchanged;
    const [part] = await asAllTenantsStatement<Part>(database, partOf(generation));
    if (!part) throw new Error('The database has no generation.');
    if (part.shared_until !== null) {
      return { seq: String(leastOf([BigInt(part.shared_until), BigInt(seq)])), restoredAt: new Date(part.began_at) };
    }
    if (part.log_end !== null) {
      const end = BigInt(part.log_end);
      if (generations.current() === current) knownEnd = end;
      if (BigInt(seq) <= end) return unchanged;
    }
    if (!part.is_compared) throw unavailable(UNCOMPARED, 2);
    return null;
  };
}

export const leastOf = (numbers: readonly bigint[]): bigint =>
  numbers.toSorted((one, other) => (one < other ? -1 : 1))[0] as bigint;

/** After every number. */
export const END_OF_LOG = '9'.repeat(18);
