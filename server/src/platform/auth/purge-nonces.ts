import type { Database } from '../database/database.js';
import { asAllTenantsStatement } from '../database/roles.js';
import type { Purge } from '../retention/purge.js';

const BATCH = 5_000;

/** Deletes expired nonces. A node skips rows that another node is deleting. */
export const purgeNonces = (database: Database): Purge => ({
  table: 'nonces',
  async round() {
    const [row] = await asAllTenantsStatement<{ deleted: number }>(
      database,
      (sql) => sql<{ deleted: number }[]>`
        with expired as (
          select credential_number, nonce_hash from nonces
          where expires_at < now() order by expires_at limit ${BATCH} for update skip locked
        ), gone as (
          delete from nonces using expired
          where nonces.credential_number = expired.credential_number and nonces.nonce_hash = expired.nonce_hash
          returning 1
        )
        select count(*)::int as deleted from gone`,
    );
    const removed = row?.deleted ?? 0;
    return { removed, hasMore: removed === BATCH };
  },
});
