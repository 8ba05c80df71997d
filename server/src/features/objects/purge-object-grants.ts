import { sql } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { inSystem } from '../../platform/database/roles.js';

const BATCH = 1_000;

/**
 * Deletes some of what was presigned more than 90 days ago, and answers whether there may be more. No URL is good for
 * longer than 7 days.
 */
export async function purgeObjectGrants(database: Database): Promise<boolean> {
  const deleted = await inSystem(database, (tx) =>
    tx.execute(sql`
      delete from object_grants
      where (tenant_id, presign_id) in (
        select tenant_id, presign_id from object_grants
        where granted_at < now() - interval '90 days' order by granted_at limit ${BATCH}
      )
      returning 1`),
  );
  return deleted.length === BATCH;
}
