import type postgres from 'postgres';
import type { Database } from '../database/database.js';
import { asAllTenantsStatement } from '../database/roles.js';

export type Backlog = { rows: number; oldestSeconds: number; events: number; oldestEventSeconds: number };

/** The count stops at this number, so the query costs the same however many rows wait. */
const COUNTED = 10_000;
/** The oldest row is read for at most this many waiting tenants. */
const TENANTS = 1_000;

/**
 * The oldest row of each waiting tenant. It skips from tenant to tenant in the index, so its cost depends on the number
 * of waiting tenants, not of waiting rows.
 */
export const oldestRows = ({ sql }: Database, mostTenants: number, condition: postgres.Fragment = sql`true`) => sql`
  waiting (tenant_id, number) as (
    (select tenant_id, 1 from outbox where ${condition} order by tenant_id limit 1)
    union all
    select (select tenant_id from outbox where tenant_id > waiting.tenant_id order by tenant_id limit 1), number + 1
    from waiting where tenant_id is not null and number < ${mostTenants}
  ), oldest (tenant_id, position, created_at) as (
    select tenant_id, min(position), min(created_at) from waiting
    cross join lateral (
      (select position, created_at from outbox where tenant_id = waiting.tenant_id and is_logged order by position limit 1)
      union all
      (select position, created_at from outbox where tenant_id = waiting.tenant_id and not is_logged order by position limit 1)
    ) as first
    group by tenant_id
  )`;

/** How many outbox rows and how many events wait to be published, and how long the oldest has waited. */
export async function readBacklog(database: Database): Promise<Backlog> {
  const [backlog] = await asAllTenantsStatement<Backlog>(database)`
    with recursive ${oldestRows(database, TENANTS)}, unpublished_event as (
      select logged_at from events
      where seq > coalesce((select published_seq from relay_lease where name = 'outbox'), 0)
      order by seq limit ${COUNTED}
    )
    select
      (select count(*)::int from (select from outbox order by tenant_id limit ${COUNTED}) as counted) as rows,
      (select greatest(0, extract(epoch from max(now() - created_at)))::float8 from oldest) as "oldestSeconds",
      (select count(*)::int from unpublished_event) as events,
      (select greatest(0, extract(epoch from max(now() - logged_at)))::float8 from unpublished_event) as "oldestEventSeconds"`;
  if (!backlog) throw new Error('The backlog was not read.');
  return backlog;
}
