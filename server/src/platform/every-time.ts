import type { Logger } from 'pino';
import type { Signals } from './signals/signals.js';

/** AGAIN: there may be more to do. SOON: in a moment. WAIT: until the interval has passed, or a signal comes. */
type Progress = 'AGAIN' | 'SOON' | 'WAIT';

type Options = { name: string; logger: Logger; signals: Signals; topic?: string };

const AFTER_A_FAILURE_MS = 1_000;
const SOON_MS = 20;

/** Background work that is done again and again until it is stopped; a failure is logged and tried again. */
export function everyTime(
  intervalMs: number,
  { name, logger, signals, topic }: Options,
  work: () => Promise<Progress>,
) {
  let isStopping = false;
  let signaled = false;
  let wake = () => {};
  const stopListening =
    topic === undefined
      ? () => {}
      : signals.listen(topic, () => {
          signaled = true;
          wake();
        });

  const rest = (milliseconds: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  async function run(): Promise<void> {
    while (!isStopping) {
      signaled = false;
      try {
        const progress = await work();
        if (progress === 'AGAIN' || signaled || isStopping) continue;
        await rest(progress === 'SOON' ? SOON_MS : intervalMs);
      } catch (error) {
        if (isStopping) return;
        logger.error({ err: error }, name);
        await rest(AFTER_A_FAILURE_MS);
      }
    }
  }

  const running = run();
  return {
    /** Resolves once what is under way is done. */
    stop(): Promise<void> {
      isStopping = true;
      stopListening();
      wake();
      return running;
    },
  };
}
