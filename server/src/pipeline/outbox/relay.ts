import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database, Transaction } from '../../foundation/database/database.js';
import { newId } from '../../foundation/ids.js';
import { type Signals, startLoop, topics } from '../../foundation/signals/signals.js';
import type { Metrics } from '../../foundation/telemetry/metrics.js';
import { inSpans, traceIdOf } from '../../foundation/telemetry/spans.js';
import type { Watchdog } from '../../foundation/telemetry/watchdog.js';
import type { Bus, Message } from '../bus/bus.js';
import { parkMessage } from '../bus/parked-messages.js';
import type { EventPage } from '../events.js';
import type { OutboxRow } from '../tables.js';
import type { Dispatch } from './dispatch.js';
import { asLeader, type Lease, LeaseLost, releaseLease, storePublished, takeLease } from './lease.js';
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
  readEvents: (after: string, limit: number) => Promise<EventPage | null>;
  /** Compares the log with the last event on the bus. The leader calls it when it takes the lease. */
  compareWithBus: (options: Publisher) => Promise<void>;
};

const RENEW_AFTER_MS = 1_500;
/** How often a follower asks for the lease, and how often a leader without the bus looks whether it is back. */
const LOOK_AGAIN_MS = 500;
/** How many batches may wait for the bus while the next one is prepared. */
const MAX_BATCHES_IN_FLIGHT = 3;
const EVENTS_OF_A_BATCH = 256;
/** Events may be later than commands. */
const PAUSE_OF_EVENTS_MS = 50;
const AFTER_A_FAILURE_MS = 1_000;
/** After this many failures in a row the leader lets another node lead. */
const FAILURES_IN_A_ROW = 2;
/** If no other node takes the lease, the leader tries again after this time. */
const GIVE_AWAY_MS = 5_000;

/** The messages to publish, each with its outbox row. */
type Prepared = ReadonlyMap<Message, OutboxRow>;

/**
 * Publishes the outbox and the event log. Only the node that holds the lease does so. Rows are prepared in one
 * transaction, published after its commit, and deleted in a later transaction once the bus has acknowledged them. After
 * a crash the same rows are prepared again, with the same message ids. More: docs/internals/outbox.md.
 *
 * | variable | set by | meaning |
 * | --- | --- | --- |
 * | lease | currentLease, LeaseLost | null if another node holds it. The loop of events uses this and givenAwayUntil |
 * | epoch | currentLease | of the last lease that this node held; a lease with another one calls forget |
 * | isEmpty | currentLease | the lease was just taken or renewed, and no row waited |
 * | askAgainAt | currentLease | when to renew the lease, or to ask for it |
 * | couldPublish | currentLease | whether the bus was usable and the lease not given away |
 * | batches | startPublishing | batches that wait for the bus |
 * | inFlight | startPublishing, relayBatch, startOver, forget | rows not to take: published, not deleted yet |
 * | acknowledged | startPublishing, relayBatch, forget | rows for the next transaction to delete |
 * | hasFailed | startPublishing, startOver, forget | begin with the first unacknowledged row again |
 * | failures | startOver, startPublishing | failures in a row |
 * | givenAwayUntil | startOver, after two failures in a row | until then another node may lead |
 * | passes | take-rows.ts | the tenant and the rows with which a round begins |
 */
export function startRelay(options: RelayOptions) {
  const { database, bus, signals, logger, watchdog, dispatch, readEvents, compareWithBus } = options;
  const holder = newId();
  let lease: Lease | null = null;
  let epoch = '';
  let isEmpty = false;
  let askAgainAt = 0;
  let couldPublish = true;
  let failures = 0;
  let givenAwayUntil = 0;
  const passes = createPasses();
  const batches = new Set<Promise<void>>();
  const inFlight = new Set<string>();
  let acknowledged: OutboxRow[] = [];
  let hasFailed = false;
  const heldTenants = createHeldTenants(bus);

  const canPublish = () => bus.unreadyReason() === null && performance.now() >= givenAwayUntil;

  /** Renews the lease about every two seconds, and at once when the bus connects or disconnects. */
  async function currentLease(): Promise<Lease | null> {
    const now = performance.now();
    const isAble = canPublish();
    isEmpty = false;
    if (now < askAgainAt && isAble === couldPublish) return lease;
    const taken = await takeLease(database, holder, isAble);
    couldPublish = isAble;
    askAgainAt = now + (taken ? RENEW_AFTER_MS : LOOK_AGAIN_MS);
    if (taken && taken.epoch !== epoch) {
      await forget();
      await compareWithBus(options).catch((err: unknown) =>
        logger.warn({ err }, 'the last event on the bus was not read'),
      );
    }
    // While the lease is held, the published number in memory is ahead of the one in the database.
    if (taken?.epoch !== lease?.epoch) lease = taken;
    epoch = taken?.epoch ?? epoch;
    isEmpty = taken?.hasRows === false;
    return lease;
  }

  const relaying = startLoop(
    LOOK_AGAIN_MS,
    { name: 'relay', signals, topic: topics.outbox, logger, watchdog, isVital: true },
    async () => {
      const held = await currentLease();
      if (!held) return 'WAIT';
      if (hasFailed) await startOver();
      if (isEmpty && couldPublish) return 'QUIET';
      try {
        return couldPublish ? await relayBatch(held) : await logBatch(held);
      } catch (error) {
        if (!(error instanceof LeaseLost)) throw error;
        lease = null;
        return 'WAIT';
      }
    },
  );

  /** Takes rows, prepares them and starts to publish them. */
  async function relayBatch(held: Lease) {
    while (batches.size >= MAX_BATCHES_IN_FLIGHT) await Promise.race(batches);
    // A copy: acknowledgements that arrive meanwhile belong to the next round.
    const deleting = [...acknowledged];
    const heldNow = heldTenants();
    const taken = await asLeader(database, held, async (tx) => {
      // Sent first: Promise.all then fails with the cause, and not with the error of a statement behind it.
      const deleted = deleteRows(tx, deleting);
      // Check again: the bus may have gone while this round waited for a batch or for the lease.
      const taking = canPublish() ? passes.take(tx, { inFlight: [...inFlight], held: heldNow }) : null;
      const [pass] = await Promise.all([taking, deleted]);
      if (!pass) return null;
      return { ...(await prepare(tx, pass.rows)), pass };
    });
    acknowledged = acknowledged.slice(deleting.length);
    for (const { position } of deleting) inFlight.delete(position);
    if (!taken) return 'SOON';
    const { pass, prepared, topics } = taken;
    passes.committed(pass);
    signals.send(topics);
    if (prepared.size > 0) startPublishing(prepared);
    if (pass.isFull || passes.after() !== '') return 'AGAIN';
    if (pass.rows.length > 0 || pass.isQuick) return 'SOON';
    if (batches.size > 0) await Promise.race(batches);
    // No signal tells that a tenant is no longer held.
    return batches.size > 0 || acknowledged.length > 0 || heldNow.length > 0 ? 'SOON' : 'QUIET';
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

  /** Another node may have been the leader meanwhile: take all remaining rows again. */
  async function forget(): Promise<void> {
    await Promise.all(batches);
    hasFailed = false;
    acknowledged = [];
    inFlight.clear();
    passes.beginAfter('');
  }

  /** Once no message awaits an acknowledgement, take the unacknowledged rows again in their order. */
  async function startOver(): Promise<void> {
    await Promise.all(batches);
    hasFailed = false;
    inFlight.clear();
    for (const { position } of acknowledged) inFlight.add(position);
    passes.beginAfter('');
    if (++failures >= FAILURES_IN_A_ROW) {
      failures = 0;
      givenAwayUntil = performance.now() + GIVE_AWAY_MS;
    }
    await delay(AFTER_A_FAILURE_MS);
  }

  /** Without the bus nothing is dispatched, but the facts are logged. Their rows then wait in the order of the log. */
  async function logBatch(held: Lease) {
    const { isFull, topics, next } = await asLeader(database, held, async (tx) => {
      const { rows, after: next, isFull } = await takeUnloggedRows(tx, passes.after());
      const topics = await dispatch.prepareWithoutBus(tx, rows);
      await queueAsLogged(tx, rows);
      return { isFull, topics, next };
    });
    passes.beginAfter(next);
    signals.send(topics);
    return isFull || next !== '' ? 'AGAIN' : 'WAIT';
  }

  /**
   * Publishes the next events of the log. Returns whether there may be more. The lease row stores how far the bus has
   * acknowledged the log, so the next leader continues there.
   */
  async function publishEvents(held: Lease): Promise<boolean> {
    const page = await readEvents(held.publishedSeq, EVENTS_OF_A_BATCH);
    if (!page) return false;
    await publish(options, page.messages);
    await storePublished(database, held, page.last);
    held.publishedSeq = page.last;
    return page.isFull;
  }

  const publishing = startLoop(
    LOOK_AGAIN_MS,
    { name: 'publishing of events', signals, topic: topics.eventLog, logger, watchdog, pauseMs: PAUSE_OF_EVENTS_MS },
    async () => {
      const held = lease;
      if (!held || !canPublish()) return 'WAIT';
      const hasMore = await publishEvents(held).catch((error: unknown) => {
        // The relay itself notices a lost lease and asks for it again.
        if (!(error instanceof LeaseLost)) throw error;
      });
      return hasMore ? 'AGAIN' : 'QUIET';
    },
  );

  return {
    async stop(): Promise<void> {
      await Promise.all([relaying.stop(), publishing.stop()]);
      await Promise.all(batches);
      const held = lease;
      if (held) await asLeader(database, held, (tx) => deleteRows(tx, acknowledged)).catch(() => {});
      await releaseLease(database, holder);
    },
  };
}
