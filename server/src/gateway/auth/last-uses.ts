import { sql } from 'drizzle-orm';
import type { Database } from '../../foundation/database/database.js';
import { asAllTenantsStatement } from '../../foundation/database/row-level-security.js';
import { type Looping, startLoop } from '../../foundation/signals/signals.js';

/** `version`: of the secret. */
type Use = { tenant_id: string; client_id: string; version: number; used_at: Date };

const BATCH_SIZE = 1_000;

/** The row of a credential is written at most once in this time, by all nodes together. */
const WRITTEN_EVERY_SECONDS = 60;
/** With the minute above, an instant is at most 90 seconds late. */
const STORE_INTERVAL_MS = 20_000;

/**
 * Remembers the last admitted request of each credential and secret version. A background loop stores it, so no request
 * writes to `credentials`. A process that is killed loses the uses that it has not stored.
 */
export function createLastUses(database: Database) {
  const unstored = new Map<string, Use>();

  return {
    note: (use: Use) => void unstored.set(`${use.client_id} ${use.version}`, use),
    /** Stores the uses of credentials whose row was not written within the last `everySeconds`. */
    async store(everySeconds = WRITTEN_EVERY_SECONDS): Promise<void> {
      const uses = [...unstored];
      for (let start = 0; start < uses.length; start += BATCH_SIZE) {
        const batch = uses.slice(start, start + BATCH_SIZE);
        const kept = await storeUses(database, batch, everySeconds);
        for (const [key, use] of batch) if (!kept.has(use.client_id) && unstored.get(key) === use) unstored.delete(key);
      }
    },
  };
}

export type LastUses = ReturnType<typeof createLastUses>;

/** Stores the uses in each process that admits requests, and once more when it ends. */
export function startStoringUses(lastUses: LastUses, looping: Looping) {
  const options = { name: 'last uses of credentials', firstAfterMs: STORE_INTERVAL_MS, ...looping };
  const loop = startLoop(STORE_INTERVAL_MS, options, lastUses.store);
  return {
    async stop(): Promise<void> {
      await loop.stop();
      await lastUses.store(0).catch((err: unknown) => looping.logger.error({ err }, options.name));
    },
  };
}

/**
 * Returns the ids of the credentials that it did not write: they were written within the last `everySeconds`, or
 * another transaction has locked them. Nodes may store at the same time: the latest instant wins, and none waits for
 * another. A use of a secret that is neither the current nor the previous one is a use of the credential alone.
 */
async function storeUses(database: Database, uses: readonly [key: string, Use][], everySeconds: number) {
  const kept = await asAllTenantsStatement<{ client_id: string }>(
    database,
    sql`
    with used as (
      select * from json_to_recordset(${JSON.stringify(uses.map(([, use]) => use))}::text::json) as used (
        tenant_id text, client_id text, version int, used_at timestamptz
      )
    ), due as (
      select credential.* from (select distinct tenant_id, client_id from used) as asked
      join lateral (
        select tenant_id, client_id, secret_version from credentials
        where credentials.tenant_id = asked.tenant_id and credentials.client_id = asked.client_id
          and coalesce(last_used_at <= now() - make_interval(secs => ${everySeconds}), true)
        for no key update skip locked
      ) as credential on true
    ), latest as (
      select due.tenant_id, due.client_id, max(used_at) as used_at,
        max(used_at) filter (where version = secret_version) as current_used_at,
        max(used_at) filter (where version = secret_version - 1) as previous_used_at
      from due join used using (tenant_id, client_id)
      group by due.tenant_id, due.client_id
    ), written as (
      update credentials set
        last_used_at = greatest(last_used_at, latest.used_at),
        secret_last_used_at = greatest(secret_last_used_at, current_used_at),
        previous_secret_last_used_at = greatest(previous_secret_last_used_at, previous_used_at)
      from latest
      where credentials.tenant_id = latest.tenant_id and credentials.client_id = latest.client_id
    )
    select distinct client_id from used
    where not exists (select from due where due.tenant_id = used.tenant_id and due.client_id = used.client_id)
      and exists (
        select from credentials
        where credentials.tenant_id = used.tenant_id and credentials.client_id = used.client_id offset 0
      )`,
  );
  return new Set(kept.map(({ client_id }) => client_id));
}
