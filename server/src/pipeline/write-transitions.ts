import type { CommandUpdate } from '@tenant-open-platform/contract/bus';
import type { Transaction } from '../foundation/database/database.js';
import { pipelined } from '../foundation/database/pipelined.js';
import { fixedSql, statement } from '../foundation/database/statement.js';
import { type Signals, topics } from '../foundation/signals/signals.js';
import { slotOf } from '../foundation/slots.js';
import type { Metrics } from '../foundation/telemetry/metrics.js';
import { logEvents } from './event-log.js';
import type { commands } from './tables.js';
import { isTerminal, type State } from './transitions.js';

/**
 * A change of a command whose row the transaction has locked. If `after` is `before`, it is a step of the execution,
 * which is not part of the history.
 */
export type Transition = {
  tenantId: string;
  commandId: string;
  vendor: string;
  before: State;
  after: State;
  source: 'PLATFORM' | 'ADAPTER' | 'DEVICE';
  reason?: { code: string; message: string } | undefined;
  progress?: Step | undefined;
  result?: Record<string, unknown> | undefined;
  /** The history entries of the transitions before it that the same change of the row writes. */
  earlier?: Entry[];
};

type Entry = ReturnType<typeof entryOf>;

/** A step of the execution, and when the bus stored its message. */
export type Step = NonNullable<(typeof commands.$inferSelect)['progress']>;

/** A report after the status was final. It is kept and does not change the status. */
export type LateReport = Omit<Transition, 'vendor' | 'before' | 'after' | 'progress' | 'earlier'> & {
  final: State;
  reported: State;
  /** If it is the first result after the final status. */
  lateResult: CommandUpdate | null;
};

/**
 * Writes changes, one per command, each with its history entries. If a status becomes final, it logs command.completed,
 * once. A command that ends before it was dispatched may lack its command.accepted event, which is then logged first.
 */
export async function makeTransitions(tx: Transaction, transitions: readonly Transition[]): Promise<void> {
  // In this order: the update does not run under the lock of the log.
  await pipelined(
    () => storeTransitions(tx, transitions),
    () => logTransitions(tx, transitions),
  );
}

/** Without the events: `logTransitions` must follow as the last of the transaction. */
export async function storeTransitions(tx: Transaction, transitions: readonly Transition[]): Promise<void> {
  if (transitions.length === 0) return;
  const rows = transitions.map((transition) => ({
    ...changeOf(transition, transition.after, transition.after),
    ...(!isStatusChange(transition) && { entry: null }),
    earlier: transition.earlier ?? null,
    reason: transition.reason ?? null,
    progress: transition.progress ?? null,
    result: transition.result ?? null,
    completes: completes(transition),
  }));
  await tx.execute(changes(JSON.stringify(rows)));
}

export const logTransitions = (tx: Transaction, transitions: readonly Transition[]) =>
  logEvents(
    tx,
    transitions
      .filter(completes)
      .flatMap(({ tenantId: tenant_id, commandId: command_id, vendor, before, after, reason }) => {
        const command = { tenant_id, command_id };
        const ended = { vendor, status: after.status, reason: reason?.code };
        return [
          ...(before.status === 'ACCEPTED' ? [{ ...command, event_type: 'command.accepted' as const }] : []),
          { ...command, event_type: 'command.completed' as const, ...ended },
        ];
      }),
  );

/**
 * Every change of a command has a distinct instant after that of the previous change, even if two changes happen within
 * a millisecond: a reader that has seen one misses no other, and the history is in order. It uses the statement's
 * clock, because the transaction may have begun before the change whose lock it waited for.
 */
const changes = statement(
  'transitions: change commands',
  (rows: string) => fixedSql`
    update commands set
      status = given.status, adapter_status = given.adapter_status,
      device_execution_status = given.device_execution_status,
      status_reason = case when completes then given.reason else commands.status_reason end,
      progress = coalesce(given.progress, commands.progress),
      result = coalesce(given.result, commands.result),
      (history, late_result, completed_at, updated_at) = (
        select
          case
            when given.entry is null then commands.history
            when given.earlier is null then commands.history || (given.entry || jsonb_build_object('at', next.text))
            else commands.history || (
              select jsonb_agg(told.entry || jsonb_build_object('at', to_char(
                (next.at - (jsonb_array_length(given.earlier) + 1 - place) * interval '1 millisecond') at time zone 'UTC',
                'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'
              )) order by place)
              from jsonb_array_elements(given.earlier || given.entry) with ordinality as told (entry, place)
            )
          end,
          case
            when given.late_result is null then commands.late_result
            else json_build_object(
              'received_at', next.text,
              'adapter_status', given.late_result -> 'adapter_status',
              'device_execution_status', given.late_result -> 'device_execution_status',
              'status_reason', given.late_result -> 'status_reason',
              'result', given.late_result -> 'result'
            )
          end,
          case when completes then next.at else commands.completed_at end,
          next.at
        from (
          select at, to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as text
          from (
            select greatest(statement_timestamp(), commands.updated_at + interval '1 millisecond')::timestamptz(3)
              + coalesce(jsonb_array_length(given.earlier), 0) * interval '1 millisecond' as at
          ) as later
        ) as next
      )
    from json_to_recordset(${rows}::text::json) as given (
      tenant_id text, command_id uuid, status text, adapter_status text, device_execution_status text, entry jsonb,
      earlier jsonb, reason json, progress json, result json, completes boolean, late_result json
    )
    where commands.tenant_id = given.tenant_id and commands.command_id = given.command_id`,
);

const isStatusChange = ({ before, after }: Transition) => after !== before;

/** Two changes of status, one after the other, as one change of the row that keeps both history entries. */
export const together = (first: Transition | undefined, next: Transition | undefined): Transition | null =>
  first && next && isStatusChange(first) && isStatusChange(next)
    ? {
        ...next,
        earlier: [...(first.earlier ?? []), entryOf(first, first.after)],
        progress: next.progress ?? first.progress,
        result: next.result ?? first.result,
      }
    : null;

const completes = ({ before, after }: Pick<Transition, 'before' | 'after'>) => !isTerminal(before) && isTerminal(after);

type Listeners = { signals: Signals; metrics: Metrics };

/** Counts the commands that these transitions have ended, and wakes waiting requests. Call it after the commit. */
export function announceTransitions(
  { signals, metrics }: Listeners,
  transitions: readonly Transition[],
  late: LateReport[] = [],
): void {
  for (const transition of transitions)
    if (completes(transition)) metrics.countCompleted(transition.after.status, transition.vendor);
  const changed = [...transitions, ...late].map(({ tenantId, commandId }) => topics.command(tenantId, commandId));
  if (changed.length === 0) return;
  const logged = [...transitions.filter(isStatusChange), ...late];
  signals.send([
    ...new Set(logged.map(({ tenantId }) => topics.eventLog(slotOf(tenantId)))),
    ...changed,
    ...logged.map(({ tenantId }) => topics.events(tenantId)),
  ]);
}

/** Writes late reports: a history entry, and late_result for the first one. */
export async function keepLateReports(tx: Transaction, reports: readonly LateReport[]): Promise<void> {
  if (reports.length === 0) return;
  const rows = reports.map((report) => ({
    ...changeOf(report, report.final, report.reported),
    completes: false,
    late_result: report.lateResult,
  }));
  await tx.execute(changes(JSON.stringify(rows)));
}

/** A change to this state, with its entry in the history. */
const changeOf = (change: Transition | LateReport, state: State, shown: State) => ({
  tenant_id: change.tenantId,
  command_id: change.commandId,
  ...state,
  entry: entryOf(change, shown),
});

const entryOf = ({ source, reason }: Transition | LateReport, shown: State) => ({
  source,
  ...shown,
  reason: reason ?? null,
});

/**
 * `seenStates`: the states in the history of an ended command, used to detect repeated reports. `isCopied`: it was in a
 * restored copy of the database, so it may have been dispatched.
 */
export type Locked = {
  vendor: string;
  state: State;
  isCopied: boolean;
  hasLateResult: boolean;
  /** Its tenant moves: nothing may change it. */
  isMoving: boolean;
  progress: Step | null;
  /** How long the row has been as it is. */
  unchangedMs: number;
  seenStates: Set<string>;
};

type Key = { tenant_id: string; command_id: string };

export const commandKey = ({ tenant_id, command_id }: Key) => `${tenant_id} ${command_id}`;

type Row = Key &
  State & {
    vendor: string;
    is_copied: boolean | null;
    has_late_result: boolean;
    is_moving: boolean | null;
    progress: Step | null;
    unchanged_ms: number;
    history: State[] | null;
  };

const lock = statement(
  'transitions: lock commands',
  (keys: string) => fixedSql`
    select tenant_id, command_id, vendor, status, adapter_status, device_execution_status,
      is_copied,
      late_result is not null as has_late_result, progress,
      (extract(epoch from statement_timestamp() - updated_at) * 1000)::float8 as unchanged_ms,
      case when completed_at is not null then history end as history,
      -- The tenant of an open command does not move away yet.
      case when completed_at is not null then (
        select move ->> 'step' <> 'CLOSING' from tenants
        where tenants.tenant_id = commands.tenant_id offset 0
      ) end as is_moving
    from commands
    where (tenant_id, command_id) in (
      select tenant_id, command_id from json_to_recordset(${keys}::text::json)
        as asked (tenant_id text, command_id uuid)
    )
    order by tenant_id, command_id
    for no key update`,
);

/** Locks the commands with these keys until the transaction ends. */
export const lockCommands = (keys: readonly Key[]) => lock(JSON.stringify(keys));

/** The commands that exist, from the rows of `lockCommands`. */
export const lockedCommands = (rows: readonly object[]) =>
  new Map(
    (rows as Row[]).map((row): [string, Locked] => {
      const { tenant_id, command_id, vendor, is_copied, progress, history, ...more } = row;
      const { has_late_result: hasLateResult, is_moving, unchanged_ms: unchangedMs, ...state } = more;
      const isMoving = is_moving === true;
      const known = { vendor, state, isCopied: is_copied === true, hasLateResult, isMoving, progress, unchangedMs };
      return [commandKey({ tenant_id, command_id }), { ...known, seenStates: new Set(history?.map(stateKey)) }];
    }),
  );

export const stateKey = ({ status, adapter_status, device_execution_status }: State) =>
  `${status} ${adapter_status} ${device_execution_status}`;
