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

/** Resolves when the signal is aborted. */
export const aborted = (signal: RuntimeAbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) resolve();
    signal?.addEventListener('abort', () => resolve());
  });
