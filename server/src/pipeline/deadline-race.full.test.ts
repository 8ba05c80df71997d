import { createTenant } from '@tenant-open-platform/testing';
import type postgres from 'postgres';
import { expect, test } from 'vitest';
import { commandToAccept } from '../../test/support/command-to-accept.js';
import { openPool } from '../../test/support/open-pool.js';
import { sweeperOfEverySlot } from '../../test/support/owned-slots.js';
import { createRedeliveringReporter } from '../../test/support/reporter.js';
import { silent } from '../../test/support/silent.js';
import type { Database } from '../foundation/database/database.js';
import { localSignals } from '../foundation/signals/signals.js';
import { createCommandAccepter } from './accept.js';
import { inProcessBus } from './bus/in-process-bus.js';
import { linesOf } from './command-history.js';
import type { Report, ReportOutcome } from './reports.js';

const COMMANDS = 2_000;
/** How many commands share a deadline. */
const GROUP = 20;
/** On a slow machine only these are in time. */
const EARLY = 5;
const BETWEEN_GROUPS_MS = 40;
/** The simulated fleet does not answer for it. */
const SILENT = 'offline-1';

/** Two nodes, with their separate resources. */
const nodes = [0, 1].map(() => openPool());
const tenant = await createTenant();

const database = () => nodes[0] as Database;

const asSystem = <Result>(work: (tx: postgres.TransactionSql) => Promise<Result>) =>
  database().sql.begin(async (tx) => {
    await tx`set local role top_system`;
    return work(tx);
  });

/** Dispatched commands. */
async function dispatchedCommands(count: number): Promise<string[]> {
  const accept = createCommandAccepter(database());
  const caller = { tenantId: tenant.tenant_id, clientId: tenant.operator.client_id };
  const accepted = await Promise.all(
    Array.from({ length: count }, () => accept({ caller, command: commandToAccept({ device_id: SILENT }) })),
  );
  const ids = accepted.flatMap((acceptance) => (acceptance.outcome === 'ACCEPTED' ? [acceptance.command_id] : []));
  expect(ids).toHaveLength(count);
  const underWay = () =>
    asSystem(async (tx) => {
      const [row] = await tx`select count(*)::int as count from commands
        where tenant_id = ${tenant.tenant_id} and status = 'ACCEPTED'`;
      return row?.count;
    });
  await expect.poll(underWay, { timeout: 60_000, interval: 200 }).toBe(0);
  return ids;
}

/**
 * Sets a different deadline for each group of commands, and returns the deadlines as Unix milliseconds. No role of the
 * platform may change a deadline: the owner of the table grants the right for this one transaction.
 */
async function setDeadlines(groups: string[][]): Promise<number[]> {
  const given = groups.flatMap((ids, group) =>
    ids.map((command_id) => ({ command_id, after_ms: 1_000 + group * BETWEEN_GROUPS_MS })),
  );
  const rows = await database().sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(1)`;
    await tx`grant update (deadline_at) on commands to top_system`;
    await tx`set local role top_system`;
    const updated = await tx<{ deadline: string }[]>`
      update commands set deadline_at = statement_timestamp() + make_interval(secs => after_ms / 1000.0)
      from json_to_recordset(${JSON.stringify(given)}::text::json) as given (command_id uuid, after_ms int)
      where tenant_id = ${tenant.tenant_id} and commands.command_id = given.command_id
      returning extract(epoch from deadline_at) * 1000 as deadline`;
    await tx`reset role`;
    await tx`revoke update (deadline_at) on commands from top_system`;
    return updated;
  });
  return [...new Set(rows.map(({ deadline }) => Number(deadline)))].sort((a, b) => a - b);
}

/** When a command of a group is reported, in milliseconds after the deadline: most within 5 ms around it. */
const reportedAfter = (position: number) =>
  position < EARLY ? -400 / 2 ** position : -5 + ((position - EARLY) * 10) / (GROUP - EARLY - 1);

const now = () => performance.timeOrigin + performance.now();

/** A timer is too coarse for a race of milliseconds: the rest is spent in turns of the event loop. */
async function until(instant: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, instant - now() - 10));
  while (now() < instant) await new Promise((resolve) => setImmediate(resolve));
}

/** Returns how many of the results were in time. */
async function race(): Promise<number> {
  const ids = await dispatchedCommands(COMMANDS);
  const groups = Array.from({ length: COMMANDS / GROUP }, (_, group) => ids.slice(group * GROUP, (group + 1) * GROUP));
  const reporters = nodes.map((node) => createRedeliveringReporter(node, localSignals(), silent().metrics));
  const outcomes = new Map<string, ReportOutcome | undefined>();
  const deadlines = await setDeadlines(groups);

  let isOver = false;
  const sweeping = Promise.all(
    nodes.map(async (node) => {
      const sweep = sweeperOfEverySlot({
        ...silent(),
        database: node,
        signals: localSignals(),
        bus: inProcessBus(),
        intervalMs: 0,
      });
      while (!isOver) await sweep();
    }),
  );
  const reporting = groups.flatMap((group, index) =>
    group.map(async (commandId, position) => {
      await until((deadlines[index] as number) + reportedAfter(position));
      const report: Report = {
        tenantId: tenant.tenant_id,
        vendor: 'vendor_a',
        sentAt: new Date(),
        update: { command_id: commandId, device_execution_status: 'SUCCEEDED', result: { position } },
      };
      outcomes.set(commandId, await reporters[position % reporters.length]?.(report));
    }),
  );
  await Promise.all(reporting);
  // A report sets the final status of every command that the deadline has not ended.
  isOver = true;
  await sweeping;

  const rows = await asSystem(
    (tx) => tx`
      select command_id, status, adapter_status, device_execution_status, result, late_result,
        (select count(*)::int from events where events.tenant_id = commands.tenant_id
          and events.command_id = commands.command_id and event_type = 'command.completed') as completed_events,
        history
      from commands where tenant_id = ${tenant.tenant_id} and command_id in ${tx(ids)}`,
  );
  expect(rows).toHaveLength(COMMANDS);
  const isInTime = ({ status }: postgres.Row) => status === 'SUCCEEDED';
  for (const row of rows) {
    const { command_id, history, ...end } = row;
    expect({ ...end, history: linesOf(history).map(({ status }) => status) }).toEqual({
      ...(isInTime(row) ? succeeded : timedOut),
      completed_events: 1,
    });
    expect(outcomes.get(command_id)).toBe(isInTime(row) ? 'CHANGED' : 'LATE');
  }
  return rows.filter(isInTime).length;
}

test('2,000 results around the deadline, most within 5 ms, and two sweepers: each command has one end and one event', {
  timeout: 300_000,
}, async () => {
  // A race is real if each side won some. A machine that stalls decides it alone.
  const isReal = (inTime: number) => inTime > COMMANDS / 100 && inTime < COMMANDS - COMMANDS / 100;
  while (!isReal(await race()));
});

const result = { position: expect.any(Number) };

const succeeded = {
  status: 'SUCCEEDED',
  adapter_status: 'DELIVERED',
  device_execution_status: 'SUCCEEDED',
  result,
  late_result: null,
  history: ['SUCCEEDED'],
};

/** The late result is kept separately and changes nothing. */
const timedOut = {
  status: 'TIMED_OUT',
  adapter_status: 'TIMED_OUT',
  device_execution_status: 'UNKNOWN',
  result: null,
  late_result: {
    received_at: expect.any(String),
    adapter_status: null,
    device_execution_status: 'SUCCEEDED',
    status_reason: null,
    result,
  },
  history: ['TIMED_OUT', 'TIMED_OUT'],
};
