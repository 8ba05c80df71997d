import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import type { Message } from '../bus/bus.js';
import type { Transaction } from '../database/database.js';
import { newId } from '../new-id.js';
import { type Signals, topics } from '../signals/signals.js';
import { startLoop } from '../signals/start-loop.js';
import type { Watchdog } from '../telemetry/watchdog.js';
import type { LagMeter } from './lag-meter.js';
import { asLeader, type Lease, LeaseLost, releaseLease, takeLease } from './lease.js';
import { createWaitMeter } from './measure-waits.js';
import type { EventLog, OutboxKind, OutboxRow } from './outbox-kind.js';
import { type Publisher, publish } from './publish.js';
import { publishEvents } from './publish-events.js';
import { BATCH, takeRows, takeUnloggedRows } from './take-rows.js';

export type RelayOptions = Publisher & {
  signals: Signals;
  watchdog: Watchdog;
  kinds: readonly OutboxKind[];
  eventLog: EventLog;
  /** Of the updates of adapters. */
  updatesLag: LagMeter;
};

const RENEW_AFTER_MS = 1_000;
/** A node that does not hold the lease asks for it so often; a leader without work looks so often should a signal get lost. */
const LOOK_AGAIN_MS = 500;
/** So many batches wait for the bus while the next one is prepared. */
const MAX_BATCHES_IN_FLIGHT = 3;
/** The relay rests before it takes a batch, unless the last one was full: rows that come meanwhile share the transaction. */
const REST_MS = 10;
const AFTER_A_FAILURE_MS = 1_000;
const MEASURE_MS = 500;
/** With more updates of adapters waiting on the bus than this, the relay rests. It is the work of about half a second. */
const MANY_UPDATES = 2_000;
/** Nobody can stop the relay with a flood of updates: after this time it takes the next batch. */
const CATCH_UP_WITHIN_MS = 200;
/** A leader that fails to publish so often in a row lets another node lead. */
const FAILURES_IN_A_ROW = 2;
/** If no other node takes the lease, the leader tries again after this time. */
const GIVE_AWAY_MS = 5_000;

/** A message that is to be published, and the row of the outbox that stands for it. */
type Prepared = { row: OutboxRow; message: Message };

/**
 * Publishes the outbox and the event log. One node of all does: the holder of the lease. Rows are prepared in one
 * transaction, published after its commit, and deleted in a later transaction once the bus has acknowledged them. After
 * a crash the same rows are taken again, and their messages have the same ids.
 */
export function startRelay(options: RelayOptions) {
  const { database, bus, signals, logger, watchdog, kinds, eventLog, updatesLag } = options;
  const holder = newId();
  let lease: Lease | null = null;
  /** Of the last lease that this node held. */
  let epoch = '';
  let askAgainAt = 0;
  let couldPublish = true;
  let failures = 0;
  let givenAwayUntil = 0;
  let after = '';
  let isBusy = false;
  const batches = new Set<Promise<void>>();
  /** Positions of rows whose messages are on their way. */
  const inFlight = new Set<string>();
  /** Rows to be deleted: the bus has their messages. */
  let acknowledged: OutboxRow[] = [];
  let hasFailed = false;
  /** How many rows have left since the start. */
  let left = 0;
  const measureWaits = createWaitMeter(database, { left: () => left, updatesLagMs: options.updatesLag.milliseconds });

  const canPublish = () => bus.unreadyReason() === null && performance.now() >= givenAwayUntil;

  /** Renews the lease about every second, and at once where the bus has come or gone. */
  async function currentLease(): Promise<Lease | null> {
    const now = performance.now();
    const isAble = canPublish();
    if (now < askAgainAt && isAble === couldPublish) return lease;
    const taken = await takeLease(database, holder, isAble);
    couldPublish = isAble;
    askAgainAt = now + (taken ? RENEW_AFTER_MS : LOOK_AGAIN_MS);
    if (taken && taken.epoch !== epoch) await forget();
    // While it is held, the published number in memory is ahead of the one in the answer.
    if (taken?.epoch !== lease?.epoch) lease = taken;
    epoch = taken?.epoch ?? epoch;
    return lease;
  }

  const relaying = startLoop(
    LOOK_AGAIN_MS,
    { name: 'relay', signals, topic: topics.outbox, logger, watchdog, isVital: true },
    async () => {
      const held = await currentLease();
      if (!held) return 'WAIT';
      if (hasFailed) await startOver();
      try {
        return couldPublish ? await relayBatch(held) : await logBatch(held);
      } catch (error) {
        if (!(error instanceof LeaseLost)) throw error;
        lease = null;
        return 'WAIT';
      }
    },
  );

  /** Takes rows, prepares them and begins to publish them. */
  async function relayBatch(held: Lease) {
    if (!isBusy) await delay(REST_MS);
    await updatesCatchUp();
    while (batches.size >= MAX_BATCHES_IN_FLIGHT) await Promise.race(batches);
    if (hasFailed) return 'AGAIN';
    // A copy: acknowledgements that come meanwhile are for the next round.
    const deleting = [...acknowledged];
    const taken = await asLeader(database, held, async (tx) => {
      await deleteRows(tx, deleting);
      // Asked again: the bus may have gone while this round waited for a batch or for the lease.
      if (!canPublish()) return { prepared: [], topics: [], count: 0, next: after };
      const { rows, after: next } = await takeRows(tx, { after, inFlight: [...inFlight] });
      return { ...(await prepare(tx, rows)), count: rows.length, next };
    });
    acknowledged = acknowledged.slice(deleting.length);
    for (const { position } of deleting) inFlight.delete(position);
    after = taken.next;
    left += taken.count - taken.prepared.length;
    signals.send(taken.topics);
    // A batch before this one failed meanwhile: these rows are taken again, behind its rows.
    if (hasFailed) return 'AGAIN';
    if (taken.prepared.length > 0) startPublishing(taken.prepared);
    isBusy = taken.count === BATCH || after !== '';
    if (taken.count > 0) return 'AGAIN';
    if (batches.size > 0) await Promise.race(batches);
    return batches.size > 0 || acknowledged.length > 0 ? 'AGAIN' : 'WAIT';
  }

  /**
   * More commands than the platform can bring to an end wait in the outbox, where tenants take turns, and not as updates
   * on the bus, where they would delay the updates of all tenants.
   */
  async function updatesCatchUp(): Promise<void> {
    const until = performance.now() + CATCH_UP_WITHIN_MS;
    while (updatesLag.waiting() > MANY_UPDATES && performance.now() < until) await delay(REST_MS);
  }

  /** What each kind writes before its messages leave. Rows that stand for no message any more are deleted. */
  async function prepare(tx: Transaction, rows: readonly OutboxRow[]) {
    const prepared: Prepared[] = [];
    const topics: string[] = [];
    const unsent: OutboxRow[] = [];
    for (const { kind, prepare } of kinds) {
      const ofKind = rows.filter((row) => row.kind === kind);
      if (ofKind.length === 0) continue;
      const made = await prepare(tx, ofKind);
      topics.push(...made.topics);
      for (const [index, row] of ofKind.entries()) {
        const message = made.messages[index];
        if (message) prepared.push({ row, message });
        else unsent.push(row);
      }
    }
    await deleteRows(tx, unsent);
    return { prepared, topics };
  }

  function startPublishing(prepared: readonly Prepared[]): void {
    for (const { row } of prepared) inFlight.add(row.position);
    const batch = publishBatch(prepared)
      .then(() => {
        failures = 0;
        acknowledged.push(...prepared.map(({ row }) => row));
        left += prepared.length;
      })
      .catch((err: unknown) => {
        logger.error({ err }, 'the relay repeats what the bus did not take');
        hasFailed = true;
      })
      .finally(() => batches.delete(batch));
    batches.add(batch);
  }

  async function publishBatch(prepared: readonly Prepared[]): Promise<void> {
    const refusals = await publish(
      options,
      prepared.map(({ message }) => message),
    );
    for (const { message, reason } of refusals) {
      const row = prepared.find((one) => one.message === message)?.row;
      const kind = kinds.find((one) => one.kind === row?.kind);
      if (row) await kind?.refused?.(row, reason);
    }
  }

  /** Another node may have led meanwhile: all rows that still stand are taken again. */
  async function forget(): Promise<void> {
    await Promise.all(batches);
    hasFailed = false;
    acknowledged = [];
    inFlight.clear();
    after = '';
  }

  /** What the bus did not take is taken again, in its order, once nothing is on its way any more. */
  async function startOver(): Promise<void> {
    await Promise.all(batches);
    hasFailed = false;
    inFlight.clear();
    for (const { position } of acknowledged) inFlight.add(position);
    after = '';
    if (++failures >= FAILURES_IN_A_ROW) {
      failures = 0;
      givenAwayUntil = performance.now() + GIVE_AWAY_MS;
    }
    await delay(AFTER_A_FAILURE_MS);
  }

  /** Without the bus nothing is dispatched, but what happened is logged. Its rows then wait in the order of the log. */
  async function logBatch(held: Lease) {
    if (!isBusy) await delay(REST_MS);
    const { count, topics, next } = await asLeader(database, held, async (tx) => {
      const { rows, after: next } = await takeUnloggedRows(tx, after);
      const topics: string[] = [];
      for (const { kind, prepareWithoutBus } of kinds) {
        topics.push(
          ...((await prepareWithoutBus?.(
            tx,
            rows.filter((row) => row.kind === kind),
          )) ?? []),
        );
      }
      await queueAsLogged(tx, rows);
      return { count: rows.length, topics, next };
    });
    after = next;
    signals.send(topics);
    isBusy = count === BATCH || after !== '';
    return isBusy ? 'AGAIN' : 'WAIT';
  }

  const publishing = startLoop(
    LOOK_AGAIN_MS,
    { name: 'publishing of events', signals, topic: topics.eventLog, logger, watchdog },
    async () => {
      const held = lease;
      if (!held || !canPublish()) return 'WAIT';
      const hasMore = await publishEvents(options, eventLog, held).catch(ignoreLeaseLost);
      return hasMore ? 'AGAIN' : 'WAIT';
    },
  );

  const measuring = startLoop(MEASURE_MS, { name: 'measuring of the backlog', signals, logger, watchdog }, async () => {
    const held = lease;
    if (held) await measureWaits(held, canPublish()).catch(ignoreLeaseLost);
    return 'WAIT';
  });

  return {
    async stop(): Promise<void> {
      await Promise.all([relaying.stop(), publishing.stop(), measuring.stop()]);
      await Promise.all(batches);
      const held = lease;
      if (held) await asLeader(database, held, (tx) => deleteRows(tx, acknowledged)).catch(() => {});
      await releaseLease(database, holder);
    },
  };
}

/** The relay itself notices it, and asks for the lease again. */
function ignoreLeaseLost(error: unknown): undefined {
  if (!(error instanceof LeaseLost)) throw error;
}

const keysOf = (rows: readonly OutboxRow[]) =>
  JSON.stringify(rows.map(({ tenant_id, is_logged, position }) => ({ tenant_id, is_logged, position })));

async function deleteRows(tx: Transaction, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`
    delete from outbox
    using json_to_recordset(${keysOf(rows)}::text::json) as done (
      tenant_id text, is_logged boolean, position bigint
    )
    where outbox.tenant_id = done.tenant_id and outbox.is_logged = done.is_logged and outbox.position = done.position`);
}

async function queueAsLogged(tx: Transaction, rows: readonly OutboxRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.execute(sql`
    with logged as (
      delete from outbox
      using json_to_recordset(${keysOf(rows)}::text::json) as taken (tenant_id text, position bigint)
      where outbox.tenant_id = taken.tenant_id and not outbox.is_logged and outbox.position = taken.position
      returning outbox.*
    )
    insert into outbox (tenant_id, is_logged, kind, fact_id, created_at)
    select tenant_id, true, kind, fact_id, created_at from logged order by position`);
}
