import { expect, onTestFinished, test, vi } from 'vitest';
import { errorCodeOf } from '../../foundation/database/database-error.js';
import { createPacedReader } from './verify-signature.js';

/** Returns every id as its row, and records what each statement read and when it began. */
function recordedReader(known: (id: string) => boolean = () => true) {
  const statements: { ids: string[]; began: number }[] = [];
  let running = 0;
  let mostAtOnce = 0;
  const read = createPacedReader(async (ids) => {
    mostAtOnce = Math.max(mostAtOnce, ++running);
    statements.push({ ids, began: performance.now() });
    await new Promise((resolve) => setImmediate(resolve));
    running--;
    if (ids.includes('fails')) throw new Error('The database is gone.');
    return new Map(ids.filter(known).map((id) => [id, id]));
  });
  return { read, statements, mostAtOnce: () => mostAtOnce };
}

const many = (count: number, read: (index: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: count }, (_, index) => read(index)));

test('a flood of one network is read in few statements, and a read of another network goes with the next one', async () => {
  const { read, statements, mostAtOnce } = recordedReader((id) => !id.startsWith('guessed'));
  const flood = many(2_000, (index) => read('flood', `guessed-${index}`));
  expect(await read('flood', 'guessed-0')).toBeNull();
  expect(statements[0]?.ids).toContain('guessed-0');
  const before = statements.length;
  expect(await read('quiet', 'right')).toBe('right');
  expect(statements[before]?.ids).toContain('right');
  expect(new Set(await flood)).toEqual(new Set([null]));
  expect(statements).toHaveLength(8);
  expect(mostAtOnce()).toBe(1);
  const pauses = statements.slice(1).map(({ began }, index) => began - (statements[index]?.began ?? 0));
  // A timer may fire a millisecond early.
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(19);
});

test('an id behind a flood of its own network is read and never refused', async () => {
  const { read } = recordedReader((id) => id === 'right');
  const flood = many(1_000, (index) => read('shared', `guessed-${index}`));
  expect(await read('shared', 'right')).toBe('right');
  expect(new Set(await flood)).toEqual(new Set([null]));
});

test('waiting requests for one id share a read that begins after the last of them arrived', async () => {
  const { read, statements } = recordedReader();
  const [first, second] = [read('a', 'id'), read('b', 'id')];
  await first;
  const third = read('a', 'id');
  expect([await second, await third, await read('a', 'id')]).toEqual(['id', 'id', 'id']);
  expect(statements.map(({ ids }) => ids)).toEqual([['id'], ['id'], ['id']]);
});

test('while a statement is unanswered, waiting reads fail with a timeout of the database, and no later statement reads them', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const statements: string[][] = [];
  let answer = () => {};
  const read = createPacedReader<string>(async (ids) => {
    statements.push(ids);
    if (statements.length === 1) {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
    }
    return new Map(ids.map((id) => [id, id]));
  });
  const first = read('a', 'first');
  await vi.waitUntil(() => statements.length === 1, { timeout: 60_000 });
  const later = Array.from({ length: 1_000 }, (_, index) => read('b', `later-${index}`));
  const failed = Promise.allSettled([first, ...later]);
  vi.advanceTimersByTime(10_000);
  const codes = (await failed).map((failure) => failure.status === 'rejected' && errorCodeOf(failure.reason));
  expect(new Set(codes)).toEqual(new Set(['QUEUE_TIMEOUT']));
  const afterwards = read('a', 'afterwards');
  answer();
  expect(await afterwards).toBe('afterwards');
  expect(statements.slice(1)).toEqual([['afterwards']]);
});

test('a failed statement fails its own reads and no later ones', async () => {
  const { read } = recordedReader();
  const [failed, beside] = await Promise.allSettled([read('a', 'fails'), read('b', 'id')]);
  expect([failed.status, beside.status]).toEqual(['rejected', 'rejected']);
  expect(await read('a', 'id')).toBe('id');
});
