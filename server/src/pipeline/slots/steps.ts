import type { Transaction } from '../../foundation/database/database.js';
import { type Looping, type Progress, type Signals, startLoop } from '../../foundation/signals/signals.js';
import { type OwnedSlot, type SlotOwner, SlotsLost } from './slot-owner.js';

/** What a round of a step works on. */
export type Owned = {
  slots: readonly OwnedSlot[];
  /**
   * A transaction of the owner, for these slots, or for all of the round. `work` gets those that the worker still owns.
   * It waits for a lock for at most a second. Throws SlotsLost if none is left: nothing was changed.
   */
  transaction<Result>(
    work: (tx: Transaction, slots: readonly number[]) => Promise<Result>,
    slots?: readonly number[],
  ): Promise<Result>;
};

/** A background job. Its owner alone does it: who has lost the slots changes nothing. */
export type Step = {
  name: string;
  promise: string;
  /** SLOTS: for the tenants of each slot, by its owner. PLATFORM: once for all tenants, by the owner of slot 0. */
  of: 'SLOTS' | 'PLATFORM';
  everyMs: number;
  /** See startLoop. */
  pauseMs?: number;
  /** Whether the process is unready while every round fails. */
  isVital?: boolean;
  /** The signals that begin a round before its time. */
  topics?: (slots: readonly number[]) => readonly string[];
  /** Whether waiting rows of the outbox begin a round, in case their signal was lost. */
  takesRows?: boolean;
  round: (owned: Owned) => Promise<Progress>;
  /** After the last round, while the slots are still owned. */
  finish?: (owned: Owned) => Promise<void>;
};

/** Its owner does what is done once for all tenants. */
export const FIRST_SLOT = 0;
const RENEW_MS = 1_000;
/** How soon a worker that lacks slots looks again. */
const LOOK_AGAIN_MS = 500;
/** A worker without the slots of a step rests. New slots wake it. */
const WITHOUT_SLOTS_MS = 60_000;

/** Runs the steps of the slots that this process owns. */
export function startSteps(owner: SlotOwner, steps: readonly Step[], looping: Looping) {
  let renewAt = 0;
  /** At the last renewal: others learn soon that this worker cannot publish. */
  let couldPublish = true;

  const renewing = startLoop(
    LOOK_AGAIN_MS,
    { name: 'slots', pauseMs: LOOK_AGAIN_MS, isVital: true, ...looping },
    async () => {
      const dueInMs = renewAt - performance.now();
      if (dueInMs > 0 && owner.mayPublish() === couldPublish) return Math.min(dueInMs, LOOK_AGAIN_MS);
      // Others take the slots of a worker whose steps hang. If there is none, it goes on once they go on.
      if (looping.watchdog.stuckReason() !== null) return 'WAIT';
      couldPublish = owner.mayPublish();
      const { isWhole, hasRows } = await owner.renew();
      if (!isWhole) return 'WAIT';
      renewAt = performance.now() + RENEW_MS;
      if (!hasRows) return 'QUIET';
      for (const { step, loop } of running) if (step.takesRows) loop.wake();
      return 'WAIT';
    },
  );

  /** What a step works on now; null without a slot. */
  function ownedBy({ of }: Step): Owned | null {
    const slots = owner.owned().filter(({ slot }) => of === 'SLOTS' || slot === FIRST_SLOT);
    if (slots.length === 0) return null;
    const some = (numbers: readonly number[]) => slots.filter(({ slot }) => numbers.includes(slot));
    return { slots, transaction: (work, numbers) => owner.transaction(numbers ? some(numbers) : slots, work) };
  }

  const running = steps.map((step) => {
    const { name, everyMs, pauseMs, isVital, topics, round } = step;
    const loop = startLoop(everyMs, { name, pauseMs, isVital, ...looping }, async () => {
      const owned = ownedBy(step);
      if (!owned) return WITHOUT_SLOTS_MS;
      try {
        return await round(owned);
      } catch (error) {
        if (!(error instanceof SlotsLost)) throw error;
        renewAt = 0;
        renewing.wake();
        return 'SOON';
      }
    });
    const listening = createListening(looping.signals);
    owner.onChange(() => {
      const slots = ownedBy(step)?.slots.map(({ slot }) => slot);
      listening.to((slots && topics?.(slots)) ?? [], loop.wake);
      loop.wake();
    });
    return { step, loop, listening };
  });
  owner.onUnstored(renewing.wake);

  return {
    async stop(): Promise<void> {
      await Promise.all([renewing, ...running.map(({ loop }) => loop)].map((loop) => loop.stop()));
      for (const { step, listening } of running) {
        listening.to([], () => {});
        const owned = ownedBy(step);
        if (owned) await step.finish?.(owned).catch(() => {});
      }
      await owner.release();
    },
  };
}

/** Listens to topics that change. */
function createListening(signals: Signals) {
  let listening: (() => void)[] = [];
  return {
    to(topics: readonly string[], listener: () => void): void {
      for (const stop of listening) stop();
      listening = topics.map((topic) => signals.listen(topic, listener));
    },
  };
}
