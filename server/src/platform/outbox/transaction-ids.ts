import type { Database } from '../database/database.js';
import { asSystem } from '../database/roles.js';
import { StartupError } from '../startup-error.js';

/**
 * Refuses a database whose rows tell of transactions that this cluster is yet to make: a logical copy (pg_dump) keeps
 * the ids by which events and outbox are ordered, and nothing above the current one is listed or sent.
 */
export async function refuseForeignTransactionIds(database: Database): Promise<void> {
  const [ahead] = await asSystem(database, (sql) => sql`select from relay_lease where tx > pg_current_xact_id()`);
  if (!ahead) return;
  throw new StartupError(
    'This database is a logical copy: its transaction ids are ahead of those of its Postgres, and events would be missing. See "Back up physically" in docs/operating.md.',
  );
}
