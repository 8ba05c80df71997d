import { type CommandUpdate, MAX_OBJECT_BYTES } from '@tenant-open-platform/contract/bus';
import { batched } from '../foundation/database/batched.js';
import type { Database, Transaction } from '../foundation/database/database.js';
import { asAllTenantsImpatiently } from '../foundation/database/row-level-security.js';
import type { Signals } from '../foundation/signals/signals.js';
import { allSlots, slotOf } from '../foundation/slots.js';
import type { Metrics } from '../foundation/telemetry/metrics.js';
import type { Handled, MessageSource } from './bus/take-message.js';
import { createBusySlots } from './busy-slots.js';
import {
  announceMoves,
  commandKey,
  keepLateReports,
  type LateReport,
  type Locked,
  lockCommands,
  lockedCommands,
  logMoves,
  type Move,
  type Step,
  stateKey,
  together,
  writeMoves,
} from './moves.js';
import { dispatch, isOutdated, isTerminal, report } from './transitions.js';

/** A report of an adapter. Tenant and vendor come from its subject; `sentAt` is when the bus stored it. */
export type Report = { tenantId: string; vendor: string; sentAt: Date; update: CommandUpdate };

/**
 * CHANGED and LATE are written. REPEATED changes nothing: it was said before, or is progress of a command whose result is
 * known. UNKNOWN: the tenant has no such command for this vendor.
 * TOO_EARLY: the command is not dispatched yet, so no adapter can know it.
 * PROGRESSED: a step is written. TOO_SOON: the row has changed within the last second, so the step has to wait.
 * MOVING: the tenant moves, so the late report has to wait.
 */
export type ReportOutcome =
  | 'CHANGED'
  | 'PROGRESSED'
  | 'TOO_SOON'
  | 'MOVING'
  | 'LATE'
  | 'REPEATED'
  | 'UNKNOWN'
  | 'TOO_EARLY';

/** Each waits a second for a busy slot. Then the bus sends the report again. */
const MAX_ATTEMPTS = 10;

/** A device may report each percent: a row is written again for its steps at most so often. */
const BETWEEN_STEPS_MS = 1_000;

/**
 * Applies reports of adapters. All waiting reports share one transaction, which locks their commands. Those of a busy
 * slot have transactions of their own, and wait for it alone.
 */
export function createCommandReporter(database: Database, signals: Signals, metrics: Metrics) {
  const busy = createBusySlots(database);

  async function applyTogether(reports: readonly Report[]): Promise<ReportOutcome[]> {
    const applyAll = async (tx: Transaction, rows: readonly object[]) => {
      const commands = lockedCommands(rows);
      const last = withLastStep(reports);
      const applied = reports.map((report) => apply(commands.get(reportKey(report)), report, last.has(report)));
      const changes = oneChangePerCommand(applied).flatMap((wave) => [
        writeMoves(tx, movesIn(wave)),
        keepLateReports(tx, lateIn(wave)),
      ]);
      await Promise.all([...changes, logMoves(tx, movesIn(applied))]);
      return applied;
    };
    const applied = await asAllTenantsImpatiently(database, applyAll, lockCommands(reports.map(toKey)));
    announceMoves({ signals, metrics }, movesIn(applied), lateIn(applied));
    return applied.map(({ outcome }) => outcome);
  }

  const ofAllSlots = batched(reportKey, applyTogether);
  const ofOneSlot = allSlots.map(() => batched(reportKey, applyTogether));

  return async function report(given: Report): Promise<ReportOutcome> {
    for (let attempt = 1; ; attempt++) {
      const slot = slotOf(given.tenantId);
      const apply = (busy.current().has(slot) && ofOneSlot[slot]) || ofAllSlots;
      try {
        return await apply(given);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !(await busy.caused(error))) throw error;
      }
    }
  };
}

type Applied = { outcome: ReportOutcome; move?: Move; late?: LateReport };

const movesIn = (applied: readonly Applied[]) => applied.flatMap(({ move }) => move ?? []);
const lateIn = (applied: readonly Applied[]) => applied.flatMap(({ late }) => late ?? []);

const toKey = ({ tenantId, update }: Report) => ({ tenant_id: tenantId, command_id: update.command_id });
const reportKey = (report: Report) => commandKey(toKey(report));

/**
 * A statement can change a row only once. Changes of status, one after the other, become one. Any other second change of
 * a command waits for the next round.
 */
function oneChangePerCommand(applied: readonly Applied[]): Applied[][] {
  const waves: Applied[][] = [];
  const last = new Map<string, { wave: number; one: Applied }>();
  for (const one of applied) {
    const change = one.move ?? one.late;
    if (!change) continue;
    const key = commandKey({ tenant_id: change.tenantId, command_id: change.commandId });
    const known = last.get(key);
    const move = together(known?.one.move, one.move);
    if (known && move) {
      known.one.move = move;
      continue;
    }
    const added = { wave: known ? known.wave + 1 : 0, one: { ...one } };
    last.set(key, added);
    waves[added.wave] = [...(waves[added.wave] ?? []), added.one];
  }
  return waves;
}

/**
 * Of the reports with a step, the last one of each command. The others are of no use: a device that reports a hundred
 * steps at once would have a hundred of them come back each second.
 */
function withLastStep(reports: readonly Report[]): Set<Report> {
  const last = new Map<string, Report>();
  for (const report of reports) {
    const step = stepOf(report);
    if (!step) continue;
    const key = `${reportKey(report)} ${report.vendor}`;
    const other = last.get(key);
    if (!other || isLater(step, stepOf(other))) last.set(key, report);
  }
  return new Set(last.values());
}

const stepOf = ({ update: { progress }, sentAt }: Report): Step | undefined =>
  progress && { ...progress, reported_at: sentAt.toISOString() };

/** By the time of the bus, which does not keep the order of two updates. */
const isLater = (step: Step, known: Step | null | undefined) =>
  !known || step.reported_at > known.reported_at || (step.reported_at === known.reported_at && step.step > known.step);

/** Decides on one report, and updates the known state of the command for the next report. */
function apply(command: Locked | undefined, given: Report, hasLastStep: boolean): Applied {
  const { tenantId, vendor, update } = given;
  if (!command || command.vendor !== vendor) return { outcome: 'UNKNOWN' };
  const before = command.state;
  const state = (command.isCopied && dispatch(before)) || before;
  if (state.status === 'ACCEPTED') return { outcome: 'TOO_EARLY' };
  const { command_id: commandId, status_reason: reason, progress: _, result, occurred_at: __, ...said } = update;
  const source = said.device_execution_status ? ('DEVICE' as const) : ('ADAPTER' as const);
  const entry = { tenantId, commandId, source, reason };
  if (!isTerminal(state)) {
    const step = hasLastStep ? stepOf(given) : undefined;
    const progress = step && isLater(step, command.progress) ? step : undefined;
    const after = report(state, said);
    if (!after && !progress) return { outcome: 'REPEATED' };
    // It is negative after a failover to a clock that is behind.
    const isTooSoon = command.unchangedMs >= 0 && command.unchangedMs < BETWEEN_STEPS_MS;
    if (!after && isTooSoon) return { outcome: 'TOO_SOON' };
    command.progress = progress ?? command.progress;
    command.unchangedMs = 0;
    const move = { ...entry, vendor, before, after: after ?? before, progress };
    if (!after) return { outcome: 'PROGRESSED', move };
    command.state = after;
    command.seenStates.add(stateKey(after));
    return { outcome: 'CHANGED', move: { ...move, result } };
  }
  if (command.isMoving) return { outcome: 'MOVING' };
  if (isOutdated(state, said)) return { outcome: 'REPEATED' };
  // A late report is kept once, however often it is repeated: the history stays bounded.
  const reported = { ...state, ...said };
  if (command.seenStates.has(stateKey(reported))) return { outcome: 'REPEATED' };
  command.seenStates.add(stateKey(reported));
  const lateResult = command.hasLateResult || !isResult(update) ? null : update;
  command.hasLateResult ||= lateResult !== null;
  return { outcome: 'LATE', late: { ...entry, final: state, reported, lateResult } };
}

/** IN_PROGRESS and DELIVERED are not results. */
const isResult = ({ adapter_status, device_execution_status }: CommandUpdate) =>
  (device_execution_status !== undefined && device_execution_status !== 'IN_PROGRESS') ||
  (adapter_status !== undefined && adapter_status !== 'DELIVERED');

const parkingReasons: Partial<Record<ReportOutcome, string>> = {
  UNKNOWN: 'The tenant of the subject has no such command for this vendor.',
  TOO_EARLY: 'The command is not dispatched yet.',
};

export const takeCommandUpdate =
  (report: (report: Report) => Promise<ReportOutcome>, metrics: Metrics) =>
  async (update: CommandUpdate, sender: MessageSource): Promise<Handled> => {
    if (update.result !== undefined && Buffer.byteLength(JSON.stringify(update.result)) > MAX_OBJECT_BYTES) {
      return `The result is larger than ${MAX_OBJECT_BYTES} bytes.`;
    }
    const outcome = await report({ ...sender, update });
    metrics.countReport(outcome);
    if (outcome === 'TOO_SOON' || outcome === 'MOVING') return { retryInMs: BETWEEN_STEPS_MS };
    return parkingReasons[outcome] ?? (outcome === 'CHANGED' ? 'ADVANCED' : 'DONE');
  };
