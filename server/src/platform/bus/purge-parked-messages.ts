import type { Database } from '../database/database.js';
import { asAllTenantsStatement } from '../database/roles.js';
import { nodeClock, type Purge } from '../retention/purge-by-age.js';

const BATCH = 1_000;
/** How much a tenant may keep. Its oldest messages above these limits are deleted. */
const MAX_ROWS = 10_000;
const MAX_BYTES = 64 * 1_024 * 1_024;
/** MAX_BYTES divided by 64 KiB, the size of the largest body that is kept. */
const ROWS_THAT_FIT = 1_024;

/** Deletes expired messages, then goes through the tenants and deletes what is above their limits. */
export function purgeParkedMessages(database: Database, keptDays: number): Purge {
  let lastTenantId = '';
  return {
    table: 'parked_messages',
    async round() {
      const expired = await deleteExpired(database, keptDays);
      if (expired > 0) return { removed: expired, hasMore: true };
      const { tenantId, removed } = await deleteBeyondLimit(database, lastTenantId);
      if (removed < BATCH) lastTenantId = tenantId ?? '';
      return { removed, hasMore: tenantId !== null };
    },
  };
}

async function deleteExpired(database: Database, keptDays: number): Promise<number> {
  const { count } = await asAllTenantsStatement(database)`
    delete from parked_messages
    where ctid = any (array(
      select ctid from parked_messages
      where parked_at < least(now(), ${nodeClock()}::timestamptz) - make_interval(days => ${keptDays}) order by parked_at limit ${BATCH}
    ))`;
  return count;
}

/**
 * Deletes messages of the next tenant that may be above its limits. The tenantId is null if there is none. It reads the
 * newest MAX_ROWS + BATCH messages of the tenant. The next round reads older ones, once these are deleted.
 */
async function deleteBeyondLimit(database: Database, after: string) {
  const [done] = await asAllTenantsStatement<{ tenantId: string | null; removed: number }>(database)`
    with next as (
      select tenant_id from tenants
      where tenant_id > ${after} and exists (
        select from parked_messages where parked_messages.tenant_id = tenants.tenant_id offset ${ROWS_THAT_FIT}
      )
      order by tenant_id limit 1
    ), newest as (
      select ctid, parked_message_id, octet_length(body) as bytes from parked_messages
      where tenant_id = (select tenant_id from next)
      order by parked_message_id desc limit ${MAX_ROWS + BATCH}
    ), measured as (
      select ctid, row_number() over in_order as place, sum(bytes) over in_order as bytes
      from newest window in_order as (order by parked_message_id desc rows unbounded preceding)
    ), deleted as (
      delete from parked_messages
      where ctid = any (array(
        select ctid from measured
        where place > ${MAX_ROWS} or bytes > ${MAX_BYTES} order by place desc limit ${BATCH}
      ))
      returning 1
    )
    select (select tenant_id from next) as "tenantId", (select count(*)::int from deleted) as removed`;
  if (!done) throw new Error('The statement returned no row.');
  return done;
}
