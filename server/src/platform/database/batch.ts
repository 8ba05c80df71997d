import DataLoader from 'dataloader';
import { errorCodeOf } from './database-error.js';

/** deadlock_detected, serialization_failure: nothing happened, the same batch can run again. */
const REPEATABLE = new Set(['40P01', '40001']);
const MAX_ATTEMPTS = 5;
const MAX_BATCH_SIZE = 256;
/** Two batches at a time overlap their round trips; one more measured no gain on two cores. */
const MAX_IN_FLIGHT = 2;

/**
 * Collects calls that wait at the same time into one statement. `run` answers its items in their order; items are
 * sorted by `orderBy`, the unique key of the rows it writes, so that two batches never deadlock on the same keys.
 */
export function batched<Item, Result>(
  orderBy: (item: Item) => string,
  run: (items: readonly Item[]) => Promise<Result[]>,
): (item: Item) => Promise<Result> {
  let inFlight = 0;
  const waiting: (() => void)[] = [];

  const loader = new DataLoader<Item, Result>(
    async (items) => {
      try {
        return await runTogether(items);
      } finally {
        const next = waiting.shift();
        if (next) next();
        else inFlight--;
      }
    },
    {
      cache: false,
      maxBatchSize: MAX_BATCH_SIZE,
      batchScheduleFn(dispatch) {
        if (inFlight === MAX_IN_FLIGHT) {
          waiting.push(dispatch);
          return;
        }
        inFlight++;
        setImmediate(dispatch);
      },
    },
  );

  async function runTogether(items: readonly Item[]): Promise<(Result | Error)[]> {
    const sorted = items.map((item, index) => ({ item, index, key: orderBy(item) })).sort(byKey);
    const results = await runOrIsolate(sorted.map(({ item }) => item));
    const inAskedOrder = new Array<Result | Error>(items.length);
    sorted.forEach(({ index }, position) => {
      inAskedOrder[index] = results[position] as Result | Error;
    });
    return inAskedOrder;
  }

  /** A row that the database refuses fails its whole batch: run the items one by one, so that its neighbours pass. */
  async function runOrIsolate(items: readonly Item[]): Promise<(Result | Error)[]> {
    try {
      return await runRepeatably(items);
    } catch (error) {
      if (items.length === 1 || !isRefusedRow(error)) return items.map(() => error as Error);
      const results: (Result | Error)[] = [];
      for (const item of items) results.push(...(await runOrIsolate([item])));
      return results;
    }
  }

  async function runRepeatably(items: readonly Item[]): Promise<Result[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await run(items);
      } catch (error) {
        if (attempt === MAX_ATTEMPTS || !REPEATABLE.has(errorCodeOf(error) ?? '')) throw error;
      }
    }
  }

  return (item) => loader.load(item);
}

const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/** Class 22 is a data exception, class 23 an integrity constraint violation. */
const isRefusedRow = (error: unknown) => /^2[23]/.test(errorCodeOf(error) ?? '');
