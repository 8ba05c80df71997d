import type { RuntimeAbortSignal } from '../runtime.js';

/** Resolves after the time, or as soon as the signal is aborted. */
export const pause = (ms: number, signal?: RuntimeAbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });

/** Resolves with the promise, or as soon as the signal is aborted. Promise.race would keep the listener. */
export const until = (promise: Promise<void>, signal?: RuntimeAbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const end = () => {
      signal?.removeEventListener('abort', end);
      resolve();
    };
    void promise.then(end);
    signal?.addEventListener('abort', end);
  });
