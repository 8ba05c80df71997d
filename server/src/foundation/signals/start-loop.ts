import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Watchdog } from '../telemetry/watchdog.js';
import { createWaker, type Signals } from './signals.js';

/** AGAIN: there may be more to do. SOON: after the pause. Otherwise: when the interval has passed or a signal arrives. */
type Progress = 'AGAIN' | 'SOON' | 'WAIT';

/** What every loop of a process shares. */
export type Looping = { logger: Logger; signals: Signals; watchdog: Watchdog };

type Options = Looping & {
  name: string;
  /** Whether the process is unready while every round fails. */
  isVital?: boolean;
  topic?: string;
  firstAfterMs?: number;
  /** A pause after each round that does not return AGAIN. No signal cuts it short: what arrives meanwhile shares a round. */
  pauseMs?: number;
};

const AFTER_A_FAILURE_MS = 1_000;

/** Runs background work in rounds until it is stopped. A failed round is logged and retried. */
export function startLoop(
  intervalMs: number,
  { name, logger, signals, watchdog, isVital = false, topic, firstAfterMs = 0, pauseMs = 20 }: Options,
  work: () => Promise<Progress> | Promise<void>,
) {
  const stopping = new AbortController();
  const waker = createWaker(signals, topic);
  const roundDone = watchdog.watchRounds(name, { everyMs: Math.max(intervalMs, firstAfterMs), isVital });

  async function run(): Promise<void> {
    if (firstAfterMs > 0) await waker.sleep(firstAfterMs);
    let goesOn = false;
    while (!stopping.signal.aborted) {
      // A signal that arrives while work goes on may concern a part that is already done.
      if (!goesOn) waker.reset();
      try {
        const progress = await work();
        roundDone();
        goesOn = progress === 'AGAIN';
        if (goesOn || stopping.signal.aborted) continue;
        await delay(pauseMs, undefined, stopping);
        if (progress !== 'SOON') await waker.sleep(intervalMs - pauseMs);
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
    /** Resolves once the current round is done. */
    stop(): Promise<void> {
      stopping.abort();
      waker.stop();
      return running;
    },
  };
}
