import { setTimeout as delay } from 'node:timers/promises';
import type { Transaction } from '../../foundation/database/database.js';
import { pipelined } from '../../foundation/database/pipelined.js';
import type { Progress, Signals } from '../../foundation/signals/signals.js';
import type { Message } from '../bus/bus.js';
import { createPatience } from '../slots/patience.js';
import { type OwnedSlot, type SlotOwner, SlotsLost } from '../slots/slot-owner.js';
import type { Owned, Step } from '../slots/steps.js';
import type { OutboxRow } from '../tables.js';
import type { Dispatch } from './dispatch.js';
import { createInFlight, type Prepared } from './in-flight.js';
import { createPausedTenants } from './paused-tenants.js';
import { type Publisher, publish } from './publish.js';
import { createPasses, deleteRows, queueAsLogged, takeUnloggedRows } from './take-rows.js';

export type RelayOptions = Publisher & {
  owner: Pick<SlotOwner, 'mayPublish' | 'giveWay'>;
  signals: Signals;
  dispatch: Dispatch;
};

const AFTER_A_FAILURE_MS = 1_000;
/** After this many failures in a row the worker lets others have its slots. */
const FAILURES_IN_A_ROW = 2;
/** If no other worker takes them, it tries again after this time. */
const GIVE_WAY_MS = 5_000;
/** New rows wake the relay. */
const REST_MS = 60_000;

/**
 * Publishes the outbox of the slots that this worker owns. Rows are prepared in one transaction, published after its
 * commit, and deleted in a later transaction once the bus has acknowledged them. After a crash the same rows are prepared
 * again, with the same message ids. More: docs/internals/outbox.md.
 */
export function createRelay(options: RelayOptions): Pick<Step, 'round' | 'finish'> {
  const { owner, signals, dispatch, logger } = options;
  const inFlight = createInFlight();
  const passes = createPasses();
  const patience = createPatience();
  const pausedTenants = createPausedTenants(options.bus);
  let known: readonly OwnedSlot[] = [];
  let failures = 0;

  async function round(owned: Owned): Promise<Progress> {
    const slots = owned.slots.map(({ slot }) => slot);
    const kept = owned.slots.filter((slot) => known.includes(slot));
    const hasFailed = inFlight.hasFailed();
    if (kept.length < owned.slots.length || kept.length < known.length || hasFailed) {
      await startOver(kept.map(({ slot }) => slot));
      known = owned.slots;
      if (hasFailed) await afterAFailure();
    }
    const relaySome = owner.mayPublish() ? relayBatch : logBatch;
    const done = await patience.each(slots, (some) => relaySome(owned, some));
    if (done.includes('AGAIN')) return 'AGAIN';
    if (done.includes('SOON')) return 'SOON';
    return done.includes('WAIT') || patience.isWaiting(slots) ? 'WAIT' : REST_MS;
  }

  /**
   * Takes the rows without an acknowledgement again, in their order. What is known of other slots than `kept` is void:
   * another worker, or another history of the database, may have had them meanwhile.
   */
  async function startOver(kept: readonly number[]): Promise<void> {
    await inFlight.untilSettled();
    inFlight.startOver(kept);
    passes.beginAfter('');
  }

  async function afterAFailure(): Promise<void> {
    if (++failures >= FAILURES_IN_A_ROW) {
      failures = 0;
      owner.giveWay(GIVE_WAY_MS);
    }
    await delay(AFTER_A_FAILURE_MS);
  }

  /** Takes rows, prepares them and starts to publish them. */
  async function relayBatch({ transaction }: Owned, some: readonly number[]): Promise<Progress> {
    await inFlight.untilRoom();
    const paused = pausedTenants();
    const { taken, deleting } = await transaction(async (tx, slots) => {
      const deleting = inFlight.acknowledgedOf(slots);
      const leftOut = { inFlight: inFlight.positions(), paused, slots };
      const [, pass] = await pipelined(
        () => deleteRows(tx, deleting),
        // Ask again: the bus may have gone while this round waited for a batch.
        async () => (owner.mayPublish() ? passes.take(tx, leftOut) : null),
      );
      return { taken: pass && { ...(await prepare(tx, pass.rows)), pass }, deleting };
    }, some);
    inFlight.deleted(deleting);
    if (!taken) return 'SOON';
    const { pass, prepared, topics } = taken;
    passes.committed(pass);
    signals.send(topics);
    if (prepared.size > 0) inFlight.add(prepared, (batch) => publishBatch(batch, transaction));
    if (pass.isFull || passes.after() !== '') return 'AGAIN';
    if (pass.rows.length > 0 || pass.isQuick) return 'SOON';
    await inFlight.untilProgress();
    // No signal tells that a tenant is no longer paused.
    return inFlight.isEmpty() && paused.length === 0 ? 'QUIET' : 'SOON';
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

  async function publishBatch(prepared: Prepared, transaction: Owned['transaction']): Promise<boolean> {
    try {
      for (const { message, reason } of await publish(options, [...prepared.keys()], transaction)) {
        const row = prepared.get(message);
        if (row) await dispatch.endUndeliverable(transaction, row, reason);
      }
      failures = 0;
      return true;
    } catch (err) {
      if (!(err instanceof SlotsLost))
        logger.error({ err }, 'a batch was not acknowledged: the relay publishes it again');
      return false;
    }
  }

  /** Without the bus nothing is dispatched, but the facts are logged. Their rows then wait in the order of the log. */
  async function logBatch({ transaction }: Owned, some: readonly number[]): Promise<Progress> {
    const { isFull, topics, next } = await transaction(async (tx, slots) => {
      const { rows, after: next, isFull } = await takeUnloggedRows(tx, passes.after(), slots);
      const topics = await dispatch.prepareWithoutBus(tx, rows);
      await queueAsLogged(tx, rows);
      return { isFull, topics, next };
    }, some);
    passes.beginAfter(next);
    signals.send(topics);
    return isFull || next !== '' ? 'AGAIN' : 'WAIT';
  }

  return {
    round,
    async finish({ transaction }: Owned): Promise<void> {
      await inFlight.untilSettled();
      await transaction((tx, slots) => deleteRows(tx, inFlight.acknowledgedOf(slots)));
    },
  };
}
