import type postgres from 'postgres';
import { codedErrorIn } from './database-error.js';
import { isMigrated } from './migrate.js';

/**
 * Writes a page and rolls it back. A smaller write would not notice a full disk: it fits into a page that exists. Vacuum
 * cuts off the pages again, so each write needs a new one.
 */
const WRITE_A_PAGE = `
  do $$ begin
    insert into write_probe values (repeat('x', 8000));
    raise sqlstate 'UNDO0';
  exception when sqlstate 'UNDO0' then null;
  end $$`;

/**
 * For how long a write that succeeded is remembered: each costs 8 KiB of WAL, and probes come every second. A disk that
 * hangs must show within 10 seconds, and a probe waits for the database for 5 of them.
 */
const REMEMBERED_MS = 3_000;

const reasons: Record<string, string> = { '25006': 'it is read-only', '53100': 'its disk is full' };

/**
 * Tells why the database stores nothing at the moment; null if it does. Rejects if it does not answer. Each call reads,
 * and writes unless a write has just succeeded.
 */
export function createWriteProbe(sql: postgres.Sql): () => Promise<string | null> {
  let writtenAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (!(await isMigrated(sql))) return 'migrations are missing';
    if (performance.now() - writtenAt < REMEMBERED_MS) return null;
    try {
      await sql.unsafe(WRITE_A_PAGE);
      writtenAt = performance.now();
      return null;
    } catch (error) {
      const coded = codedErrorIn(error);
      // Only errors of Postgres itself have a severity.
      if (!coded || !('severity' in coded)) throw error;
      return `the database refuses writes: ${reasons[coded.code] ?? `SQLSTATE ${coded.code}`}`;
    }
  };
}
