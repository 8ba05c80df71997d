import { type CommandUpdate, MAX_OBJECT_BYTES } from '@tenant-open-platform/contract/bus';
import { batched } from '../foundation/database/batched.js';
import type { Database, Transaction } from '../foundation/database/database.js';
import { asAllTenants } from '../foundation/database/row-level-security.js';
import type { Signals } from '../foundation/signals/signals.js';
import type { Metrics } from '../foundation/telemetry/metrics.js';
import type { Handled, MessageSource } from './bus/take-message.js';
import {
  announceMoves,
  commandKey,
  keepLateReports,
  type LateReport,
  type Locked,
  lockCommands,
  lockedCommands,
  type Move,
  moveCommands,
  stateKey,
} from './moves.js';
import { dispatch, isOutdated, isTerminal, report } from './transitions.js';

/** A report of an adapter. Tenant and vendor come from its subject. */
export type Report = { tenantId: string; vendor: string; update: CommandUpdate };

/**
 * CHANGED and LATE are written. REPEATED changes nothing: it was said before, or is progress of a command whose result is known. UNKNOWN: the tenant has no such command for this vendor.
 * TOO_EARLY: the command is not dispatched yet, so no adapter can know it.
 */
export type ReportOutcome = 'CHANGED' | 'LATE' | 'REPEATED' | 'UNKNOWN' | 'TOO_EARLY';

/** Applies reports of adapters. All waiting reports share one transaction, which locks their commands. */
export const createCommandReporter = (database: Database, signals: Signals, metrics: Metrics) =>
  batched<Report, ReportOutcome>(reportKey, async (reports) => {
    const outcomes = new Array<ReportOutcome>(reports.length);
    const moves: Move[] = [];
    const lateReports: LateReport[] = [];
    const applyAll = async (tx: Transaction, rows: readonly object[]) => {
      const commands = lockedCommands(rows);
      for (const wave of oneReportPerCommand(reports)) {
        const applied = wave.map((index) =>
          apply(commands.get(reportKey(reports[index] as Report)), reports[index] as Report),
        );
        for (const [position, index] of wave.entries()) outcomes[index] = applied[position]?.outcome ?? 'UNKNOWN';
        const movesOfWave = applied.flatMap(({ move }) => move ?? []);
        const lateOfWave = applied.flatMap(({ late }) => late ?? []);
        await moveCommands(tx, movesOfWave);
        await keepLateReports(tx, lateOfWave);
        moves.push(...movesOfWave);
        lateReports.push(...lateOfWave);
      }
    };
    await asAllTenants(database, applyAll, lockCommands(reports.map(toKey)));
    announceMoves({ signals, metrics }, moves, lateReports);
    return outcomes;
  });

const toKey = ({ tenantId, update }: Report) => ({ tenant_id: tenantId, command_id: update.command_id });
const reportKey = (report: Report) => commandKey(toKey(report));

/** A statement can change a row only once, so a second report on the same command waits for the next round. */
function oneReportPerCommand(reports: readonly Report[]): number[][] {
  const waves: number[][] = [];
  const seen = new Map<string, number>();
  for (const [index, report] of reports.entries()) {
    const wave = seen.get(reportKey(report)) ?? 0;
    seen.set(reportKey(report), wave + 1);
    waves[wave] = [...(waves[wave] ?? []), index];
  }
  return waves;
}

/** Decides on one report, and updates the known state of the command for the next report. */
function apply(command: Locked | undefined, { tenantId, vendor, update }: Report) {
  if (!command || command.vendor !== vendor) return { outcome: 'UNKNOWN' as const };
  const before = command.state;
  const state = (command.isCopied && dispatch(before)) || before;
  if (state.status === 'ACCEPTED') return { outcome: 'TOO_EARLY' as const };
  const said = saidBy(update);
  const entry = {
    tenantId,
    commandId: update.command_id,
    source: update.device_execution_status ? ('DEVICE' as const) : ('ADAPTER' as const),
    reason: update.status_reason,
  };
  if (!isTerminal(state)) {
    const after = report(state, said);
    if (!after) return { outcome: 'REPEATED' as const };
    command.state = after;
    command.seenStates.add(stateKey(after));
    return { outcome: 'CHANGED' as const, move: { ...entry, vendor, before, after, result: update.result } };
  }
  if (isOutdated(state, said)) return { outcome: 'REPEATED' as const };
  // A late report is kept once, however often it is repeated: the history stays bounded.
  const reported = stateKey({ ...state, ...said });
  if (command.seenStates.has(reported)) return { outcome: 'REPEATED' as const };
  command.seenStates.add(reported);
  const lateResult = command.hasLateResult || !isResult(update) ? null : lateResultOf(update);
  command.hasLateResult ||= lateResult !== null;
  return { outcome: 'LATE' as const, late: { ...entry, final: state, said, lateResult } };
}

const saidBy = ({ adapter_status, device_execution_status }: CommandUpdate) => ({
  ...(adapter_status && { adapterStatus: adapter_status }),
  ...(device_execution_status && { deviceExecutionStatus: device_execution_status }),
});

/** IN_PROGRESS and DELIVERED are not results. */
const isResult = ({ adapter_status, device_execution_status }: CommandUpdate) =>
  (device_execution_status !== undefined && device_execution_status !== 'IN_PROGRESS') ||
  (adapter_status !== undefined && adapter_status !== 'DELIVERED');

const lateResultOf = ({ adapter_status, device_execution_status, status_reason, result }: CommandUpdate) => ({
  adapter_status: adapter_status ?? null,
  device_execution_status: device_execution_status ?? null,
  status_reason: status_reason ?? null,
  result: result ?? null,
});

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
    return parkingReasons[outcome] ?? (outcome === 'CHANGED' ? 'ADVANCED' : 'DONE');
  };
