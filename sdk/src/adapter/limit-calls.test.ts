import { expect, test } from 'vitest';
import { limitCalls } from '../adapter.js';

/** Calls that end when the test says so. */
function calls(atOnce: number) {
  const limit = limitCalls(atOnce);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const call = (key: string, signal?: AbortSignal) =>
    limit(
      key,
      () => {
        begun.push(key);
        return new Promise<string>((resolve) => ends.push(() => resolve(key)));
      },
      signal,
    );
  return { begun, ends, call };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('so many calls run at once, and the next begins when one ends', async () => {
  const { begun, ends, call } = calls(2);
  const [first] = ['a', 'b', 'c'].map((key) => call(key));
  await settled();
  expect(begun).toEqual(['a', 'b']);
  ends[0]?.();
  expect(await first).toBe('a');
  await settled();
  expect(begun).toEqual(['a', 'b', 'c']);
});

test('slow calls of one key leave a place to the next key', async () => {
  const { begun, call } = calls(8);
  for (let n = 0; n < 20; n += 1) void call('slow');
  void call('other');
  await settled();
  expect(begun).toEqual(['slow', 'slow', 'slow', 'slow', 'other']);
});

test('a call that waits ends with its signal, and is not made; a call that failed frees its place', async () => {
  const { begun, ends, call } = calls(1);
  void call('a');
  const giveUp = new AbortController();
  const waiting = call('b', giveUp.signal);
  giveUp.abort(new Error('The deadline has passed.'));
  await expect(waiting).rejects.toThrow('The deadline');
  await expect(call('c', giveUp.signal)).rejects.toThrow('The deadline');
  ends[0]?.();
  await settled();
  expect(begun).toEqual(['a']);
  const limit = limitCalls(1);
  await expect(limit('a', () => Promise.reject(new Error('503')))).rejects.toThrow('503');
  expect(await limit('a', async () => 1)).toBe(1);
});

test.each([0, 1.5, Number.NaN])('%s calls at once are refused', (atOnce) => {
  expect(() => limitCalls(atOnce)).toThrow(TypeError);
});
