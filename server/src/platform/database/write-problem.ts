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

const reasons: Record<string, string> = { '25006': 'it is read-only', '53100': 'its disk is full' };

/** Why the database stores nothing at the moment; null if it does. Rejects if it does not answer. */
export async function writeProblem(sql: postgres.Sql): Promise<string | null> {
  if (!(await isMigrated(sql))) return 'migrations are missing';
  try {
    await sql.unsafe(WRITE_A_PAGE);
    return null;
  } catch (error) {
    const coded = codedErrorIn(error);
    // Only errors of Postgres itself have a severity.
    if (!coded || !('severity' in coded)) throw error;
    return `the database refuses writes: ${reasons[coded.code] ?? `SQLSTATE ${coded.code}`}`;
  }
}
