import type { CommandUpdate } from '@tenant-open-platform/contract/bus';
import { batched } from '../foundation/database/batched.js';
import type { Database, Transaction } from '../foundation/database/database.js';
import { pipelined } from '../foundation/database/pipelined.js';
import { asAllTenantsImpatiently } from '../foundation/database/row-level-security.js';
import type { Signals } from '../foundation/signals/signals.js';
import { slotOf, slotsOf } from '../foundation/slots.js';
import type { Metrics } from '../foundation/telemetry/metrics.js';
import type { ParkingReason } from './bus/parked-messages.js';
import { done, type Handled, type MessageSource, parked, retriedIn } from './bus/take-message.js';
import { createPatience } from './slots/patience.js';
import { dispatch, isOutdated, isTerminal, report } from './transitions.js';
import {
  announceTransitions,
  commandKey,
  commandsIn,
  type LateReport,
  logTransitions,
  type Read,
  readCommands,
  readMarkedCommands,
  type Step,
  stateKey,
  storeChanges,
  type Transition,
  together,
  untilNotOvertaken,
} from './write-transitions.js';

/** A report of an adapter. Tenant and vendor come from its subject; `sentAt` is when the bus stored it. */
export type Report = { tenantId: string; vendor: string; sentAt: Date; update: CommandUpdate };

/**
 * CHANGED and LATE are written. REPEATED changes nothing: it was said before, or is progress of a command whose result is
 * known. UNKNOWN: the tenant has no such command for this vendor.
 * TOO_EARLY: the command is not dispatched yet, so no adapter can know it.
 * PROGRESSED: a step is written. TOO_SOON: the row has changed within the last second, so the step has to wait.
 * MOVING: the tenant moves, so the late report has to wait. BUSY: another transaction holds the log of its slot.
 */
export type ReportOutcome =
  | 'CHANGED'
  | 'PROGRESSED'
  | 'TOO_SOON'
  | 'MOVING'
  | 'BUSY'
  | 'LATE'
  | 'REPEATED'
  | 'UNKNOWN'
  | 'TOO_EARLY';

/** A device may report each percent: a row is written again for its steps at most so often. */
const BETWEEN_STEPS_MS = 1_000;

/** Applies reports of adapters. All waiting reports share one transaction. Those of a busy slot wait on the bus. */
export function createCommandReporter(database: Database, signals: Signals, metrics: Metrics) {
  const patience = createPatience();

  async function applyTogether(reports: readonly Report[]): Promise<Applied[]> {
    const keys = reports.map(toKey);
    const applyAll = async (tx: Transaction, rows: readonly object[]) => {
      let commands = commandsIn(rows);
      if ([...commands.values()].some(isNotDispatched)) commands = commandsIn(await readMarkedCommands(tx, keys));
      const last = withLastStep(reports);
      const applied = reports.map((report) => apply(commands.get(reportKey(report)), report, last.has(report)));
      const changes = oneChangePerCommand(applied).map((wave) => () => storeChanges(tx, changesIn(wave)));
      await pipelined(...changes, () => logTransitions(tx, transitionsIn(applied)));
      return applied;
    };
    const applied = await untilNotOvertaken(() => asAllTenantsImpatiently(database, applyAll, readCommands(keys)));
    announceTransitions({ signals, metrics }, transitionsIn(applied), lateIn(applied));
    return applied;
  }

  return batched(reportKey, async (reports: readonly Report[]): Promise<ReportOutcome[]> => {
    const outcomes = new Map<Report, ReportOutcome>();
    await patience.each(slotsOf(reports.map(toKey)), async (slots) => {
      const some = reports.filter(({ tenantId }) => slots.includes(slotOf(tenantId)));
      for (const [index, { outcome }] of (await applyTogether(some)).entries()) {
        const given = some[index];
        if (given) outcomes.set(given, outcome);
      }
    });
    return reports.map((given) => outcomes.get(given) ?? 'BUSY');
  });
}

type Applied = { outcome: ReportOutcome; transition?: Transition; late?: LateReport };

const transitionsIn = (applied: readonly Applied[]) => applied.flatMap(({ transition }) => transition ?? []);
const lateIn = (applied: readonly Applied[]) => applied.flatMap(({ late }) => late ?? []);
const changesIn = (applied: readonly Applied[]) => applied.flatMap(({ transition, late }) => transition ?? late ?? []);

const isNotDispatched = ({ state, isCopied }: Read) => state.status === 'ACCEPTED' && !isCopied;

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
    const change = one.transition ?? one.late;
    if (!change) continue;
    const key = commandKey({ tenant_id: change.tenantId, command_id: change.commandId });
    const known = last.get(key);
    const transition = together(known?.one.transition, one.transition);
    if (known && transition) {
      known.one.transition = transition;
      continue;
    }
    // The wave before has locked the row.
    const added = known ? { wave: known.wave + 1, one: unguarded(one) } : { wave: 0, one: { ...one } };
    last.set(key, added);
    waves[added.wave] = [...(waves[added.wave] ?? []), added.one];
  }
  return waves;
}

const unguarded = ({ transition, late, ...one }: Applied): Applied => ({
  ...one,
  ...(transition && { transition: { ...transition, seenAt: undefined } }),
  ...(late && { late: { ...late, seenAt: undefined } }),
});

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
function apply(command: Read | undefined, given: Report, hasLastStep: boolean): Applied {
  const { tenantId, vendor, update } = given;
  if (!command || command.vendor !== vendor) return { outcome: 'UNKNOWN' };
  const before = command.state;
  const state = (command.isCopied && dispatch(before)) || before;
  if (state.status === 'ACCEPTED') return { outcome: 'TOO_EARLY' };
  const { command_id: commandId, status_reason: reason, progress: _, result, occurred_at: __, ...said } = update;
  const source = said.device_execution_status ? ('DEVICE' as const) : ('ADAPTER' as const);
  const entry = { tenantId, commandId, seenAt: command.seenAt, source, reason };
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
    const transition = { ...entry, vendor, before, after: after ?? before, progress };
    if (!after) return { outcome: 'PROGRESSED', transition };
    command.state = after;
    command.seenStates.add(stateKey(after));
    return { outcome: 'CHANGED', transition: { ...transition, result } };
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

const handledAs: Record<ReportOutcome, Handled> = {
  CHANGED: { as: 'DONE', movedCommand: true },
  PROGRESSED: done,
  LATE: done,
  REPEATED: done,
  TOO_SOON: retriedIn(BETWEEN_STEPS_MS),
  MOVING: retriedIn(BETWEEN_STEPS_MS),
  BUSY: retriedIn(BETWEEN_STEPS_MS),
  UNKNOWN: parked('The tenant of the subject has no such command for this vendor.'),
  TOO_EARLY: parked('The command is not dispatched yet.'),
};

export const takeCommandUpdate =
  (report: (report: Report) => Promise<ReportOutcome>, metrics: Metrics) =>
  async (update: CommandUpdate, sender: MessageSource, leftOut?: ParkingReason): Promise<Handled> => {
    const outcome = await report({ ...sender, update });
    metrics.countReport(outcome);
    const handled = handledAs[outcome];
    return handled.as === 'DONE' && leftOut ? { ...handled, leftOut, isRepeated: outcome === 'REPEATED' } : handled;
  };
