import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { onceASecond } from './once-a-second.js';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test('callers within a second share one read, and a later caller reads again', async () => {
  let looks = 0;
  const look = onceASecond(async () => ++looks);
  expect(await Promise.all([look(), look(), look()])).toEqual([1, 1, 1]);
  vi.advanceTimersByTime(999);
  expect(await look()).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await look()).toBe(2);
});

test('a read that takes longer than a second is not started twice', async () => {
  const finish: Array<(value: string) => void> = [];
  const look = onceASecond(() => new Promise<string>((resolve) => finish.push(resolve)));
  const first = look();
  vi.advanceTimersByTime(5_000);
  const second = look();
  expect(finish).toHaveLength(1);
  finish[0]?.('done');
  expect(await Promise.all([first, second])).toEqual(['done', 'done']);
});

test('a failed read fails for its callers, and is retried a second later', async () => {
  let looks = 0;
  const look = onceASecond(async () => {
    if (++looks === 1) throw new Error('The database is away.');
    return looks;
  });
  await expect(look()).rejects.toThrow('away');
  await expect(look()).rejects.toThrow('away');
  vi.advanceTimersByTime(1_000);
  expect(await look()).toBe(2);
});
