import type { Config } from './config.js';
import { lastKnown } from './foundation/concurrency/shared-reads.js';
import type { Database } from './foundation/database/database.js';
import { type Purge, purgeByAge } from './foundation/database/purge-by-age.js';
import { type Now, openSteadyClock } from './foundation/database/steady-clock.js';
import { analyzeGrownTables } from './foundation/database/vacuum-and-analyze.js';
import { type Looping, topics } from './foundation/signals/signals.js';
import { allSlots } from './foundation/slots.js';
import type { Metrics } from './foundation/telemetry/metrics.js';
import { purgeNonces } from './gateway/auth/admission.js';
import { auditEvents, idempotentAnswers } from './gateway/tables.js';
import { storeCommandReads } from './pipeline/adapter-reads.js';
import type { Bus, ReadingTurn } from './pipeline/bus/bus.js';
import { type ParkingReason, purgeParkedMessages } from './pipeline/bus/parked-messages.js';
import { type Read, readDeviceRequest, readUpdate } from './pipeline/bus/read-message.js';
import { createMessageTaker, createPacer, type Handled, type MessageSource } from './pipeline/bus/take-message.js';
import { createDeviceRequestReceiver, sweepDeviceRequests, takeDeviceRequest } from './pipeline/device-requests.js';
import { readEvents } from './pipeline/event-log.js';
import { rollUpFigures } from './pipeline/figures.js';
import { createDispatch } from './pipeline/outbox/dispatch.js';
import { createEventPublisher } from './pipeline/outbox/publish.js';
import { createRelay } from './pipeline/outbox/relay.js';
import { purgeCommands, purgeDeviceRequests } from './pipeline/purge-facts.js';
import { createCommandReporter, takeCommandUpdate } from './pipeline/reports.js';
import { createSlotOwner, type SlotOwner } from './pipeline/slots/slot-owner.js';
import { FIRST_SLOT, type Step, startSteps } from './pipeline/slots/steps.js';
import { createSweep } from './pipeline/sweeper.js';
import { compareWithBus, createWitnessWriter } from './pipeline/witness.js';
import { objectGrants } from './resources/tables.js';
import { purgeTenants } from './resources/tenants/purge-tenants.js';

type Options = Looping & { database: Database; bus: Bus; metrics: Metrics; config: Config };

/** How long a step rests that has nothing to do and that a signal wakes, in case the signal gets lost. */
const IDLE_MS = 60_000;
const SWEEP_MS = 500;
const PURGE_MS = 60_000;

/**
 * Everything that the platform does without a request. Each step is done by the owner of the slots alone, in transactions
 * that change nothing once a slot is lost: see pipeline/slots.
 */
export function backgroundSteps(options: Options & { owner: SlotOwner; now: Now }): Step[] {
  const { database, bus, signals, logger, metrics, config, now } = options;

  const purge = ({ table, round }: Purge, promise: string, everyMs = PURGE_MS): Step => ({
    name: `purge of ${table}`,
    promise,
    of: 'PLATFORM',
    everyMs,
    async round({ transaction }) {
      const { removed, hasMore } = await transaction(round);
      metrics.countRemoved(table, removed);
      if (hasMore) return 'SOON';
      return removed > 0 ? 'WAIT' : 'QUIET';
    },
  });

  return [
    {
      name: 'relay',
      promise: 'Each accepted command and each reply is handed to the bus at least once, in order, or has ended.',
      of: 'SLOTS',
      everyMs: 500,
      isVital: true,
      topics: (slots) => slots.map(topics.outbox),
      takesRows: true,
      ...createRelay({ ...options, dispatch: createDispatch({ signals, metrics, now }) }),
    },
    {
      name: 'publishing of events',
      promise: 'The bus gets each event that a CLIENT principal may read, in the order of the log.',
      of: 'SLOTS',
      everyMs: 500,
      // Events may be later than commands.
      pauseMs: 50,
      topics: (slots) => slots.map(topics.eventLog),
      round: createEventPublisher({
        ...options,
        readEvents: (positions, limit) => readEvents(database, positions, limit),
      }),
    },
    {
      name: 'sweep of commands',
      promise: 'A command ends within half a second after its deadline, unless a result is on the bus.',
      of: 'SLOTS',
      everyMs: SWEEP_MS,
      pauseMs: SWEEP_MS,
      isVital: true,
      topics: (slots) => slots.map(topics.outbox),
      round: createSweep({ database, signals, bus, metrics, now, intervalMs: SWEEP_MS }),
    },
    {
      name: 'sweep of device requests',
      promise: 'A device request without a reply in time becomes EXPIRED.',
      of: 'PLATFORM',
      everyMs: SWEEP_MS,
      pauseMs: SWEEP_MS,
      isVital: true,
      topics: () => [topics.deviceRequest],
      round: ({ transaction }) => sweepDeviceRequests(transaction, signals, now),
    },
    {
      name: 'deletion of tenants',
      promise: 'Nothing is left of a deleted tenant but its id, and of a moved one but its credentials.',
      of: 'PLATFORM',
      everyMs: 2_000,
      topics: () => [topics.deletion],
      async round(owned) {
        const { hasMore, isIdle, table, removed } = await purgeTenants(owned, bus, now);
        if (table && removed > 0) metrics.countRemoved(table, removed);
        if (hasMore) return 'SOON';
        return isIdle ? IDLE_MS : 'WAIT';
      },
    },
    // This table fills all the time. In every other one rows of only one more day expire each day.
    purge(purgeNonces(), 'A nonce is kept as long as its timestamp is inside the widest window.', 5_000),
    ...(config.COMMAND_RETENTION_DAYS
      ? [purge(purgeCommands(config.COMMAND_RETENTION_DAYS), 'Ended commands go with their events.')]
      : []),
    purge(purgeDeviceRequests(config.DEVICE_REQUEST_RETENTION_DAYS), 'Old requests go; those that wait stay.'),
    purge(
      purgeByAge({ id: auditEvents.auditEventId, keptDays: config.AUDIT_EVENT_RETENTION_DAYS }),
      'The audit log is kept as long as configured, at least 90 days.',
    ),
    purge(
      purgeByAge({ id: objectGrants.presignId, keptDays: config.OBJECT_GRANT_RETENTION_DAYS }),
      'Records of presigned URLs are kept as long as configured.',
    ),
    purge(
      purgeParkedMessages(config.PARKED_MESSAGE_RETENTION_DAYS),
      'Parked messages stay within the limits of age, number and size.',
    ),
    purge(purgeByAge({ id: idempotentAnswers.answerId, keptDays: 1 }), 'An Idempotency-Key is known for a day.'),
    purge(rollUpFigures(), 'Figures of minutes become hours, and those of hours days.'),
    {
      name: 'reads of adapters',
      promise: 'A new adapter shows in the catalog within ten seconds.',
      of: 'PLATFORM',
      everyMs: 10_000,
      async round({ transaction }) {
        if (bus.unreadyReason() === null) await storeCommandReads(transaction, bus);
        return 'WAIT';
      },
    },
    {
      name: 'statistics',
      promise:
        'Postgres plans with statistics of a table that has grown. A table can grow by 10,000 rows in this time.',
      of: 'PLATFORM',
      everyMs: 5_000,
      pauseMs: 5_000,
      topics: () => allSlots.map(topics.outbox),
      async round() {
        const analyzed = await analyzeGrownTables(database.sql);
        if (analyzed.length > 0) logger.info({ tables: analyzed }, 'analyzed tables that have grown');
        return IDLE_MS;
      },
    },
  ];
}

/** Above this share of TOP_UPDATES, messages of a tenant with many waiting are refused, so that others find room. */
const NEARLY_FULL = 3 / 4;

/**
 * Starts the readers of what adapters send. All processes share the updates of commands. The owner of slot 0 alone reads
 * the requests of devices, so that they are stored in the order of the stream.
 */
async function startReaders(options: Options & { owner: SlotOwner }) {
  const { database, bus, signals, metrics, watchdog, owner } = options;
  const report = createCommandReporter(database, signals, metrics);
  const receive = createDeviceRequestReceiver(database, signals);
  const fullness = lastKnown(() => bus.fullness('TOP_UPDATES'), { unknown: 0, everyMs: 1_000, validMs: 15_000 });
  const pacing = { ...options, pacer: createPacer(), isNearlyFull: () => fullness.value() > NEARLY_FULL };
  const consume = <Message>(
    kind: 'command-updates' | 'device-requests',
    read: (body: Buffer) => Read<Message>,
    take: (message: Message, sender: MessageSource, leftOut?: ParkingReason) => Promise<Handled>,
    turn?: ReadingTurn,
  ) =>
    bus.consume({
      stream: 'TOP_UPDATES',
      durable: `platform-${kind}`,
      subjects: [`tenants.*.${kind}.*`],
      handle: watchdog.watchHandler(kind.replace('-', ' '), createMessageTaker(pacing, kind, read, take)),
      ...(turn && { turn }),
    });
  const ofPlatform = {
    isOurs: () => owner.owned().some(({ slot }) => slot === FIRST_SLOT),
    onChange: owner.onChange,
  };
  return [
    await consume('command-updates', readUpdate, takeCommandUpdate(report, metrics)),
    await consume('device-requests', readDeviceRequest, takeDeviceRequest(receive), ofPlatform),
  ];
}

/** Starts all work that no request causes. */
export async function startBackground(options: Options): Promise<{ stop(): Promise<void> }> {
  const { database, bus, signals, logger, watchdog } = options;
  const { now } = await openSteadyClock(database);
  const compare = compareWithBus({ database, bus, logger });
  const owner = createSlotOwner({ database, bus, compare, onRenewed: createWitnessWriter(bus) });
  const readers = await startReaders({ ...options, owner });
  const steps = startSteps(owner, backgroundSteps({ ...options, owner, now }), { logger, signals, watchdog });
  return {
    async stop() {
      // The next owner of the slots begins to read after this one.
      await Promise.all(readers.map((reader) => reader.stop()));
      await steps.stop();
    },
  };
}
