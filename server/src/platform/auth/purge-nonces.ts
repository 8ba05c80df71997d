import type { Database } from '../database/database.js';
import { asAllTenantsStatement } from '../database/roles.js';
import { nodeClock, type Purge } from '../retention/purge-by-age.js';

const BATCH = 5_000;

/**
 * Deletes expired nonces. A node skips rows that another node is deleting. The array replaces a join: with statistics
 * from when the table was nearly empty, a join compared each nonce with each expired one.
 */
export const purgeNonces = (database: Database): Purge => ({
  table: 'nonces',
  async round() {
    const { count: removed } = await asAllTenantsStatement(database)`
      delete from nonces where ctid = any (array(
        select ctid from nonces
        where expires_at < least(now(), ${nodeClock()}::timestamptz) order by expires_at limit ${BATCH} for update skip locked
      ))`;
    return { removed, hasMore: removed === BATCH };
  },
});
