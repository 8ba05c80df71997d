import { isApiError } from '../errors.js';
import type { RuntimeAbortSignal } from '../runtime.js';
import { backOffMs, isDecided } from './retry.js';
import { sleep } from './sleep.js';

/** A maintenance page may ask for an hour. The platform may be back much sooner. */
const LONGEST_PAUSE_MS = 30_000;

/**
 * Repeats a call through outages until `endsAt`, then throws the last error. The call must be safe to repeat. The call
 * also retries by itself; this loop continues when the call gives up.
 */
export async function outlast<T>(
  call: () => Promise<T>,
  { endsAt, signal }: { endsAt: number; signal: RuntimeAbortSignal | undefined },
): Promise<T> {
  for (let retry = 0; ; retry += 1) {
    try {
      return await call();
    } catch (error) {
      const delayMs = backOffMs(retry, isApiError(error) ? error.retryAfterMs : undefined);
      const leftMs = endsAt - performance.now();
      if (!mayPass(error) || leftMs <= 0) throw error;
      await sleep(Math.min(delayMs, LONGEST_PAUSE_MS, leftMs), signal);
    }
  }
}

/** An outage is temporary. A refusal is not, nor is a success from another server. */
export function mayPass(error: unknown): boolean {
  return !isDecided(error) && !(isApiError(error) && error.status < 400);
}
