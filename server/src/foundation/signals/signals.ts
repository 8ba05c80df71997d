import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Watchdog } from '../telemetry/watchdog.js';

/** Wakes waiters on every node when something happens. */
export type Signals = {
  /** Whether a signal may get lost between nodes. Then every waiter also polls. */
  mayGetLost: boolean;
  /** Call it after the commit. */
  send(topics: readonly string[]): void;
  /** Returns a function that stops listening. */
  listen(topic: string, wake: () => void): () => void;
  /** The number of listeners in this process. */
  listeners(topic: string): number;
  /** Whether this process currently receives signals. */
  isReceiving(): Promise<boolean>;
  /** True once nothing may wait any more. */
  isClosed(): boolean;
  /** Wakes all waiters, for good. */
  close(): Promise<void>;
};

/** `changesOf` reads the parts of topics that requests wait for. Spaces separate the parts. */
export const topics = {
  /** A row of a tenant in this slot waits to be relayed. */
  outbox: (slot: number) => `outbox-row ${slot}`,
  /** An event of a tenant in this slot was logged and waits to be published. */
  eventLog: (slot: number) => `event-log ${slot}`,
  /** Bus principals, or the vendors that they read, have changed. */
  busAccess: 'bus-access',
  /** A generation of the database has begun. The database itself sends it: see look_at_generation_v1. */
  generation: 'generation',
  /** A device request was stored: it will expire. */
  deviceRequest: 'device-request',
  /** The deletion of a tenant was requested. */
  deletion: 'deletion',
  command: (tenantId: string, commandId: string) => `command ${tenantId} ${commandId}`,
  events: (tenantId: string) => `events ${tenantId}`,
  deviceRequests: (tenantId: string) => `device-requests ${tenantId}`,
};

/** Signals of one process. None gets lost if the platform has no other process. */
export function localSignals({ mayGetLost = true } = {}): Signals {
  let isClosed = false;
  const listeners = new Map<string, Set<() => void>>();
  const signals = {
    mayGetLost,
    isClosed: () => isClosed,
    send(topics: readonly string[]) {
      for (const topic of new Set(topics)) for (const wake of [...(listeners.get(topic) ?? [])]) wake();
    },
    listen(topic: string, wake: () => void) {
      const those = listeners.get(topic) ?? new Set();
      listeners.set(topic, those.add(wake));
      return () => {
        those.delete(wake);
        if (those.size === 0) listeners.delete(topic);
      };
    },
    isReceiving: async () => true,
    listeners: (topic: string) => listeners.get(topic)?.size ?? 0,
    async close() {
      isClosed = true;
      signals.send([...listeners.keys()]);
    },
  };
  return signals;
}

/** A sleep that a signal of these topics ends early, even if it arrived before the sleep and after `reset`. */
export function createWaker(signals: Signals, topics: readonly string[]) {
  let isAwake = false;
  let endSleep = () => {};
  function wake(): void {
    isAwake = true;
    endSleep();
  }
  const listening = topics.map((topic) => signals.listen(topic, wake));
  return {
    /** Ends the sleep as a signal does. */
    wake,
    reset(): void {
      isAwake = false;
    },
    async sleep(milliseconds: number): Promise<void> {
      if (isAwake) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds);
        endSleep = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
    /** Ends the sleep and all later ones. */
    stop(): void {
      for (const stopListening of listening) stopListening();
      wake();
    },
  };
}

/**
 * AGAIN: there may be more to do. SOON: after the pause. WAIT: when the interval has passed or a signal arrives. QUIET:
 * nothing is under way, so an idle process looks less often: mostly in case a signal got lost. A number: as WAIT, with
 * this interval in milliseconds.
 */
export type Progress = 'AGAIN' | 'SOON' | 'WAIT' | 'QUIET' | number;

/** What every loop of a process shares. */
export type Looping = { logger: Logger; signals: Signals; watchdog: Watchdog };

type Options = Looping & {
  name: string;
  /** Whether the process is unready while every round fails. */
  isVital?: boolean;
  topics?: readonly string[];
  firstAfterMs?: number;
  /** A pause after each round that does not return AGAIN. No signal cuts it short: what arrives meanwhile shares a round. */
  pauseMs?: number;
};

const AFTER_A_FAILURE_MS = 1_000;
const QUIET_MS = 2_000;
/** If no signal gets lost, only purges and the clock are left. */
const QUIET_ALONE_MS = 60_000;

/** How long a loop rests at most after QUIET. */
export const quietMs = ({ mayGetLost }: Signals) => (mayGetLost ? QUIET_MS : QUIET_ALONE_MS);

function restAfter(progress: unknown, intervalMs: number, signals: Signals): number {
  if (typeof progress === 'number') return progress;
  return progress === 'QUIET' ? Math.max(quietMs(signals), intervalMs) : intervalMs;
}

/** Runs background work in rounds until it is stopped. A failed round is logged and retried. */
export function startLoop(
  intervalMs: number,
  { name, logger, signals, watchdog, isVital = false, topics = [], firstAfterMs = 0, pauseMs = 20 }: Options,
  work: () => Promise<Progress> | Promise<void>,
) {
  const stopping = new AbortController();
  const waker = createWaker(signals, topics);
  const roundDone = watchdog.watchRounds(name, { everyMs: Math.max(intervalMs, firstAfterMs), isVital });

  async function run(): Promise<void> {
    if (firstAfterMs > 0) await waker.sleep(firstAfterMs);
    let goesOn = false;
    while (!stopping.signal.aborted) {
      // A signal that arrives while work goes on may concern a part that is already done.
      if (!goesOn) waker.reset();
      try {
        const progress = await work();
        const restMs = restAfter(progress, intervalMs, signals);
        roundDone(restMs - intervalMs);
        goesOn = progress === 'AGAIN';
        if (goesOn || stopping.signal.aborted) continue;
        await delay(pauseMs, undefined, stopping);
        if (progress === 'SOON') continue;
        await waker.sleep(restMs - pauseMs);
        // From here on the loop is expected to complete a round.
        if (restMs > intervalMs) roundDone();
      } catch (error) {
        if (stopping.signal.aborted) return;
        logger.error({ err: error }, name);
        // No signal cuts this short: while NATS is down, every new command would start another attempt.
        await delay(AFTER_A_FAILURE_MS, undefined, stopping).catch(() => {});
      }
    }
  }

  const running = run();
  return {
    /** As a signal does. */
    wake: waker.wake,
    /** Resolves once the current round is done. */
    stop(): Promise<void> {
      stopping.abort();
      waker.stop();
      return running;
    },
  };
}
