import { CommandUpdate, DeviceRequestMessage } from '@tenant-open-platform/contract/bus';
import type { Logger } from 'pino';
import { consumerProvisioner } from './features/bus-principals/provision-consumers.js';
import { commandMessages } from './features/commands/outbox-messages.js';
import { commandReporter } from './features/commands/report-commands.js';
import { sweepCommands } from './features/commands/sweep-commands.js';
import { takeCommandUpdate } from './features/commands/take-command-updates.js';
import { deviceReplyMessages } from './features/device-requests/outbox-messages.js';
import { deviceRequestReceiver } from './features/device-requests/receive-device-requests.js';
import { sweepDeviceRequests } from './features/device-requests/sweep-device-requests.js';
import { takeDeviceRequest } from './features/device-requests/take-device-requests.js';
import { purgeObjectGrants } from './features/objects/purge-object-grants.js';
import { purgeNonces } from './platform/auth/purge-nonces.js';
import type { Bus } from './platform/bus/bus.js';
import { purgeParkedMessages } from './platform/bus/parked-messages.js';
import { messageTaker } from './platform/bus/take-message.js';
import type { Database } from './platform/database/database.js';
import { everyTime } from './platform/every-time.js';
import type { MessagesByRow } from './platform/outbox/publish-rows.js';
import { purgeOutbox } from './platform/outbox/purge-outbox.js';
import { startRelay } from './platform/outbox/relay.js';
import { type Signals, topics } from './platform/signals/signals.js';
import type { Metrics } from './platform/telemetry/metrics.js';

type Options = { database: Database; bus: Bus; signals: Signals; logger: Logger; metrics: Metrics };

/** A deadline is noticed this long after it at the latest, but for the time of the sweep itself. */
const SWEEP_INTERVAL_MS = 500;

/** For what came due while no process swept. */
const SWEEP_ALL_INTERVAL_MS = 60_000;

/** What adapters reported while no process took it comes first: a result in time must not find its command TIMED_OUT. */
const FIRST_SWEEP_AFTER_MS = 2_000;

const PURGE_INTERVAL_MS = 5_000;

/** Where a signal got lost, and for what happens without one: a principal that is ACTIVE again after its tenant was not. */
const PROVISION_INTERVAL_MS = 60_000;

/** Makes the durables that principals read on the bus, as principals and vendors come. */
export function startProvisioning({ database, bus, signals, logger }: Omit<Options, 'metrics'>) {
  const provision = consumerProvisioner(database, bus);
  bus.onRestored(() => signals.send([topics.busAccess]));
  return everyTime(
    PROVISION_INTERVAL_MS,
    { name: 'provisioning', logger, signals, topic: topics.busAccess },
    async () => {
      await provision();
      return 'WAIT';
    },
  );
}

/** What the rows of the outbox stand for. */
export const outboxMessages = (database: Database, signals: Signals): MessagesByRow[] => [
  commandMessages(database, signals),
  deviceReplyMessages(database),
];

/** What the platform does by itself: hand commands and replies out, take what comes back, and end what nobody answered. */
export async function startBackground(options: Options): Promise<{ stop(): Promise<void> }> {
  const { database, bus, signals, logger, metrics } = options;
  const report = commandReporter(database, signals);
  const updates = await bus.consume({
    stream: 'TOP_UPDATES',
    durable: 'platform-command-updates',
    subjects: ['tenants.*.command-updates.*'],
    handle: messageTaker(options, 'command-updates', CommandUpdate, takeCommandUpdate(report, metrics)),
  });
  const receive = deviceRequestReceiver(database, signals);
  const deviceRequests = await bus.consume({
    stream: 'TOP_UPDATES',
    durable: 'platform-device-requests',
    subjects: ['tenants.*.device-requests.*'],
    handle: messageTaker(options, 'device-requests', DeviceRequestMessage, takeDeviceRequest(receive)),
  });
  const relay = startRelay({
    ...options,
    messagesByRow: outboxMessages(database, signals),
  });
  const sweepEvery = (intervalMs: number, name: string, sweep: () => Promise<number>) =>
    everyTime(intervalMs, { name, logger, signals, firstAfterMs: FIRST_SWEEP_AFTER_MS }, async () =>
      (await sweep()) > 0 ? 'AGAIN' : 'WAIT',
    );
  const sweepers = [
    sweepEvery(SWEEP_INTERVAL_MS, 'sweep of commands', () => sweepCommands(database, signals, 'RECENT')),
    sweepEvery(SWEEP_ALL_INTERVAL_MS, 'sweep of all commands', () => sweepCommands(database, signals, 'ALL')),
    sweepEvery(SWEEP_INTERVAL_MS, 'sweep of device requests', () => sweepDeviceRequests(database, signals)),
  ];
  const purges = [purgeNonces, purgeOutbox, purgeParkedMessages, purgeObjectGrants].map((purge) =>
    everyTime(PURGE_INTERVAL_MS, { name: purge.name, logger, signals }, async () =>
      (await purge(database)) ? 'SOON' : 'WAIT',
    ),
  );
  return {
    async stop() {
      const underWay = [relay, updates, deviceRequests, ...sweepers, ...purges];
      await Promise.all(underWay.map((one) => one.stop()));
    },
  };
}
