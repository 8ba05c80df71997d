import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from '../context.js';
import { UsageError } from '../errors.js';
import { interruptible } from '../interruptible.js';

/** Much longer than the work under the lock takes. */
const WAIT_MS = 5_000;
const PAUSE_MS = 20;

/** Does the work while no other process that uses this lock does. A signal does not leave the lock behind. */
export async function withLock<T>(context: Context, path: string, work: () => Promise<T>): Promise<T> {
  return interruptible(context, async (signal) => {
    await lock(context, path, signal);
    try {
      return await work();
    } finally {
      await context.fs.unlink(path);
    }
  });
}

async function lock({ fs }: Context, path: string, signal: AbortSignal): Promise<void> {
  const endsAt = performance.now() + WAIT_MS;
  for (;;) {
    try {
      return await (await fs.open(path, 'wx', 0o600)).close();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code !== 'EEXIST') throw new UsageError(`cannot write ${path}: ${message}`);
      if (performance.now() > endsAt) {
        throw new UsageError(`another topctl is changing the profiles; if none is running, remove ${path}`);
      }
      await delay(PAUSE_MS);
      signal.throwIfAborted();
    }
  }
}
