import type { RuntimeAbortSignal } from '../runtime.js';
import { FairPlaces } from './fair-places.js';

/** Calls `call` as soon as there is a place. Rejects with the signal's reason if it is aborted before that. */
export type CallLimit = <Result>(
  key: string,
  call: () => Promise<Result>,
  signal?: RuntimeAbortSignal,
) => Promise<Result>;

/**
 * At most `atOnce` calls at a time, for an API that takes no more. The key is a tenant or a device. It gets a place only
 * while it has fewer than are free: slow calls of one key delay its own calls and not those of others.
 *
 * ```ts
 * const limit = limitCalls(64);
 * const answer = await limit(command.tenant_id, () => fetch(url), signal);
 * ```
 */
export function limitCalls(atOnce: number): CallLimit {
  if (!Number.isInteger(atOnce) || atOnce < 1) throw new TypeError('limitCalls: give a whole number above 0.');
  const places = new FairPlaces(atOnce);
  const waiting = new Set<{ key: string; begin(): void }>();

  function beginWaiting(): void {
    for (const one of waiting) {
      if (places.free < 1) return;
      if (!places.mayTake([one.key])) continue;
      waiting.delete(one);
      places.take([one.key]);
      one.begin();
    }
  }

  const place = (key: string, signal?: RuntimeAbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        waiting.delete(one);
        reject(signal?.reason);
      };
      const one = {
        key,
        begin() {
          signal?.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      if (signal?.aborted) return giveUp();
      signal?.addEventListener('abort', giveUp);
      waiting.add(one);
      beginWaiting();
    });

  return async (key, call, signal) => {
    await place(key, signal);
    try {
      return await call();
    } finally {
      places.leave([key]);
      beginWaiting();
    }
  };
}
