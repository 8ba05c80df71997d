import { sql } from 'drizzle-orm';
import type { Transaction } from '../../platform/database/database.js';

/**
 * A number before the first event of this time or later, of a tenant or of all. The log has no index by time, but times
 * increase with the numbers, so a binary search finds the position.
 */
export async function positionBefore(tx: Transaction, time: string, tenantId?: string): Promise<string> {
  const isInRange = tenantId === undefined ? sql`true` : sql`tenant_id = ${tenantId}`;
  const [found] = await tx.execute<{ seq: string }>(sql`
    with recursive search (low, high) as (
      select 0::bigint, coalesce(max(seq), 0) from events where ${isInRange}
      union all
      select case when is_before then seq else low end, case when is_before then high else middle end
      from (select low, high, (low + high) / 2 as middle from search where low < high) halves
      cross join lateral (
        select seq, logged_at < ${time}::timestamptz as is_before from events
        where ${isInRange} and seq > middle order by seq limit 1
      ) next
    )
    select low::text as seq from search where low >= high`);
  return found?.seq ?? '0';
}
