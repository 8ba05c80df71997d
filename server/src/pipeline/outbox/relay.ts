import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database, Transaction } from '../../foundation/database/database.js';
import { newId } from '../../foundation/ids.js';
import { type Signals, startLoop, topics } from '../../foundation/signals/signals.js';
import { SLOTS, slotOf } from '../../foundation/slots.js';
import type { Metrics } from '../../foundation/telemetry/metrics.js';
import { inSpans, traceIdOf } from '../../foundation/telemetry/spans.js';
import type { Watchdog } from '../../foundation/telemetry/watchdog.js';
import type { Bus, Message } from '../bus/bus.js';
import { parkMessage } from '../bus/parked-messages.js';
import { createBusySlots } from '../busy-slots.js';
import type { EventPage, SlotPosition } from '../event-log.js';
import type { OutboxRow } from '../tables.js';
import type { Dispatch } from './dispatch.js';
import { asHolder, type Lease, LeaseLost, releaseLeases, takeLeases } from './lease.js';
import { createHeldTenants, createPasses, deleteRows, queueAsLogged, takeUnloggedRows } from './take-rows.js';

export type Publisher = { database: Database; bus: Bus; logger: Logger; metrics: Metrics };

/** Publishes messages. A message that the bus refuses for good is parked, so it blocks no other message. */
export async function publish({ database, bus, logger, metrics }: Publisher, messages: readonly Message[]) {
  const undeliverable = await inSpans('publish', messages, () => bus.publish(messages)).catch((error: unknown) => {
    metrics.countPublishFailure('REPEATED');
    throw error;
  });
  for (const { message, reason } of undeliverable) {
    metrics.countPublishFailure('PARKED');
    const trace_id = traceIdOf(message.traceparent);
    logger.error({ subject: message.subject, id: message.id, reason, trace_id }, 'the bus refuses a message');
    await parkMessage(database, message, `The bus refuses it: ${reason}.`);
  }
  return undeliverable;
}

export type RelayOptions = Publisher & {
  signals: Signals;
  watchdog: Watchdog;
  dispatch: Dispatch;
  readEvents: (positions: readonly SlotPosition[], limit: number) => Promise<EventPage | null>;
  /** Compares the log with the last event on the bus. A worker calls it when it takes a lease. */
  compareWithBus: (options: Publisher) => Promise<void>;
};

const RENEW_AFTER_MS = 1_500;
/** How often a worker asks for slots that it lacks, and how often one without the bus looks whether it is back. */
const LOOK_AGAIN_MS = 500;
/** How many batches may wait for the bus while the next one is prepared. */
const MAX_BATCHES_IN_FLIGHT = 3;
const EVENTS_OF_A_BATCH = 256;
/** Events may be later than commands. */
const PAUSE_OF_EVENTS_MS = 50;
const AFTER_A_FAILURE_MS = 1_000;
/** After this many failures in a row the worker lets others have its slots. */
const FAILURES_IN_A_ROW = 2;
/** If no other worker takes them, it tries again after this time. */
const GIVE_AWAY_MS = 5_000;

/** The messages to publish, each with its outbox row. */
type Prepared = ReadonlyMap<Message, OutboxRow>;

/**
 * Publishes the outbox and the event log of the slots whose leases it holds. Rows are prepared in one transaction,
 * published after its commit, and deleted in a later transaction once the bus has acknowledged them. After a crash the
 * same rows are prepared again, with the same message ids. More: docs/internals/outbox.md.
 *
 * | variable | set by | meaning |
 * | --- | --- | --- |
 * | leases | hold, a new generation | of the slots that this worker holds. The loop of events uses it, too |
 * | isEmpty | currentLeases | the leases were just renewed, and no row waited |
 * | askAgainAt | currentLeases, LeaseLost | when to renew the leases, or to ask for more |
 * | couldPublish | currentLeases | whether the bus was usable and the slots not given away |
 * | listening | hold | what ends the listening to the signals of these slots |
 * | batches | startPublishing | batches that wait for the bus |
 * | inFlight | startPublishing, relayBatch, takeAgain | rows not to take: published, not deleted yet |
 * | acknowledged | startPublishing, relayBatch, hold | rows for the next transaction to delete |
 * | hasFailed | startPublishing, startOver, hold | begin with the first unacknowledged row again |
 * | failures | startOver, startPublishing | failures in a row |
 * | givenAwayUntil | startOver, after two failures in a row | until then other workers may have the slots |
 * | isStored | publishEvents, currentLeases | whether the database has the positions in the event log |
 * | passes | take-rows.ts | the tenant and the rows with which a round begins |
 */
export function startRelay(options: RelayOptions) {
  const { database, bus, signals, logger, watchdog, dispatch, readEvents, compareWithBus } = options;
  const holder = newId();
  const busy = createBusySlots(database);
  let leases: Lease[] = [];
  let isEmpty = false;
  let askAgainAt = 0;
  let couldPublish = true;
  let listening: (() => void)[] = [];
  let failures = 0;
  let givenAwayUntil = 0;
  const passes = createPasses();
  const batches = new Set<Promise<void>>();
  const inFlight = new Set<string>();
  let acknowledged: OutboxRow[] = [];
  let hasFailed = false;
  let isStored = true;
  const heldTenants = createHeldTenants(bus);

  // The lease of an older copy may have the same epoch: its position counts, not the later one in memory.
  database.generations.onNew(() => {
    leases = [];
    askAgainAt = 0;
  });

  const canPublish = () => bus.unreadyReason() === null && performance.now() >= givenAwayUntil;

  /** Renews the leases about every two seconds, and at once when the bus connects or disconnects. */
  async function currentLeases(): Promise<readonly Lease[]> {
    const now = performance.now();
    const isAble = canPublish();
    isEmpty = false;
    if (now < askAgainAt && isAble === couldPublish) return leases;
    isStored = true;
    const { held, isWhole, hasRows } = await takeLeases(database, holder, isAble, leases);
    couldPublish = isAble;
    askAgainAt = now + (isWhole ? RENEW_AFTER_MS : LOOK_AGAIN_MS);
    const known = new Map(leases.map((lease) => [`${lease.slot} ${lease.epoch}`, lease]));
    // While a lease is held, the number in memory is ahead of the one in the database.
    const next = held.map((lease) => {
      const own = known.get(`${lease.slot} ${lease.epoch}`);
      return own && BigInt(own.seq) >= BigInt(lease.seq) ? own : lease;
    });
    const isNew = next.some((lease) => !leases.includes(lease));
    if (isNew || next.length < leases.length) await hold(next);
    if (isNew) {
      await compareWithBus(options).catch((err: unknown) =>
        logger.warn({ err }, 'the last event on the bus was not read'),
      );
    }
    isEmpty = !hasRows && !isNew;
    return leases;
  }

  /** Other slots than before. Another worker may have had the new ones meanwhile: all their remaining rows are taken. */
  async function hold(next: Lease[]): Promise<void> {
    await Promise.all(batches);
    const kept = new Set(next.filter((lease) => leases.includes(lease)).map(({ slot }) => slot));
    acknowledged = acknowledged.filter(({ tenant_id }) => kept.has(slotOf(tenant_id)));
    hasFailed = false;
    takeAgain();
    leases = next;
    for (const stopListening of listening) stopListening();
    listening = leases.flatMap(({ slot }) => [
      signals.listen(topics.outbox(slot), relaying.wake),
      signals.listen(topics.eventLog(slot), publishing.wake),
    ]);
    publishing.wake();
  }

  /** The next round begins with the first row whose message is not acknowledged. */
  function takeAgain(): void {
    inFlight.clear();
    for (const { position } of acknowledged) inFlight.add(position);
    passes.beginAfter('');
  }

  const relaying = startLoop(LOOK_AGAIN_MS, { name: 'relay', signals, logger, watchdog, isVital: true }, async () => {
    const held = await currentLeases();
    if (held.length === 0) return 'WAIT';
    if (hasFailed) await startOver();
    if (isEmpty && couldPublish) return 'QUIET';
    try {
      return couldPublish ? await relayBatch(held) : await logBatch(held);
    } catch (error) {
      if (await busy.caused(error)) return 'SOON';
      if (!(error instanceof LeaseLost)) throw error;
      askAgainAt = 0;
      return 'SOON';
    }
  });

  /** Of the slots that a transaction holds, those whose log is not busy. */
  const free = (slots: ReadonlySet<number>) => [...slots].filter((slot) => !busy.current().has(slot));

  /** Takes rows, prepares them and starts to publish them. */
  async function relayBatch(held: readonly Lease[]) {
    while (batches.size >= MAX_BATCHES_IN_FLIGHT) await Promise.race(batches);
    const heldNow = heldTenants();
    const { taken, deleting, isWhole } = await asHolder(database, holder, held, async (tx, slots) => {
      // A copy: acknowledgements that arrive meanwhile belong to the next round.
      const deleting = acknowledged.filter(({ tenant_id }) => slots.size === SLOTS || slots.has(slotOf(tenant_id)));
      // Sent first: Promise.all then fails with the cause, and not with the error of a statement behind it.
      const deleted = deleteRows(tx, deleting);
      const leftOut = { inFlight: [...inFlight], held: heldNow, slots: free(slots) };
      // Check again: the bus may have gone while this round waited for a batch.
      const [pass] = await Promise.all([canPublish() ? passes.take(tx, leftOut) : null, deleted]);
      const isWhole = leftOut.slots.length === held.length;
      return { taken: pass && { ...(await prepare(tx, pass.rows)), pass }, deleting, isWhole };
    });
    const deleted = new Set(deleting);
    acknowledged = acknowledged.filter((row) => !deleted.has(row));
    for (const { position } of deleting) inFlight.delete(position);
    if (!taken) return 'SOON';
    const { pass, prepared, topics } = taken;
    passes.committed(pass);
    signals.send(topics);
    if (prepared.size > 0) startPublishing(prepared);
    if (pass.isFull || passes.after() !== '') return 'AGAIN';
    if (pass.rows.length > 0 || pass.isQuick) return 'SOON';
    if (batches.size > 0) await Promise.race(batches);
    // No signal tells that a tenant is no longer held, or a slot no longer busy.
    const isWaiting = batches.size > 0 || acknowledged.length > 0 || heldNow.length > 0 || !isWhole || hasFailed;
    return isWaiting ? 'SOON' : 'QUIET';
  }

  /** Prepares the rows before their messages leave. Deletes rows that no longer need a message. */
  async function prepare(tx: Transaction, rows: readonly OutboxRow[]) {
    const { messages, topics } = await dispatch.prepare(tx, rows);
    const prepared = new Map<Message, OutboxRow>();
    const unsent: OutboxRow[] = [];
    for (const [index, row] of rows.entries()) {
      const message = messages[index];
      if (message) prepared.set(message, row);
      else unsent.push(row);
    }
    await deleteRows(tx, unsent);
    return { prepared, topics };
  }

  function startPublishing(prepared: Prepared): void {
    for (const { position } of prepared.values()) inFlight.add(position);
    const batch = publishBatch(prepared)
      .then(() => {
        failures = 0;
        acknowledged.push(...prepared.values());
      })
      .catch((err: unknown) => {
        logger.error({ err }, 'the relay publishes a batch again');
        hasFailed = true;
      })
      .finally(() => batches.delete(batch));
    batches.add(batch);
  }

  async function publishBatch(prepared: Prepared): Promise<void> {
    for (const { message, reason } of await publish(options, [...prepared.keys()])) {
      const row = prepared.get(message);
      if (row) await dispatch.endUndeliverable(row, reason);
    }
  }

  /** Once no message awaits an acknowledgement, take the unacknowledged rows again in their order. */
  async function startOver(): Promise<void> {
    await Promise.all(batches);
    hasFailed = false;
    takeAgain();
    if (++failures >= FAILURES_IN_A_ROW) {
      failures = 0;
      givenAwayUntil = performance.now() + GIVE_AWAY_MS;
    }
    await delay(AFTER_A_FAILURE_MS);
  }

  /** Without the bus nothing is dispatched, but the facts are logged. Their rows then wait in the order of the log. */
  async function logBatch(held: readonly Lease[]) {
    const { isFull, topics, next } = await asHolder(database, holder, held, async (tx, slots) => {
      const { rows, after: next, isFull } = await takeUnloggedRows(tx, passes.after(), free(slots));
      const topics = await dispatch.prepareWithoutBus(tx, rows);
      await queueAsLogged(tx, rows);
      return { isFull, topics, next };
    });
    passes.beginAfter(next);
    signals.send(topics);
    return isFull || next !== '' ? 'AGAIN' : 'WAIT';
  }

  /**
   * Publishes the next events of the log. Returns whether there may be more. The next renewal of the leases stores how far
   * the bus has acknowledged the log: who takes a slot after a crash publishes up to two seconds of events again, and the
   * bus drops them.
   */
  async function publishEvents(held: readonly Lease[]): Promise<boolean> {
    const page = await readEvents(held, EVENTS_OF_A_BATCH);
    if (!page) return false;
    await publish(options, page.messages);
    const read = new Map(page.positions.map(({ slot, seq }) => [slot, seq]));
    for (const lease of held) lease.seq = read.get(lease.slot) ?? lease.seq;
    isStored = false;
    return page.isFull;
  }

  const publishing = startLoop(
    LOOK_AGAIN_MS,
    { name: 'publishing of events', signals, logger, watchdog, pauseMs: PAUSE_OF_EVENTS_MS },
    async () => {
      const held = leases;
      if (held.length === 0 || !canPublish()) return 'WAIT';
      if (await publishEvents(held)) return 'AGAIN';
      if (isStored) return 'QUIET';
      // An idle worker renews its leases too late.
      const renewsInMs = askAgainAt - performance.now();
      if (renewsInMs <= 0) relaying.wake();
      return Math.max(renewsInMs, LOOK_AGAIN_MS);
    },
  );

  return {
    async stop(): Promise<void> {
      await Promise.all([relaying.stop(), publishing.stop()]);
      for (const stopListening of listening) stopListening();
      await Promise.all(batches);
      const deleteOwn = (tx: Transaction, slots: ReadonlySet<number>) =>
        deleteRows(
          tx,
          acknowledged.filter(({ tenant_id }) => slots.has(slotOf(tenant_id))),
        );
      if (leases.length > 0) await asHolder(database, holder, leases, deleteOwn).catch(() => {});
      await releaseLeases(database, holder, leases);
    },
  };
}
