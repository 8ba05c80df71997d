import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { pause, until } from './pause.js';

/** Defect: each fetch of a reader left a listener on its signal. */
test('what has ended leaves no listener on the signal', async () => {
  const { signal } = new AbortController();
  await until(Promise.resolve(), signal);
  await pause(0, signal);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('an aborted signal ends the wait, whether it is aborted before or afterwards', async () => {
  const never = new Promise<void>(() => {});
  await until(never, AbortSignal.abort());
  const stopping = new AbortController();
  const waiting = until(never, stopping.signal);
  stopping.abort();
  await waiting;
});
