import { sql } from 'drizzle-orm';
import type { Database } from '../../../platform/database/database.js';
import { asAllTenants } from '../../../platform/database/roles.js';
import type { Purge } from '../../../platform/retention/purge.js';

const BATCH = 1_000;

/** Deletes the records of presigned URLs. No URL is valid for longer than 7 days. */
export const purgeObjectGrants = (database: Database, keptDays: number): Purge => ({
  table: 'object_grants',
  async round() {
    const deleted = await asAllTenants(database, (tx) =>
      tx.execute(sql`
        delete from object_grants
        where (tenant_id, presign_id) in (
          select tenant_id, presign_id from object_grants
          where granted_at < now() - make_interval(days => ${keptDays}::int) order by granted_at limit ${BATCH}
        )
        returning 1`),
    );
    return { removed: deleted.length, hasMore: deleted.length === BATCH };
  },
});
