import type { CommandUpdate } from '@tenant-open-platform/contract/bus';
import type { Transaction } from '../foundation/database/database.js';
import { pipelined } from '../foundation/database/pipelined.js';
import { fixedSql, statement } from '../foundation/database/statement.js';
import { type Signals, topics } from '../foundation/signals/signals.js';
import { slotOf } from '../foundation/slots.js';
import type { Metrics } from '../foundation/telemetry/metrics.js';
import { linesOf, toLine } from './command-history.js';
import { logEvents } from './event-log.js';
import type { commands } from './tables.js';
import { isTerminal, type State } from './transitions.js';

/**
 * A change of a command. `seenAt`: only if its row has not changed since; without it, the transaction has locked the row.
 * If `after` is `before`, it is a step of the execution, which is not part of the history.
 */
export type Transition = {
  tenantId: string;
  commandId: string;
  seenAt?: string | undefined;
  vendor: string;
  before: State;
  after: State;
  source: 'PLATFORM' | 'ADAPTER' | 'DEVICE';
  reason?: { code: string; message: string } | undefined;
  progress?: Step | undefined;
  result?: Record<string, unknown> | undefined;
  /** The lines in the history of the transitions before it that the same change of the row writes. */
  earlier?: string[];
};

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
    () => storeChanges(tx, transitions),
    () => logTransitions(tx, transitions),
  );
}

/** Another transaction has changed a command since it was read. This one writes nothing. */
class Overtaken extends Error {}

/** Runs the transaction again, from its reading on, while another one changes one of its commands in between. */
export async function untilNotOvertaken<Result>(transaction: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await transaction();
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
    }
  }
}

/** Without the events: `logTransitions` must follow as the last of the transaction. */
export async function storeChanges(tx: Transaction, given: readonly (Transition | LateReport)[]): Promise<void> {
  if (given.length === 0) return;
  const rows = given.map((change) => ('final' in change ? lateRow(change) : transitionRow(change)));
  const { count } = await tx.execute(changes(JSON.stringify(rows)));
  if (count < rows.length) throw new Overtaken('A command has changed since it was read.');
}

const transitionRow = (transition: Transition) => ({
  ...changeOf(transition, transition.after),
  lines: isStatusChange(transition) ? [...(transition.earlier ?? []), lineOf(transition, transition.after)] : [],
  reason: transition.reason ?? null,
  progress: transition.progress ?? null,
  result: transition.result ?? null,
  completes: completes(transition),
});

const lateRow = (report: LateReport) => ({
  ...changeOf(report, report.final),
  lines: [lineOf(report, report.reported)],
  completes: false,
  late_result: report.lateResult,
});

const changeOf = ({ tenantId, commandId, seenAt = undefined }: Transition | LateReport, state: State) => ({
  tenant_id: tenantId,
  command_id: commandId,
  seen_at: seenAt ?? null,
  ...state,
});

const lineOf = ({ source, reason = undefined }: Transition | LateReport, shown: State) =>
  toLine({ source, ...shown, reason: reason ?? null });

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
          commands.history || coalesce((
            select string_agg(
              line || (extract(epoch from next.first - commands.accepted_at) * 1000)::bigint + place - 1 || chr(10), ''
              order by place
            )
            from json_array_elements_text(given.lines) with ordinality as told (line, place)
          ), ''),
          case
            when given.late_result is null then commands.late_result
            else json_build_object(
              'received_at', to_char(next.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
              'adapter_status', given.late_result -> 'adapter_status',
              'device_execution_status', given.late_result -> 'device_execution_status',
              'status_reason', given.late_result -> 'status_reason',
              'result', given.late_result -> 'result'
            )
          end,
          case when completes then next.at else commands.completed_at end,
          next.at
        from (
          select first, first + greatest(json_array_length(given.lines) - 1, 0) * interval '1 millisecond' as at
          from (
            select greatest(statement_timestamp(), commands.updated_at + interval '1 millisecond')::timestamptz(3) as first
          ) as begun
        ) as next
      )
    from (
      select * from json_to_recordset(${rows}::text::json) as given (
        tenant_id text, command_id uuid, seen_at timestamptz, status command_status, adapter_status adapter_status,
        device_execution_status device_execution_status, lines json, reason json, progress json, result json,
        completes boolean, late_result json
      )
      order by tenant_id, command_id
    ) as given
    where commands.tenant_id = given.tenant_id and commands.command_id = given.command_id
      and (seen_at is null or commands.updated_at = seen_at)`,
);

const isStatusChange = ({ before, after }: Transition) => after !== before;

/** Two changes of status, one after the other, as one change of the row that keeps both history entries. */
export const together = (first: Transition | undefined, next: Transition | undefined): Transition | null =>
  first && next && isStatusChange(first) && isStatusChange(next)
    ? {
        ...next,
        earlier: [...(first.earlier ?? []), lineOf(first, first.after)],
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

/**
 * `seenStates`: the states in the history of an ended command, used to detect repeated reports. `isCopied`: it was in a
 * restored copy of the database, so it may have been dispatched.
 */
export type Read = {
  vendor: string;
  /** When the row changed last. */
  seenAt: string;
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
    seen_at: string;
    is_copied: boolean | null;
    has_late_result: boolean;
    is_moving: boolean | null;
    progress: Step | null;
    unchanged_ms: number;
    history: string | null;
  };

const read = statement(
  'transitions: read commands',
  (keys: string) => fixedSql`
    select tenant_id, command_id, vendor, status, adapter_status, device_execution_status,
      updated_at::text as seen_at, is_copied,
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
    )`,
);

/** Reads the commands with these keys. No lock: `seenAt` guards what is written. */
export const readCommands = (keys: readonly Key[]) => read(JSON.stringify(keys));

const lockAccepted = statement(
  'transitions: lock accepted commands',
  (keys: string) => fixedSql`
    select from commands
    where (tenant_id, command_id) in (
      select tenant_id, command_id from json_to_recordset(${keys}::text::json)
        as asked (tenant_id text, command_id uuid)
    ) and status = 'ACCEPTED'
    order by tenant_id, command_id
    for no key update`,
);

/**
 * As `readCommands`, after the statement has ended that marks the open commands of a restored copy: an ACCEPTED one may
 * have been dispatched.
 */
export async function readMarkedCommands(tx: Transaction, keys: readonly Key[]): Promise<readonly object[]> {
  const [, rows] = await pipelined(
    () => tx.execute(lockAccepted(JSON.stringify(keys))),
    () => tx.execute(readCommands(keys)),
  );
  return rows;
}

/** The commands that exist, from the rows of `readCommands`. */
export const commandsIn = (rows: readonly object[]) =>
  new Map(
    (rows as Row[]).map((row): [string, Read] => {
      const { tenant_id, command_id, vendor, is_copied, progress, history, ...more } = row;
      const { has_late_result: hasLateResult, is_moving, unchanged_ms: unchangedMs, seen_at: seenAt, ...state } = more;
      const isMoving = is_moving === true;
      const isCopied = is_copied === true;
      const known = { vendor, seenAt, state, isCopied, hasLateResult, isMoving, progress, unchangedMs };
      return [
        commandKey({ tenant_id, command_id }),
        { ...known, seenStates: new Set(linesOf(history ?? '').map(stateKey)) },
      ];
    }),
  );

export const stateKey = ({ status, adapter_status, device_execution_status }: State) =>
  `${status} ${adapter_status} ${device_execution_status}`;
