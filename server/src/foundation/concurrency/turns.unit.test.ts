import { expect, test } from 'vitest';
import { errorCodeOf } from '../database/database-error.js';
import { createTurns, onePerTick } from './turns.js';

/** Work that lasts until the test ends it. */
function lasting() {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => ended, end: () => end() };
}

test('work of one key runs one after the other, even after a failure, and other keys do not wait', async () => {
  const inTurn = createTurns();
  const begun: number[] = [];
  const first = lasting();
  const results = [
    inTurn('a', first.work),
    ...[1, 2, 3].map((number) =>
      inTurn('a', async () => {
        begun.push(number);
        if (number === 1) throw new Error('fails');
        return number;
      }),
    ),
  ];
  const settled = Promise.allSettled(results);
  expect(await inTurn('b', async () => 'served')).toBe('served');
  expect(begun).toEqual([]);
  first.end();
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(begun).toEqual([1, 2, 3]);
  expect(await inTurn('a', async () => 'again')).toBe('again');
});

test('as many works of a key as allowed run at a time, and the next one begins when one ends', async () => {
  const inTurn = createTurns({ atOnce: 2 });
  const [first, second] = [lasting(), lasting()];
  let running = 0;
  let most = 0;
  const counted = (work: () => Promise<void>) => async () => {
    most = Math.max(most, ++running);
    await work();
    running--;
  };
  const all = [first.work, second.work, async () => {}, async () => {}].map((work) => inTurn('a', counted(work)));
  await Promise.resolve();
  expect(running).toBe(2);
  second.end();
  await Promise.all(all.slice(1));
  first.end();
  await Promise.all(all);
  expect(most).toBe(2);
});

test('work that waited too long is refused and never begins', async () => {
  const inTurn = createTurns({ maxWaitMs: 50 });
  const slow = lasting();
  const first = inTurn('a', slow.work);
  let hasBegun = false;
  const late = inTurn('a', async () => {
    hasBegun = true;
  });
  const code = await late.catch(errorCodeOf);
  expect([code, hasBegun]).toEqual(['QUEUE_TIMEOUT', false]);
  slow.end();
  await first;
  expect(await inTurn('a', async () => 'again')).toBe('again');
  expect(hasBegun).toBe(false);
});

test('of many tasks one runs in each tick of the event loop, in their order', async () => {
  const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
  const inTurn = onePerTick();
  const done: number[] = [];
  for (let number = 0; number < 100; number++) inTurn(() => done.push(number));
  for (let turn = 1; turn <= 100; turn++) {
    await nextTurn();
    expect(done).toHaveLength(turn);
  }
  inTurn(() => done.push(100));
  await nextTurn();
  expect(done).toEqual(Array.from({ length: 101 }, (_, number) => number));
});

test('of many tasks of one key and one of another, the other runs second', async () => {
  const inTurn = onePerTick();
  const done: string[] = [];
  for (let number = 0; number < 100; number++) inTurn(() => done.push('busy'), 'busy');
  await new Promise<void>((resolve) => inTurn(() => resolve(), 'calm'));
  expect(done).toEqual(['busy']);
});
