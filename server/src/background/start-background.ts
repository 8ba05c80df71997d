import { CommandUpdate, DeviceRequestMessage } from '@tenant-open-platform/contract/bus';
import type { Logger } from 'pino';
import { createConsumerProvisioner } from '../features/bus-principals/background/provision-consumers.js';
import { commandOutbox } from '../features/commands/background/command-outbox.js';
import { purgeCommands } from '../features/commands/background/purge-commands.js';
import { createCommandReporter } from '../features/commands/background/report-commands.js';
import { republishCommands } from '../features/commands/background/republish-commands.js';
import { createCommandSweeper, type Overdue } from '../features/commands/background/sweep-commands.js';
import { takeCommandUpdate } from '../features/commands/background/take-command-updates.js';
import { purgeDeviceRequests } from '../features/device-requests/background/purge-device-requests.js';
import { createDeviceRequestReceiver } from '../features/device-requests/background/receive-device-requests.js';
import { replyOutbox } from '../features/device-requests/background/reply-outbox.js';
import { republishReplies } from '../features/device-requests/background/republish-replies.js';
import { sweepDeviceRequests } from '../features/device-requests/background/sweep-device-requests.js';
import { takeDeviceRequest } from '../features/device-requests/background/take-device-requests.js';
import { eventLog, republishEvents } from '../features/events/background/event-log.js';
import { purgeObjectGrants } from '../features/objects/background/purge-object-grants.js';
import { createTenantPurge } from '../features/tenants/background/purge-tenants.js';
import { purgeAuditEvents } from '../platform/audit/purge-audit-events.js';
import type { LastUses } from '../platform/auth/last-uses.js';
import { purgeNonces } from '../platform/auth/purge-nonces.js';
import { type Bus, UPDATES_OF_ALL_TENANTS } from '../platform/bus/bus.js';
import { purgeParkedMessages } from '../platform/bus/purge-parked-messages.js';
import { createMessageTaker } from '../platform/bus/take-message.js';
import { analyzeGrownTables } from '../platform/database/analyze-grown-tables.js';
import type { Database } from '../platform/database/database.js';
import { startRelay } from '../platform/outbox/relay.js';
import type { Republishable } from '../platform/outbox/republish.js';
import type { Purge } from '../platform/retention/purge.js';
import { type Signals, topics } from '../platform/signals/signals.js';
import { startLoop } from '../platform/signals/start-loop.js';
import type { Metrics } from '../platform/telemetry/metrics.js';
import type { Watchdog } from '../platform/telemetry/watchdog.js';
import { createPacer } from '../platform/waiting/pacer.js';
import { lastKnown } from '../platform/waiting/shared.js';

type Options = {
  database: Database;
  bus: Bus;
  signals: Signals;
  logger: Logger;
  metrics: Metrics;
  watchdog: Watchdog;
};

/** For how many days each kind of row is kept; forever if there is no number. */
export type Retention = {
  commands: number | undefined;
  deviceRequests: number;
  auditEvents: number;
  objectGrants: number;
  parkedMessages: number;
};

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

/** How soon the deletion of a tenant begins, and goes on once another node has stopped. */
const PURGE_TENANTS_INTERVAL_MS = 1_000;

/** For lost signals, and for changes without a signal, such as a tenant that is ACTIVE again. */
const PROVISION_INTERVAL_MS = 60_000;

/** With the minute in which a credential is written once, an instant is at most 90 seconds late. */
const STORE_USES_INTERVAL_MS = 20_000;

/** Creates the durables that principals read on the bus, including those for new principals and vendors. */
export function startProvisioning({ database, bus, signals, logger, watchdog }: Omit<Options, 'metrics'>) {
  const provision = createConsumerProvisioner(database, bus);
  bus.onRestored(() => signals.send([topics.busAccess]));
  return startLoop(
    PROVISION_INTERVAL_MS,
    { name: 'provisioning', logger, signals, watchdog, topic: topics.busAccess },
    async () => {
      await bus.keepStreams();
      await provision();
      return 'WAIT';
    },
  );
}

/** Stores when credentials were last used, in each process that admits requests. */
export function startStoringUses(lastUses: LastUses, options: Pick<Options, 'logger' | 'signals' | 'watchdog'>) {
  const loop = startLoop(
    STORE_USES_INTERVAL_MS,
    { name: 'last uses of credentials', firstAfterMs: STORE_USES_INTERVAL_MS, ...options },
    async () => {
      await lastUses.store();
      return 'WAIT';
    },
  );
  return {
    async stop(): Promise<void> {
      await loop.stop();
      await lastUses.storeAll().catch((err: unknown) => options.logger.error({ err }, 'last uses of credentials'));
    },
  };
}

/** The order of `outbox republish`. Commands and replies come first, because adapters and devices wait for them. */
export const republishable = (database: Database): Republishable[] => [
  republishCommands(database),
  republishReplies(database),
  republishEvents(database),
];

/**
 * The background work: dispatches commands and replies, handles updates and device requests, and ends overdue commands.
 */
export async function startBackground(options: Options & { retention: Retention }): Promise<{ stop(): Promise<void> }> {
  const { database, bus, signals, logger, metrics, watchdog } = options;
  const report = createCommandReporter(database, signals, metrics);
  const fullness = lastKnown(() => bus.fullness(), { unknown: 0, everyMs: 1_000, validMs: 15_000 });
  const pacing = { ...options, pacer: createPacer(), isNearlyFull: () => fullness.value() > NEARLY_FULL };
  const takeUpdate = createMessageTaker(pacing, 'command-updates', CommandUpdate, takeCommandUpdate(report, metrics));
  const updates = await bus.consume({
    stream: 'TOP_UPDATES',
    durable: 'platform-command-updates',
    subjects: [UPDATES_OF_ALL_TENANTS],
    handle: watchdog.watchHandler('command updates', takeUpdate),
  });
  const receive = createDeviceRequestReceiver(database, signals);
  const deviceRequests = await bus.consume({
    stream: 'TOP_UPDATES',
    durable: 'platform-device-requests',
    subjects: ['tenants.*.device-requests.*'],
    handle: watchdog.watchHandler(
      'device requests',
      createMessageTaker(pacing, 'device-requests', DeviceRequestMessage, takeDeviceRequest(receive)),
    ),
  });
  const relay = startRelay({
    ...options,
    kinds: [replyOutbox, commandOutbox(database, signals, metrics)],
    eventLog: eventLog(database),
  });
  const sweepEvery = (intervalMs: number, name: string, sweep: () => Promise<number>) =>
    startLoop(intervalMs, { name, logger, signals, watchdog, isVital: true }, async () =>
      (await sweep()) > 0 ? 'AGAIN' : 'WAIT',
    );
  const sweepCommandsEvery = (intervalMs: number, overdue: Overdue) =>
    sweepEvery(
      intervalMs,
      `sweep of ${overdue} commands`,
      createCommandSweeper({ database, signals, bus, metrics, overdue, intervalMs }),
    );
  const sweepers = [
    sweepCommandsEvery(SWEEP_INTERVAL_MS, 'RECENT'),
    sweepCommandsEvery(SWEEP_OLD_INTERVAL_MS, 'OLD'),
    sweepEvery(SWEEP_INTERVAL_MS, 'sweep of device requests', () => sweepDeviceRequests(database, signals)),
  ];
  const purgeEvery = (intervalMs: number, { table, round }: Purge) =>
    startLoop(intervalMs, { name: `purge of ${table}`, logger, signals, watchdog }, async () => {
      const { removed, hasMore } = await round();
      metrics.countRemoved(table, removed);
      return hasMore ? 'SOON' : 'WAIT';
    });
  const { retention } = options;
  const purges = [
    purgeEvery(PURGE_NONCES_INTERVAL_MS, purgeNonces(database)),
    ...[
      ...(retention.commands === undefined ? [] : [purgeCommands(database, retention.commands)]),
      purgeDeviceRequests(database, retention.deviceRequests),
      purgeAuditEvents(database, retention.auditEvents),
      purgeObjectGrants(database, retention.objectGrants),
      purgeParkedMessages(database, retention.parkedMessages),
    ].map((purge) => purgeEvery(PURGE_INTERVAL_MS, purge)),
  ];
  const purgeTenants = createTenantPurge(database, bus);
  const deletions = startLoop(
    PURGE_TENANTS_INTERVAL_MS,
    { name: 'deletion of tenants', logger, signals, watchdog },
    async () => {
      const { progress, table, removed } = await purgeTenants();
      if (table && removed > 0) metrics.countRemoved(table, removed);
      return progress === 'BUSY' ? 'SOON' : 'WAIT';
    },
  );
  const statistics = startLoop(ANALYZE_INTERVAL_MS, { name: 'statistics', logger, signals, watchdog }, async () => {
    const analyzed = await analyzeGrownTables(database.sql);
    if (analyzed.length > 0) logger.info({ tables: analyzed }, 'analyzed tables that have grown');
    return 'WAIT';
  });
  return {
    async stop() {
      const underWay = [relay, updates, deviceRequests, ...sweepers, ...purges, deletions, statistics];
      await Promise.all(underWay.map((one) => one.stop()));
    },
  };
}
