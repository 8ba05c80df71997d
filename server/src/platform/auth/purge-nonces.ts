import type { Database } from '../database/database.js';
import { asSystem } from '../database/roles.js';

const BATCH = 5_000;

/** Deletes some of the expired nonces, and answers whether there may be more. Nodes skip the rows that another one deletes. */
export async function purgeNonces(database: Database): Promise<boolean> {
  const [row] = await asSystem<{ deleted: number }>(
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
  return row?.deleted === BATCH;
}
