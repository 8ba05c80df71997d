import type { Database } from '../foundation/database/database.js';
import { asAllTenantsStatement } from '../foundation/database/row-level-security.js';
import { sql, statement } from '../foundation/database/statement.js';
import { quietMs, type Signals } from '../foundation/signals/signals.js';
import { FURTHEST_END_SECONDS } from './tables.js';

/** The count stops at this number. */
const COUNTED = 10_000;
const VENDORS = 1_000;

type Seen = {
  parked_messages: number;
  vendors: { vendor: string; enabled: boolean; last_read_at: string | null }[];
  slots: { slot: number; worker: string | null; oldest_event_seconds: number | null }[];
  workers: { worker: string; can_publish: boolean }[];
};

/**
 * Whoever holds a lease or reports as a worker renews it every second or so; the only process of an embedded database at
 * least every `restSeconds`, and the latest worker is the only one. An end that lies far ahead counts as none.
 */
const seen = statement(
  'platform: state',
  (restSeconds: number) => sql`
    with furthest as (
      select now() - make_interval(secs => ${restSeconds}::int) as since,
        now() + make_interval(secs => ${FURTHEST_END_SECONDS}) as ends_at
    ), lease as (
      select slot, case when expires_at between since and ends_at then holder end as worker, (
        select greatest(0, extract(epoch from now() - logged_at))::float8 from events
        where (tenant_slot_v1(tenant_id), seq) > (relay_lease.slot, greatest(
            published_seq, (select old.published_seq from relay_lease as old where old.name = 'outbox')
          )) and (tenant_slot_v1(tenant_id), seq) < (relay_lease.slot + 1, 0)
        order by tenant_slot_v1(tenant_id), seq limit 1
      ) as oldest_event_seconds
      from relay_lease cross join furthest where slot is not null
    ), live as (
      select holder as worker, can_publish from relay_workers cross join furthest
      where expires_at between since and ends_at
      order by expires_at desc limit case when ${restSeconds}::int > 0 then 1 end
    ), known as (select vendor, enabled, last_read_at from vendors order by vendor limit ${VENDORS})
    select
      (select count(*)::int from (select from parked_messages order by tenant_id limit ${COUNTED}) as counted)
        as parked_messages,
      coalesce((select json_agg(known order by vendor) from known), '[]') as vendors,
      coalesce((select json_agg(lease order by slot) from lease), '[]') as slots,
      coalesce((select json_agg(live order by worker) from live), '[]') as workers`,
);

export async function readPlatformState(database: Database, signals: Signals): Promise<Seen> {
  const restSeconds = signals.mayGetLost ? 0 : quietMs(signals) / 1_000;
  const [state] = await asAllTenantsStatement<Seen>(database, seen(restSeconds));
  if (!state) throw new Error('The state was not read.');
  return state;
}
