import type { Context } from './context.js';
import { CancelledError } from './errors.js';

/** A signal aborts the work, which can then clean up. A second signal ends the process at once. */
export async function interruptible<T>({ signals }: Context, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const abort = () => controller.abort(new CancelledError('cancelled'));
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const name of names) signals.once(name, abort);
  try {
    return await work(controller.signal);
  } finally {
    for (const name of names) signals.off(name, abort);
  }
}
