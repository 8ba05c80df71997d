import DataLoader from 'dataloader';
import { codedError } from '../coded-error.js';
import { errorCodeOf, isRepeatable } from './database-error.js';

const MAX_ATTEMPTS = 5;
const MAX_BATCH_SIZE = 256;
/** Batches overlap their round trips. On two overloaded cores, 4 give 8 % more answers than 2, and 6 % more than 8. */
const MAX_IN_FLIGHT = 4;
/** Postgres aborts a statement after this time. Calls that waited longer than this for a batch are refused. */
const MAX_WAIT_MS = 10_000;

type Call<Item> = { item: Item; askedAt: number };

/**
 * Collects calls that wait at the same time into one statement. `run` returns its results in the order of its items.
 * Items are sorted by `orderBy`, the unique key of the rows they write, so that two batches never deadlock on the same
 * keys. With `atOnce` 1 and one key for all, items are written in the order of the calls.
 */
export function batched<Item, Result>(
  orderBy: (item: Item) => string,
  run: (items: readonly Item[]) => Promise<Result[]>,
  atOnce = MAX_IN_FLIGHT,
): (item: Item) => Promise<Result> {
  let inFlight = 0;
  const waiting: (() => void)[] = [];

  const loader = new DataLoader<Call<Item>, Result>(
    async (calls) => {
      try {
        return await runTogether(calls);
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
        if (inFlight === atOnce) {
          waiting.push(dispatch);
          return;
        }
        inFlight++;
        setImmediate(dispatch);
      },
    },
  );

  async function runTogether(calls: readonly Call<Item>[]): Promise<(Result | Error)[]> {
    const oldest = performance.now() - MAX_WAIT_MS;
    const sorted = calls
      .map(({ item, askedAt }, index) => ({ item, askedAt, index, key: orderBy(item) }))
      .filter(({ askedAt }) => askedAt >= oldest)
      .sort(byKey);
    const results = sorted.length > 0 ? await runOrIsolate(sorted.map(({ item }) => item)) : [];
    const inAskedOrder = new Array<Result | Error>(calls.length);
    if (sorted.length < calls.length) inAskedOrder.fill(waitedTooLong());
    sorted.forEach(({ index }, position) => {
      inAskedOrder[index] = results[position] as Result | Error;
    });
    return inAskedOrder;
  }

  /** A row that the database refuses fails its whole batch: run the items one by one, so that only that row fails. */
  async function runOrIsolate(items: readonly Item[]): Promise<(Result | Error)[]> {
    try {
      return await repeatedly(() => run(items));
    } catch (error) {
      if (items.length === 1 || !isRefusedRow(error)) return items.map(() => error as Error);
      const results: (Result | Error)[] = [];
      for (const item of items) results.push(...(await runOrIsolate([item])));
      return results;
    }
  }

  return (item) => loader.load({ item, askedAt: performance.now() });
}

/** Repeats a statement that Postgres rolled back because of a deadlock or a concurrent change. */
export async function repeatedly<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isRepeatable(error)) throw error;
    }
  }
}

const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

const waitedTooLong = () => codedError('QUEUE_TIMEOUT', 'The call waited too long for its batch.');

/** Class 22 is a data exception, class 23 an integrity constraint violation. */
const isRefusedRow = (error: unknown) => /^2[23]/.test(errorCodeOf(error) ?? '');
