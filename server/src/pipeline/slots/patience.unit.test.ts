import { expect, onTestFinished, test, vi } from 'vitest';
import { createPatience } from './patience.js';

const lockNotAvailable = () => Object.assign(new Error('canceling statement due to lock timeout'), { code: '55P03' });

/** Work on slots, some of which are busy. `asked`: the slots of each attempt. */
function workWhile(busy: Set<number>) {
  const asked: (readonly number[])[] = [];
  const work = async (slots: readonly number[]) => {
    asked.push(slots);
    if (slots.some((slot) => busy.has(slot))) throw lockNotAvailable();
    return slots;
  };
  return { asked, work };
}

test('work on all slots is one attempt; behind a busy slot each is tried alone, and the busy one is left out', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const busy = new Set<number>();
  const { asked, work } = workWhile(busy);
  const patience = createPatience();
  expect(await patience.each([1, 2, 3], work)).toEqual([[1, 2, 3]]);
  busy.add(2);
  expect(await patience.each([1, 2, 3], work)).toEqual([[1], [3]]);
  expect([patience.isWaiting([2, 3]), patience.isWaiting([1, 3])]).toEqual([true, false]);
  asked.length = 0;
  expect(await patience.each([1, 2, 3], work)).toEqual([[1, 3]]);
  expect(asked).toEqual([[1, 3]]);
});

test('a busy slot is tried again alone, so that it delays no other, and then works with the others', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const busy = new Set([2]);
  const { asked, work } = workWhile(busy);
  const patience = createPatience();
  await patience.each([1, 2], work);
  vi.advanceTimersByTime(2_000);
  asked.length = 0;
  expect(await patience.each([1, 2], work)).toEqual([[1]]);
  expect(asked).toEqual([[1], [2]]);
  busy.clear();
  vi.advanceTimersByTime(2_000);
  expect(await patience.each([1, 2], work)).toEqual([[1], [2]]);
  expect(await patience.each([1, 2], work)).toEqual([[1, 2]]);
  expect(patience.isWaiting([1, 2])).toBe(false);
});

test('any other error is thrown', async () => {
  const fail = () => Promise.reject(Object.assign(new Error('deadlock detected'), { code: '40P01' }));
  await expect(createPatience().each([1, 2], fail)).rejects.toThrow('deadlock detected');
});
