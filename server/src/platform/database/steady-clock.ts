import { type SQL, sql } from 'drizzle-orm';
import type { Database } from './database.js';

/** The present instant in a statement. */
export type Now = () => SQL;

/** How many readings, one a second, must agree before a clock that has leapt forward is believed. */
const READINGS = 30;

/**
 * The database's clock for work that ends something because an instant has passed. Such work cannot be undone, and the
 * clock may be ahead for some seconds. So `now` is the earlier of two instants: what the clock says, and each of the
 * last readings plus the time since then by the process's monotonic clock. A clock that goes back is believed at once.
 */
export async function openSteadyClock(database: Database) {
  /** The differences between the two clocks. A slow reading makes one too large, so the smallest counts. */
  const differences: number[] = [];
  async function read(): Promise<void> {
    const askedAt = performance.now();
    const [row] = await database.sql<{ ms: number }[]>`select (extract(epoch from now()) * 1000)::float8 as ms`;
    if (row) differences.push(row.ms - askedAt);
    if (differences.length > READINGS) differences.shift();
  }
  await read();
  const now: Now = () => {
    const latest = new Date(performance.now() + Math.min(...differences)).toISOString();
    return sql`least(now(), ${latest}::timestamptz)`;
  };
  return { now, read };
}
