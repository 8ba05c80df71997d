import { codedError } from '../coded-error.js';

/** Shorter than the timeouts of callers, which are 20 seconds and longer. */
const MAX_WAIT_MS = 10_000;

/**
 * Runs at most `atOnce` works of a key at a time, in the order of their calls; works of different keys do not wait for
 * each other. Work that has waited too long never begins: its error has the code of a wait for the database.
 */
export function createTurns({ atOnce = 1, maxWaitMs = MAX_WAIT_MS } = {}) {
  const queues = new Map<string, { running: number; waiting: Set<() => void> }>();

  return async function inTurn<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const queue = queues.get(key) ?? { running: 0, waiting: new Set() };
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
 * Runs one task per tick of the event loop, of each key in turn. A flood of cheap requests then delays another request by
 * one task per tick, not by one task per connection of the flood.
 */
export function onePerTick(): (task: () => void, key?: string) => void {
  const waiting = new Map<string, Array<() => void>>();
  const runNext = () => {
    const [first] = waiting;
    if (!first) return;
    const [key, tasks] = first;
    const task = tasks.shift();
    waiting.delete(key);
    if (tasks.length > 0) waiting.set(key, tasks);
    // Schedule first, so that the next tasks run even if this one throws.
    if (waiting.size > 0) setImmediate(runNext);
    task?.();
  };
  return (task, key = '') => {
    if (waiting.size === 0) setImmediate(runNext);
    const tasks = waiting.get(key);
    if (tasks) tasks.push(task);
    else waiting.set(key, [task]);
  };
}
