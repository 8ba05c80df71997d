import { CommandUpdate, DeviceRequestMessage } from '@tenant-open-platform/contract/bus';
import type { z } from 'zod';
import type { Config } from '../config.js';
import { commandOutbox } from '../features/commands/background/command-outbox.js';
import { purgeCommands } from '../features/commands/background/purge-commands.js';
import { createCommandReporter, takeCommandUpdate } from '../features/commands/background/report-commands.js';
import { createCommandSweeper, type Overdue } from '../features/commands/background/sweep-commands.js';
import {
  createDeviceRequestReceiver,
  takeDeviceRequest,
} from '../features/device-requests/background/receive-device-requests.js';
import { replyOutbox } from '../features/device-requests/background/reply-outbox.js';
import {
  purgeDeviceRequests,
  sweepDeviceRequests,
} from '../features/device-requests/background/sweep-device-requests.js';
import { eventLog } from '../features/events/background/event-log.js';
import { objectGrants } from '../features/objects/object-grants.table.js';
import { createTenantPurge } from '../features/tenants/background/purge-tenants.js';
import { storeCommandReads } from '../features/vendors/background/adapter-reads.js';
import { auditEvents } from '../platform/audit/audit-events.table.js';
import { purgeNonces } from '../platform/auth/admission.js';
import type { Bus } from '../platform/bus/bus.js';
import { purgeParkedMessages } from '../platform/bus/parked-messages.js';
import { createMessageTaker, type Handled, type MessageSource } from '../platform/bus/take-message.js';
import { analyzeGrownTables } from '../platform/database/analyze-grown-tables.js';
import type { Database } from '../platform/database/database.js';
import { openSteadyClock } from '../platform/database/steady-clock.js';
import { idempotentAnswers } from '../platform/idempotency/idempotent-answers.table.js';
import { startRelay } from '../platform/outbox/relay.js';
import { type Purge, purgeByAge } from '../platform/retention/purge-by-age.js';
import { type Looping, startLoop } from '../platform/signals/start-loop.js';
import type { Metrics } from '../platform/telemetry/metrics.js';
import { createPacer } from '../platform/waiting/pacer.js';
import { lastKnown } from '../platform/waiting/shared.js';

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

/** A table can grow by some 10,000 rows in this time. */
const ANALYZE_INTERVAL_MS = 5_000;

/** How soon a new adapter shows in the catalog. */
const READS_INTERVAL_MS = 10_000;

/** How soon the deletion of a tenant begins, and goes on once another node has stopped. */
const PURGE_TENANTS_INTERVAL_MS = 1_000;

/** Starts all work that no request causes. */
export async function startBackground(options: Options): Promise<{ stop(): Promise<void> }> {
  const { database, bus, signals, logger, metrics, watchdog, config } = options;
  const looping = { logger, signals, watchdog };
  const { now } = await openSteadyClock(database);
  const report = createCommandReporter(database, signals, metrics);
  const fullness = lastKnown(() => bus.fullness(), { unknown: 0, everyMs: 1_000, validMs: 15_000 });
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
    kinds: [replyOutbox(now), commandOutbox({ database, signals, metrics, now })],
    eventLog: eventLog(database),
  });
  const sweepEvery = (intervalMs: number, name: string, sweep: () => Promise<number>) =>
    startLoop(intervalMs, { name, ...looping, isVital: true }, async () => ((await sweep()) > 0 ? 'AGAIN' : 'WAIT'));
  const sweepCommandsEvery = (intervalMs: number, overdue: Overdue) =>
    sweepEvery(
      intervalMs,
      `sweep of ${overdue} commands`,
      createCommandSweeper({ database, signals, bus, metrics, now, overdue, intervalMs }),
    );
  const sweepers = [
    sweepCommandsEvery(SWEEP_INTERVAL_MS, 'RECENT'),
    sweepCommandsEvery(SWEEP_OLD_INTERVAL_MS, 'OLD'),
    sweepEvery(SWEEP_INTERVAL_MS, 'sweep of device requests', () => sweepDeviceRequests(database, signals, now)),
  ];
  const purgeEvery = (intervalMs: number, { table, round }: Purge) =>
    startLoop(intervalMs, { name: `purge of ${table}`, ...looping }, async () => {
      const { removed, hasMore } = await round();
      metrics.countRemoved(table, removed);
      return hasMore ? 'SOON' : 'WAIT';
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
    ].map((purge) => purgeEvery(PURGE_INTERVAL_MS, purge)),
  ];
  const purgeTenants = createTenantPurge(database, bus, now);
  const deletions = startLoop(PURGE_TENANTS_INTERVAL_MS, { name: 'deletion of tenants', ...looping }, async () => {
    const { hasMore, table, removed } = await purgeTenants();
    if (table && removed > 0) metrics.countRemoved(table, removed);
    return hasMore ? 'SOON' : 'WAIT';
  });
  const statistics = startLoop(ANALYZE_INTERVAL_MS, { name: 'statistics', ...looping }, async () => {
    const analyzed = await analyzeGrownTables(database.sql);
    if (analyzed.length > 0) logger.info({ tables: analyzed }, 'analyzed tables that have grown');
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
