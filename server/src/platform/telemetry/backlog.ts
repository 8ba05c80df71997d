import type { Database } from '../database/database.js';
import { asAllTenantsStatement } from '../database/roles.js';

export type Backlog = { rows: number; oldestSeconds: number; events: number; oldestEventSeconds: number };

/** The count stops at this number, so the query costs the same however many rows wait. */
const COUNTED = 10_000;
/** The oldest row is read for at most this many waiting tenants. */
const TENANTS = 1_000;

/** How many outbox rows and how many events wait to be published, and how long the oldest has waited. */
export async function readBacklog(database: Database): Promise<Backlog> {
  const [backlog] = await asAllTenantsStatement<Backlog>(
    database,
    (sql) => sql<Backlog[]>`
      with recursive waiting (tenant_id, number) as (
        (select tenant_id, 1 from outbox order by tenant_id limit 1)
        union all
        select
          (select tenant_id from outbox where tenant_id > waiting.tenant_id order by tenant_id limit 1), number + 1
        from waiting where tenant_id is not null and number < ${TENANTS}
      ), unpublished_event as (
        select logged_at from events
        where seq > coalesce((select published_seq from relay_lease where name = 'outbox'), 0)
        order by seq limit ${COUNTED}
      )
      select
        (select count(*)::int from (select from outbox order by tenant_id limit ${COUNTED}) as counted) as rows,
        coalesce((
          select extract(epoch from max(now() - oldest.created_at))::float8
          from waiting cross join lateral (
            (select created_at from outbox where tenant_id = waiting.tenant_id and is_logged order by position limit 1)
            union all
            (select created_at from outbox where tenant_id = waiting.tenant_id and not is_logged order by position limit 1)
          ) as oldest
        ), 0) as "oldestSeconds",
        (select count(*)::int from unpublished_event) as events,
        coalesce((
          select extract(epoch from max(now() - logged_at))::float8 from unpublished_event
        ), 0) as "oldestEventSeconds"`,
  );
  if (!backlog) throw new Error('The backlog was not read.');
  return {
    ...backlog,
    oldestSeconds: Math.max(backlog.oldestSeconds, 0),
    oldestEventSeconds: Math.max(backlog.oldestEventSeconds, 0),
  };
}
