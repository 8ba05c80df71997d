import type { Database } from '../foundation/database/database.js';
import { asAllTenantsStatement } from '../foundation/database/row-level-security.js';
import { fixedSql, statement } from '../foundation/database/statement.js';
import { quietMs, type Signals } from '../foundation/signals/signals.js';
import { FURTHEST_END_SECONDS } from './slots/slot-owner.js';

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
 * An owner renews its slots every two seconds or so; the only process of an embedded database at least every
 * `restSeconds`. An end that lies far ahead counts as none.
 */
const seen = statement(
  'platform: state',
  (restSeconds: number) => fixedSql`
    with furthest as (
      select now() - make_interval(secs => ${restSeconds}::int) as since,
        now() + make_interval(secs => ${FURTHEST_END_SECONDS}) as ends_at
    ), owned as (
      select slot, case when owned_until between since and ends_at then owner end as worker, can_publish, (
        select greatest(0, extract(epoch from now() - logged_at))::float8
        from slot_events_v1(slots.slot, published_seq)
        order by tenant_slot_v1(tenant_id), seq limit 1
      ) as oldest_event_seconds
      from slots cross join furthest
    ), live as (
      select worker, bool_or(can_publish) as can_publish from (
        select worker, can_publish from owned where worker is not null
        union all select claimant, true from slots cross join furthest where claimed_until between since and ends_at
      ) as known where worker is not null group by worker
    ), known as (select vendor, enabled, last_read_at from vendors order by vendor limit ${VENDORS})
    select
      (select count(*)::int from (select from parked_messages order by tenant_id limit ${COUNTED}) as counted)
        as parked_messages,
      coalesce((select json_agg(known order by vendor) from known), '[]') as vendors,
      coalesce((
        select json_agg(json_build_object(
          'slot', slot, 'worker', worker, 'oldest_event_seconds', oldest_event_seconds
        ) order by slot) from owned
      ), '[]') as slots,
      coalesce((select json_agg(live order by worker) from live), '[]') as workers`,
);

export async function readPlatformState(database: Database, signals: Signals): Promise<Seen> {
  const restSeconds = signals.mayGetLost ? 0 : quietMs(signals) / 1_000;
  const [state] = await asAllTenantsStatement<Seen>(database, seen(restSeconds));
  if (!state) throw new Error('The state was not read.');
  return state;
}
