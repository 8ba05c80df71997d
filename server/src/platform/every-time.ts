import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { alarmOn } from './signals/alarm.js';
import type { Signals } from './signals/signals.js';

/** AGAIN: there may be more to do. SOON: in a moment. WAIT: until the interval has passed, or a signal comes. */
type Progress = 'AGAIN' | 'SOON' | 'WAIT';

type Options = { name: string; logger: Logger; signals: Signals; topic?: string; firstAfterMs?: number };

const AFTER_A_FAILURE_MS = 1_000;
const SOON_MS = 20;

/** Background work that is done again and again until it is stopped; a failure is logged and tried again. */
export function everyTime(
  intervalMs: number,
  { name, logger, signals, topic, firstAfterMs = 0 }: Options,
  work: () => Promise<Progress>,
) {
  const stopping = new AbortController();
  const alarm = alarmOn(signals, topic);

  async function run(): Promise<void> {
    if (firstAfterMs > 0) await alarm.rest(firstAfterMs);
    while (!stopping.signal.aborted) {
      alarm.reset();
      try {
        const progress = await work();
        if (progress === 'AGAIN' || stopping.signal.aborted) continue;
        await alarm.rest(progress === 'SOON' ? SOON_MS : intervalMs);
      } catch (error) {
        if (stopping.signal.aborted) return;
        logger.error({ err: error }, name);
        // No signal cuts this short: what cannot be done, for NATS is down, would be tried at every command.
        await delay(AFTER_A_FAILURE_MS, undefined, stopping).catch(() => {});
      }
    }
  }

  const running = run();
  return {
    /** Resolves once what is under way is done. */
    stop(): Promise<void> {
      stopping.abort();
      alarm.stop();
      return running;
    },
  };
}
