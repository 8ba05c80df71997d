/** Shorter than the timeouts of callers, which are 20 seconds and longer. */
const MAX_WAIT_MS = 10_000;

/**
 * Runs work of the same key one after the other, and work of different keys in parallel. Work that has waited too long
 * never begins: its error has the code of a wait for the database.
 */
export function createTurns(maxWaitMs = MAX_WAIT_MS) {
  const waiting = new Map<string, Set<() => void>>();

  return async function inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const queue = waiting.get(key);
    if (queue) await placeIn(queue, maxWaitMs);
    else waiting.set(key, new Set());
    try {
      return await work();
    } finally {
      const [next] = waiting.get(key) ?? [];
      if (next) next();
      else waiting.delete(key);
    }
  };
}

const placeIn = (queue: Set<() => void>, maxWaitMs: number) =>
  new Promise<void>((resolve, reject) => {
    const begin = () => {
      clearTimeout(timer);
      queue.delete(begin);
      resolve();
    };
    const timer = setTimeout(() => {
      queue.delete(begin);
      reject(Object.assign(new Error('A change waited too long for its turn.'), { code: 'QUEUE_TIMEOUT' }));
    }, maxWaitMs);
    queue.add(begin);
  });
