import { CommandUpdate, DeviceRequestMessage } from '@tenant-open-platform/contract/bus';
import type { z } from 'zod';
import type { Config } from './config.js';
import { lastKnown } from './foundation/concurrency/shared-reads.js';
import type { Database } from './foundation/database/database.js';
import { type Purge, purgeByAge } from './foundation/database/purge-by-age.js';
import { openSteadyClock } from './foundation/database/steady-clock.js';
import { analyzeGrownTables } from './foundation/database/vacuum-and-analyze.js';
import { type Looping, startLoop, topics } from './foundation/signals/signals.js';
import { allSlots } from './foundation/slots.js';
import type { Metrics } from './foundation/telemetry/metrics.js';
import { purgeNonces } from './gateway/auth/admission.js';
import { auditEvents, idempotentAnswers } from './gateway/tables.js';
import { storeCommandReads } from './pipeline/adapter-reads.js';
import type { Bus } from './pipeline/bus/bus.js';
import { purgeParkedMessages } from './pipeline/bus/parked-messages.js';
import { createMessageTaker, createPacer, type Handled, type MessageSource } from './pipeline/bus/take-message.js';
import { createDeviceRequestReceiver, sweepDeviceRequests, takeDeviceRequest } from './pipeline/device-requests.js';
import { readEvents } from './pipeline/event-log.js';
import { compareWithBus } from './pipeline/events.js';
import { rollUpFigures } from './pipeline/figures.js';
import { createDispatch } from './pipeline/outbox/dispatch.js';
import { startRelay } from './pipeline/outbox/relay.js';
import { purgeCommands, purgeDeviceRequests } from './pipeline/purge-facts.js';
import { createCommandReporter, takeCommandUpdate } from './pipeline/reports.js';
import { createCommandSweeper, mayHaveOpenCommands, type Overdue } from './pipeline/sweeper.js';
import { objectGrants } from './resources/tables.js';
import { createTenantPurge } from './resources/tenants/purge-tenants.js';

type Options = Looping & { database: Database; bus: Bus; metrics: Metrics; config: Config };

/** Above this share of TOP_UPDATES, messages of a tenant with many waiting are refused, so that others find room. */
const NEARLY_FULL = 3 / 4;

/** A sweep starts at most this long after a deadline. */
const SWEEP_INTERVAL_MS = 500;
/** For commands that became due while no process swept. */
const SWEEP_OLD_INTERVAL_MS = 60_000;

/** The table of nonces fills all the time. In every other table rows of only one more day expire each day. */
const PURGE_NONCES_INTERVAL_MS = 5_000;
const PURGE_INTERVAL_MS = 60_000;
/** How soon the deletion of a tenant goes on once another node has stopped. */
const PURGE_TENANTS_INTERVAL_MS = 2_000;

/** A table can grow by some 10,000 rows in this time. */
const ANALYZE_INTERVAL_MS = 5_000;
/** How long a loop rests that has nothing to do and that a signal wakes, in case the signal gets lost. */
const IDLE_MS = 60_000;
/** How soon a new adapter shows in the catalog. */
const READS_INTERVAL_MS = 10_000;

/** Starts all work that no request causes. */
export async function startBackground(options: Options): Promise<{ stop(): Promise<void> }> {
  const { database, bus, signals, logger, metrics, watchdog, config } = options;
  const looping = { logger, signals, watchdog };
  const sweeping = { ...looping, isVital: true };
  const { now } = await openSteadyClock(database);
  const report = createCommandReporter(database, signals, metrics);
  const fullness = lastKnown(() => bus.fullness('TOP_UPDATES'), { unknown: 0, everyMs: 1_000, validMs: 15_000 });
  const pacing = { ...options, pacer: createPacer(), isNearlyFull: () => fullness.value() > NEARLY_FULL };
  const receive = createDeviceRequestReceiver(database, signals);
  const consume = <Schema extends z.ZodType>(
    kind: 'command-updates' | 'device-requests',
    schema: Schema,
    take: (message: z.infer<Schema>, sender: MessageSource) => Promise<Handled>,
  ) =>
    bus.consume({
      stream: 'TOP_UPDATES',
      durable: `platform-${kind}`,
      subjects: [`tenants.*.${kind}.*`],
      handle: watchdog.watchHandler(kind.replace('-', ' '), createMessageTaker(pacing, kind, schema, take)),
    });
  const updates = await consume('command-updates', CommandUpdate, takeCommandUpdate(report, metrics));
  const deviceRequests = await consume('device-requests', DeviceRequestMessage, takeDeviceRequest(receive));
  const relay = startRelay({
    ...options,
    dispatch: createDispatch({ database, signals, metrics, now }),
    readEvents: (positions, limit) => readEvents(database, positions, limit),
    compareWithBus: () => compareWithBus(database, bus),
  });
  const sweeperOf = (overdue: Overdue, intervalMs: number) =>
    createCommandSweeper({ database, signals, bus, metrics, now, overdue, intervalMs });
  const sweepRecent = sweeperOf('RECENT', SWEEP_INTERVAL_MS);
  const sweepOld = sweeperOf('OLD', SWEEP_OLD_INTERVAL_MS);
  let isQuiet = false;
  const sweepers = [
    // Not one round for each signal: the pause is the interval.
    startLoop(
      SWEEP_INTERVAL_MS,
      {
        name: 'sweep of RECENT commands',
        ...sweeping,
        topics: allSlots.map(topics.outbox),
        pauseMs: SWEEP_INTERVAL_MS,
      },
      async () => {
        if (isQuiet && !(await mayHaveOpenCommands(database, now()))) return 'QUIET';
        isQuiet = false;
        if ((await sweepRecent()) > 0) return 'AGAIN';
        isQuiet = !(await mayHaveOpenCommands(database, now()));
        return isQuiet ? 'QUIET' : 'SOON';
      },
    ),
    startLoop(SWEEP_OLD_INTERVAL_MS, { name: 'sweep of OLD commands', ...sweeping }, async () =>
      (await sweepOld()) > 0 ? 'AGAIN' : 'WAIT',
    ),
    startLoop(
      SWEEP_INTERVAL_MS,
      { name: 'sweep of device requests', ...sweeping, topics: [topics.deviceRequest], pauseMs: SWEEP_INTERVAL_MS },
      () => sweepDeviceRequests(database, signals, now),
    ),
  ];
  const purgeEvery = (intervalMs: number, { table, round }: Purge) =>
    startLoop(intervalMs, { name: `purge of ${table}`, ...looping }, async () => {
      const { removed, hasMore } = await round();
      metrics.countRemoved(table, removed);
      if (hasMore) return 'SOON';
      return removed > 0 ? 'WAIT' : 'QUIET';
    });
  const purges = [
    purgeEvery(PURGE_NONCES_INTERVAL_MS, purgeNonces(database)),
    ...[
      ...(config.COMMAND_RETENTION_DAYS ? [purgeCommands(database, config.COMMAND_RETENTION_DAYS)] : []),
      purgeDeviceRequests(database, config.DEVICE_REQUEST_RETENTION_DAYS),
      purgeByAge(database, { id: auditEvents.auditEventId, keptDays: config.AUDIT_EVENT_RETENTION_DAYS }),
      purgeByAge(database, { id: objectGrants.presignId, keptDays: config.OBJECT_GRANT_RETENTION_DAYS }),
      purgeParkedMessages(database, config.PARKED_MESSAGE_RETENTION_DAYS),
      purgeByAge(database, { id: idempotentAnswers.answerId, keptDays: 1 }),
      rollUpFigures(database),
    ].map((purge) => purgeEvery(PURGE_INTERVAL_MS, purge)),
  ];
  const purgeTenants = createTenantPurge(database, bus, now);
  const deleting = { name: 'deletion of tenants', ...looping, topics: [topics.deletion] };
  const deletions = startLoop(PURGE_TENANTS_INTERVAL_MS, deleting, async () => {
    const { hasMore, isIdle, table, removed } = await purgeTenants();
    if (table && removed > 0) metrics.countRemoved(table, removed);
    if (hasMore) return 'SOON';
    return isIdle ? IDLE_MS : 'WAIT';
  });
  // Not one round for each signal: the pause is the interval.
  const analyzing = {
    name: 'statistics',
    ...looping,
    topics: allSlots.map(topics.outbox),
    pauseMs: ANALYZE_INTERVAL_MS,
  };
  const statistics = startLoop(ANALYZE_INTERVAL_MS, analyzing, async () => {
    const analyzed = await analyzeGrownTables(database.sql);
    if (analyzed.length > 0) logger.info({ tables: analyzed }, 'analyzed tables that have grown');
    return IDLE_MS;
  });
  const reads = startLoop(READS_INTERVAL_MS, { name: 'reads of adapters', ...looping }, async () => {
    if (bus.unreadyReason() === null) await storeCommandReads(database, bus);
  });
  return {
    async stop() {
      const underWay = [relay, updates, deviceRequests, ...sweepers, ...purges, deletions, statistics, reads];
      await Promise.all(underWay.map((one) => one.stop()));
    },
  };
}
