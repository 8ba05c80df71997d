import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { batched } from './batched.js';

const databaseError = (code: string) => Object.assign(new Error(code), { code });

const settle = (results: Promise<unknown>[]) =>
  Promise.allSettled(results).then((all) =>
    all.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.code)),
  );

test('gives each caller the result of its own item, and runs every batch in the order of its keys', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ maxLength: 3 }), { maxLength: 600 }), async (keys) => {
      const batches: string[][] = [];
      const load = batched<{ key: string; position: number }, number>(
        ({ key }) => key,
        async (items) => {
          batches.push(items.map(({ key }) => key));
          await Promise.resolve();
          return items.map(({ position }) => position);
        },
      );
      const results = await Promise.all(keys.map((key, position) => load({ key, position })));
      expect(results).toEqual(keys.map((_, position) => position));
      for (const batch of batches) expect(batch).toEqual(batch.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)));
    }),
    { numRuns: 50 },
  );
});

test('refuses only the items that the database refuses, whatever else is in the batch', async () => {
  const item = fc.record({ key: fc.string({ maxLength: 3 }), refusal: fc.constantFrom(null, null, '22007', '23503') });
  await fc.assert(
    fc.asyncProperty(fc.array(item, { maxLength: 40 }), async (items) => {
      const load = batched<(typeof items)[number], string>(
        ({ key }) => key,
        async (batch) => {
          const poison = batch.find(({ refusal }) => refusal !== null);
          if (poison?.refusal) throw databaseError(poison.refusal);
          return batch.map(({ key }) => key);
        },
      );
      expect(await settle(items.map((each) => load(each)))).toEqual(items.map(({ key, refusal }) => refusal ?? key));
    }),
    { numRuns: 50 },
  );
});

test('keeps identical items apart, and collects new items while batches run', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const sizes: number[] = [];
  const load = batched<string, number>(
    (key) => key,
    async (items) => {
      sizes.push(items.length);
      await held;
      return items.map((_, position) => position);
    },
  );
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const results = [load('a'), load('a'), load('a')];
  for (const item of ['b', 'c', 'd']) {
    await turn();
    results.push(load(item));
  }
  await turn();
  results.push(load('e'), load('e'));
  await turn();
  expect(sizes).toEqual([3, 1, 1, 1]);
  release();
  expect(await Promise.all(results)).toEqual([0, 1, 2, 0, 0, 0, 0, 1]);
  expect(sizes).toEqual([3, 1, 1, 1, 2]);
});

test.each(['40P01', '40001'])('retries a batch that failed with %s', async (code) => {
  let attempts = 0;
  const load = batched<string, string>(
    (key) => key,
    async (items) => {
      attempts++;
      if (attempts < 3) throw databaseError(code);
      return [...items];
    },
  );
  expect(await Promise.all([load('b'), load('a')])).toEqual(['b', 'a']);
  expect(attempts).toBe(3);
});

test('rejects every caller of a failed batch, and continues with the next one', async () => {
  let isDown = true;
  const load = batched<string, string>(
    (key) => key,
    async (items) => {
      if (isDown) throw databaseError('ECONNREFUSED');
      return [...items];
    },
  );
  for (let round = 0; round < 5; round++) {
    expect(await settle([load('a'), load('b')])).toEqual(['ECONNREFUSED', 'ECONNREFUSED']);
  }
  isDown = false;
  expect(await settle([load('a'), load('b')])).toEqual(['a', 'b']);
});

test('refuses calls that waited too long for a batch, and runs none of them', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const ran: string[] = [];
  const load = batched<string, string>(
    (key) => key,
    async (keys) => {
      ran.push(...keys);
      await held;
      return [...keys];
    },
  );
  const stuck: Promise<string>[] = [];
  const stuckKeys = ['stuck 1', 'stuck 2', 'stuck 3', 'stuck 4'];
  for (const key of stuckKeys) {
    stuck.push(load(key));
    await vi.waitFor(() => expect(ran).toContain(key), { timeout: 60_000 });
  }
  const late = load('late');
  vi.advanceTimersByTime(10_001);
  const inTime = load('in time');
  release();
  expect(await settle([...stuck, late, inTime])).toEqual([...stuckKeys, 'QUEUE_TIMEOUT', 'in time']);
  expect(ran).not.toContain('late');
});
