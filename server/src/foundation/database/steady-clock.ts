import { lastKnown } from '../concurrency/shared-reads.js';
import type { Database } from './database.js';

/** The latest instant that may be the present one, for `least(now(), …)` in a statement. */
export type Now = () => string;

/** How many readings must agree before a clock that has leapt forward is believed: half a minute. */
const READINGS = 15;
const READ_EVERY_MS = 2_000;

/**
 * The database's clock for work that ends something because an instant has passed. Such work cannot be undone, and the
 * clock may be ahead for some seconds. So the present is the earliest of these instants: what the clock says, and for each of
 * the last readings that reading plus the time since then by the process's monotonic clock. A clock that goes back is
 * believed at once.
 */
export async function openSteadyClock(database: Database) {
  const differences: number[] = [];
  async function read() {
    const askedAt = performance.now();
    const [row] = await database.sql<{ ms: number }[]>`select (extract(epoch from now()) * 1000)::float8 as ms`;
    if (row) differences.push(row.ms - askedAt);
    if (differences.length > READINGS) differences.shift();
    // A slow reading makes its difference too large.
    return Math.min(...differences);
  }
  const difference = lastKnown(read, { unknown: 0, everyMs: READ_EVERY_MS, validMs: Number.POSITIVE_INFINITY });
  await difference.refresh();
  const now: Now = () => new Date(Math.ceil(performance.now() + difference.value())).toISOString();
  return { now, read: difference.refresh };
}
