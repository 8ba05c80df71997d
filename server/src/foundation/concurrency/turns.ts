import { codedError } from '../coded-error.js';

/** Shorter than the timeouts of callers, which are 20 seconds and longer. */
const MAX_WAIT_MS = 10_000;

/**
 * Runs at most `atOnce` works of a key at a time, in the order of their calls; works of different keys do not wait for
 * each other. Work that has waited too long never begins: its error has the code of a wait for the database. If
 * `maxWaiting` works of the key wait already, the next one gets the error of `full`.
 */
export function createTurns({
  atOnce = 1,
  maxWaitMs = MAX_WAIT_MS,
  maxWaiting = Number.POSITIVE_INFINITY,
  full = () => new Error('Too many works wait for their turn.'),
} = {}) {
  const queues = new Map<string, { running: number; waiting: Set<() => void> }>();

  return async function inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const queue = queues.get(key) ?? { running: 0, waiting: new Set() };
    if (queue.waiting.size >= maxWaiting) throw full();
    queues.set(key, queue);
    if (queue.running === atOnce) await placeIn(queue.waiting, maxWaitMs);
    else queue.running++;
    try {
      return await work();
    } finally {
      const [next] = queue.waiting;
      if (next) next();
      else if (--queue.running === 0) queues.delete(key);
    }
  };
}

const placeIn = (waiting: Set<() => void>, maxWaitMs: number) =>
  new Promise<void>((resolve, reject) => {
    const begin = () => {
      clearTimeout(timer);
      waiting.delete(begin);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.delete(begin);
      reject(codedError('QUEUE_TIMEOUT', 'A call waited too long for its turn.'));
    }, maxWaitMs);
    waiting.add(begin);
  });

/**
 * Runs one task per tick of the event loop. A flood of cheap requests then delays another request by one task per tick,
 * not by one task per connection of the flood.
 */
export function onePerTick(): (task: () => void) => void {
  const waiting: Array<() => void> = [];
  const runNext = () => {
    const task = waiting.shift();
    // Schedule first, so that the next tasks run even if this one throws.
    if (waiting.length > 0) setImmediate(runNext);
    task?.();
  };
  return (task) => {
    if (waiting.push(task) === 1) setImmediate(runNext);
  };
}
