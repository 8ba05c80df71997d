import type { Logger } from 'pino';
import type { Database } from '../database/database.js';
import { asSystem } from '../database/roles.js';

const INTERVAL_MS = 5_000;
const BATCH_SIZE = 5_000;

/** Deletes expired nonces, in batches small enough to delay nobody. Nodes skip the rows that another one deletes. */
export function purgeNonces(database: Database, logger: Logger): { stop(): Promise<void> } {
  let stopped = false;
  let timer: NodeJS.Timeout;
  let running = Promise.resolve();

  const schedule = () => {
    timer = setTimeout(() => {
      running = purge().finally(() => {
        if (!stopped) schedule();
      });
    }, INTERVAL_MS);
  };

  async function purge(): Promise<void> {
    try {
      for (let deleted = BATCH_SIZE; deleted === BATCH_SIZE && !stopped; ) {
        const [row] = await asSystem<{ deleted: number }>(
          database,
          (sql) => sql<{ deleted: number }[]>`
            with expired as (
              select credential_number, nonce_hash from nonces
              where expires_at < now() order by expires_at limit ${BATCH_SIZE} for update skip locked
            ), gone as (
              delete from nonces using expired
              where nonces.credential_number = expired.credential_number and nonces.nonce_hash = expired.nonce_hash
              returning 1
            )
            select count(*)::int as deleted from gone`,
        );
        deleted = row?.deleted ?? 0;
      }
    } catch (error) {
      logger.warn({ err: error }, 'Expired nonces could not be deleted; the next round tries again.');
    }
  }

  schedule();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
