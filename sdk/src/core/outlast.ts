import { isApiError } from '../errors.js';
import type { RuntimeAbortSignal } from '../runtime.js';
import { backOffMs, effectOf } from './retry.js';
import { sleep } from './sleep.js';

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
      if (!mayPass(error) || performance.now() + delayMs >= endsAt) throw error;
      await sleep(delayMs, signal);
    }
  }
}

/** An outage is temporary. A refusal is not, nor is a success from another server. */
export function mayPass(error: unknown): boolean {
  return effectOf(error) !== 'decided' && !(isApiError(error) && error.status < 400);
}
