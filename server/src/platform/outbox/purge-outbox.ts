import type { Database } from '../database/database.js';
import { asSystem } from '../database/roles.js';

const BATCH = 1_000;

/**
 * Deletes some of the rows that were published 7 days ago, and answers whether there may be more. Nodes skip the rows
 * that another one deletes.
 */
export async function purgeOutbox(database: Database): Promise<boolean> {
  const deleted = await asSystem(
    database,
    (sql) => sql`
      with old as (
        select tenant_id, fact_id, kind from outbox
        where published_at < now() - interval '7 days'
        order by published_at limit ${BATCH} for update skip locked
      )
      delete from outbox using old
      where outbox.tenant_id = old.tenant_id and outbox.fact_id = old.fact_id and outbox.kind = old.kind
      returning 1`,
  );
  return deleted.length === BATCH;
}
