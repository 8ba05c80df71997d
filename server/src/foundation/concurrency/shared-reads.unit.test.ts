import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { lastKnown, shared, sharedNext } from './shared-reads.js';

const soon = { timeout: 60_000 };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test('callers within a second share one read, and a later caller reads again', async () => {
  let looks = 0;
  const look = shared(async () => ++looks, { forMs: 1_000 });
  expect(new Set(await Promise.all(Array.from({ length: 1_000 }, look)))).toEqual(new Set([1]));
  vi.advanceTimersByTime(999);
  expect(await look()).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await look()).toBe(2);
});

test('a read that takes longer than a second is not started twice', async () => {
  const finish: Array<(value: string) => void> = [];
  const look = shared(() => new Promise<string>((resolve) => finish.push(resolve)), { forMs: 1_000 });
  const first = look();
  vi.advanceTimersByTime(5_000);
  const second = look();
  expect(finish).toHaveLength(1);
  finish[0]?.('done');
  expect(await Promise.all([first, second])).toEqual(['done', 'done']);
});

test('a failed read fails for its callers, and is retried a second later', async () => {
  let looks = 0;
  const look = shared(
    async () => {
      if (++looks === 1) throw new Error('The database is away.');
      return looks;
    },
    { forMs: 1_000 },
  );
  await expect(look()).rejects.toThrow('away');
  await expect(look()).rejects.toThrow('away');
  vi.advanceTimersByTime(1_000);
  expect(await look()).toBe(2);
});

test('without a time only callers during a read share it', async () => {
  let looks = 0;
  const look = shared(async () => ++looks, { forMs: 0 });
  expect(await Promise.all([look(), look()])).toEqual([1, 1]);
  expect(await look()).toBe(2);
});

test('a caller during a read shares the next one, which begins after it has asked', async () => {
  const finish: (() => void)[] = [];
  const read = sharedNext(() => new Promise<void>((resolve) => finish.push(resolve)));
  const first = read();
  await vi.waitFor(() => expect(finish).toHaveLength(1), soon);
  const second = read();
  expect(read()).toBe(second);
  expect(finish).toHaveLength(1);
  finish[0]?.();
  await first;
  await vi.waitFor(() => expect(finish).toHaveLength(2), soon);
  finish[1]?.();
  await second;
});

test('the last known value is there at once, is read again in the background, and expires', async () => {
  let reads = 0;
  const known = lastKnown(async () => ++reads, { unknown: 0, everyMs: 500, validMs: 5_000 });
  expect(known.value()).toBe(0);
  await vi.advanceTimersByTimeAsync(0);
  expect([known.value(), known.value()]).toEqual([1, 1]);
  await vi.advanceTimersByTimeAsync(501);
  expect(known.value()).toBe(1);
  await vi.advanceTimersByTimeAsync(0);
  expect(known.value()).toBe(2);
  await vi.advanceTimersByTimeAsync(5_001);
  expect(known.value()).toBe(0);
});

test('a slow read never lets the value expire, and a failed one is repeated soon', async () => {
  let reads = 0;
  const slow = async () => {
    await new Promise((resolve) => setTimeout(resolve, 600));
    if (++reads === 2) throw new Error('NATS is slow.');
    return reads;
  };
  const known = lastKnown(slow, { unknown: 0, everyMs: 250, validMs: 5_000 });
  const seen: number[] = [];
  for (let ms = 0; ms < 30_000; ms += 50) {
    seen.push(known.value());
    await vi.advanceTimersByTimeAsync(50);
  }
  expect(seen.slice(20).filter((value) => value === 0)).toEqual([]);
  expect(seen).toContain(3);
});

test('a slow read takes at most a twentieth of the time, and a failed one keeps the value', async () => {
  let reads = 0;
  const slow = async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    if (++reads === 2) throw new Error('The database is away.');
    return reads;
  };
  const known = lastKnown(slow, { unknown: 0, everyMs: 10, validMs: 60_000 });
  for (let ms = 0; ms < 4_100; ms += 10) {
    known.value();
    await vi.advanceTimersByTimeAsync(10);
  }
  expect(reads).toBeLessThanOrEqual(3);
  expect(known.value()).toBe(reads === 2 ? 1 : reads);
});
