import type { CommandUpdate } from '@tenant-open-platform/contract/bus';
import { sql } from 'drizzle-orm';
import { batched } from '../../platform/database/batch.js';
import type { Database, Transaction } from '../../platform/database/database.js';
import { inSystem } from '../../platform/database/roles.js';
import { type Signals, topics } from '../../platform/signals/signals.js';
import { keepLateReports, moveCommands } from './move-commands.js';
import { isTerminal, report, type State } from './transitions.js';

/** What an adapter says of a command of the tenant in the subject, for devices of the vendor in the subject. */
export type Report = { tenantId: string; vendor: string; update: CommandUpdate };

/**
 * CHANGED and LATE are written. REPEATED changes nothing. UNKNOWN: the tenant has no such command for this vendor.
 * TOO_EARLY: the command was not handed out yet, so nobody can know of it.
 */
export type ReportOutcome = 'CHANGED' | 'LATE' | 'REPEATED' | 'UNKNOWN' | 'TOO_EARLY';

/**
 * Whoever reports without end must not fill the history; two entries are the command's own, and the last is kept for
 * the first late result.
 */
const MAX_ENTRIES = 98;

/** Applies what adapters report, all that wait at the same time in one transaction that locks their commands. */
export const commandReporter = (database: Database, signals: Signals) =>
  batched<Report, ReportOutcome>(keyOf, async (reports) => {
    const outcomes: ReportOutcome[] = await inSystem(database, async (tx) => {
      const commands = await lockCommands(tx, reports);
      const outcomes = new Array<ReportOutcome>(reports.length);
      for (const wave of inWaves(reports)) {
        const applied = wave.map((index) =>
          apply(commands.get(keyOf(reports[index] as Report)), reports[index] as Report),
        );
        for (const [position, index] of wave.entries()) outcomes[index] = applied[position]?.outcome ?? 'UNKNOWN';
        await moveCommands(
          tx,
          applied.flatMap(({ move }) => move ?? []),
        );
        await keepLateReports(
          tx,
          applied.flatMap(({ late }) => late ?? []),
        );
      }
      return outcomes;
    });
    const written = reports.filter((_report, index) => ['CHANGED', 'LATE'].includes(outcomes[index] as string));
    signals.send([
      topics.outbox,
      ...written.flatMap(({ tenantId, update }) => [
        topics.command(tenantId, update.command_id),
        topics.events(tenantId),
      ]),
    ]);
    return outcomes;
  });

const keyOf = ({ tenantId, update }: Report) => `${tenantId} ${update.command_id}`;

/** A statement changes a row once: a second report of the same command waits for the next wave. */
function inWaves(reports: readonly Report[]): number[][] {
  const waves: number[][] = [];
  const seen = new Map<string, number>();
  for (const [index, report] of reports.entries()) {
    const wave = seen.get(keyOf(report)) ?? 0;
    seen.set(keyOf(report), wave + 1);
    waves[wave] = [...(waves[wave] ?? []), index];
  }
  return waves;
}

type Locked = { vendor: string; state: State; hasLateResult: boolean; entries: number };

type Row = {
  tenant_id: string;
  command_id: string;
  vendor: string;
  status: State['status'];
  adapter_status: State['adapterStatus'];
  device_execution_status: State['deviceExecutionStatus'];
  has_late_result: boolean;
  entries: number;
};

async function lockCommands(tx: Transaction, reports: readonly Report[]): Promise<Map<string, Locked>> {
  const asked = reports.map(({ tenantId, update }) => ({ tenant_id: tenantId, command_id: update.command_id }));
  const rows = (await tx.execute(sql`
    select tenant_id, command_id, vendor, status, adapter_status, device_execution_status,
      late_result is not null as has_late_result,
      (select count(*)::int from command_history
        where command_history.tenant_id = commands.tenant_id
          and command_history.command_id = commands.command_id) as entries
    from commands
    where (tenant_id, command_id) in (
      select tenant_id, command_id from json_to_recordset(${JSON.stringify(asked)}::text::json)
        as asked (tenant_id text, command_id uuid)
    )
    order by tenant_id, command_id
    for no key update`)) as unknown as Row[];
  return new Map(
    rows.map((row) => [
      `${row.tenant_id} ${row.command_id}`,
      {
        vendor: row.vendor,
        state: {
          status: row.status,
          adapterStatus: row.adapter_status,
          deviceExecutionStatus: row.device_execution_status,
        },
        hasLateResult: row.has_late_result,
        entries: row.entries,
      },
    ]),
  );
}

/** Decides on one report, and brings what is known of the command up to date for the next. */
function apply(command: Locked | undefined, { tenantId, vendor, update }: Report) {
  if (!command || command.vendor !== vendor) return { outcome: 'UNKNOWN' as const };
  const { state } = command;
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
    command.entries++;
    return { outcome: 'CHANGED' as const, move: { ...entry, before: state, after, result: update.result } };
  }
  if (Object.entries(said).every(([name, word]) => state[name as keyof State] === word)) {
    return { outcome: 'REPEATED' as const };
  }
  const lateResult = command.hasLateResult || !isResult(update) ? null : lateResultOf(update);
  if (command.entries >= MAX_ENTRIES - (lateResult ? 0 : 1)) return { outcome: 'REPEATED' as const };
  command.hasLateResult ||= lateResult !== null;
  command.entries++;
  return { outcome: 'LATE' as const, late: { ...entry, final: state, said, lateResult } };
}

const saidBy = ({ adapter_status, device_execution_status }: CommandUpdate) => ({
  ...(adapter_status && { adapterStatus: adapter_status }),
  ...(device_execution_status && { deviceExecutionStatus: device_execution_status }),
});

/** IN_PROGRESS and DELIVERED are no result. */
const isResult = ({ adapter_status, device_execution_status }: CommandUpdate) =>
  (device_execution_status !== undefined && device_execution_status !== 'IN_PROGRESS') ||
  (adapter_status !== undefined && adapter_status !== 'DELIVERED');

const lateResultOf = ({ adapter_status, device_execution_status, status_reason, result }: CommandUpdate) => ({
  received_at: new Date().toISOString(),
  adapter_status: adapter_status ?? null,
  device_execution_status: device_execution_status ?? null,
  status_reason: status_reason ?? null,
  result: result ?? null,
});
