import type { Database, Transaction } from '../../foundation/database/database.js';
import { asAllTenantsImpatiently, asAllTenantsStatement } from '../../foundation/database/row-level-security.js';
import { sql, statement } from '../../foundation/database/statement.js';
import type { SlotPosition } from '../event-log.js';
import { FURTHEST_END_SECONDS, LEASE_SECONDS } from '../tables.js';

/** The lease of a slot. `seq`: the bus has acknowledged the log of the slot up to this number. A renewal stores it. */
export type Lease = SlotPosition & { epoch: string };

/**
 * `isWhole`: whether the worker holds all the slots that it should. `hasRows`: whether rows of any slot wait; without one
 * an idle worker needs no transaction to look.
 */
export type Leases = { held: Lease[]; isWhole: boolean; hasRows: boolean };

const asRows = (leases: readonly Lease[]) => JSON.stringify(leases);

/**
 * Renews the leases of a worker and stores their positions in the event log, gives back those above its share and takes
 * free ones up to its share. The slots are shared between the workers that can publish; while none can, between all,
 * which then log. Who holds more slots keeps more, so that few slots move. Of the free slots those that wait longest
 * are taken first. A worker that can publish takes slots from one that cannot. A lease whose end lies further ahead
 * than its length was written while the database's clock was ahead: it has expired. Rows of other holders are locked
 * only if they may be taken. No row is waited for: an own lease whose row somebody else has locked is renewed the next
 * time.
 *
 * Workers of versions before slots relay under the row `outbox`: as long as one of them holds it, no slot is taken, and
 * they cannot take it while a worker of this version renews it. It ends later than the leases of the slots.
 */
const take = statement(
  'relay: take leases',
  (holder: string, canPublish: boolean, known: string) => sql`
    with clock as (
      select now() as present, now() + make_interval(secs => ${LEASE_SECONDS}) as ends_at,
        now() + make_interval(secs => ${FURTHEST_END_SECONDS}) as furthest
    ), known as (
      select * from json_to_recordset(${known}::text::json) as known (slot int, epoch bigint, seq bigint)
    ), gone as (
      delete from relay_workers where expires_at < (select present from clock) - interval '1 hour'
    ), present as (
      insert into relay_workers (holder, expires_at, can_publish)
      select ${holder}::text, ends_at, ${canPublish}::boolean from clock
      on conflict (holder) do update set expires_at = excluded.expires_at, can_publish = excluded.can_publish
    ), old_version as (
      update relay_lease set holder = 'slots', can_publish = true,
        expires_at = (select ends_at from clock) + interval '3 seconds',
        epoch = epoch + case when holder = 'slots' then 0 else 1 end
      where name = (
        select name from relay_lease, clock
        where name = 'outbox' and expires_at not between ends_at and furthest
          and (
            holder = 'slots' or expires_at not between present and furthest
            or ${canPublish}::boolean and not can_publish
          )
        for no key update of relay_lease skip locked
      )
      returning published_seq
    ), lease as (
      select slot, holder, epoch, published_seq, expires_at between present and furthest as is_valid
      from relay_lease, clock where slot is not null
    ), worker as (
      select holder, can_publish from relay_workers, clock
      where holder <> ${holder} and expires_at between present and furthest
      union all select ${holder}::text, ${canPublish}::boolean
    ), able as (
      select holder, row_number() over (
        order by (select count(*) from lease where is_valid and lease.holder = worker.holder) desc, holder
      ) as place, count(*) over () as number
      from worker where can_publish or not exists (select from worker where can_publish)
    ), share as (
      select coalesce((
        select slots / number + case when place <= slots % number then 1 else 0 end from able where holder = ${holder}
      ), 0) as count
      from (select count(*) as slots from lease) as lease
      where exists (select from old_version)
        or exists (
          select from relay_lease, clock
          where name = 'outbox' and holder = 'slots' and expires_at between present and furthest
        )
    ), kept as (
      select slot, epoch, published_seq from lease where is_valid and holder = ${holder}
      order by slot limit coalesce((select count from share), 0)
    ), own as (
      select slot from relay_lease where slot is not null and holder = ${holder}
      order by slot for no key update skip locked
    ), free as (
      select slot from relay_lease, clock
      where slot is not null and slot not in (select slot from kept) and (
        expires_at not between present and furthest
        or ${canPublish}::boolean and not can_publish and holder <> ${holder}
      )
      order by relay_lease.expires_at, slot
      limit greatest(0, (select count from share) - (select count(*) from kept))
      for no key update of relay_lease skip locked
    ), given_back as (
      update relay_lease set
        expires_at = present - interval '1 second',
        published_seq = greatest(published_seq, (
          select seq from known where known.slot = relay_lease.slot and known.epoch = relay_lease.epoch
        ))
      from clock
      where slot in (select slot from own) and expires_at between present and furthest
        and slot not in (select slot from kept)
    ), renewed as (
      update relay_lease set
        holder = ${holder}, expires_at = ends_at, can_publish = ${canPublish}::boolean,
        epoch = epoch + case when holder = ${holder} then 0 else 1 end,
        published_seq = greatest(
          published_seq, (select old.published_seq from relay_lease as old where old.name = 'outbox'),
          (
            select seq from known
            where holder = ${holder} and known.slot = relay_lease.slot and known.epoch = relay_lease.epoch
          )
        )
      from clock
      where slot in (select slot from free) or slot in (select slot from kept) and slot in (select slot from own)
      returning slot, epoch, published_seq
    ), held as (
      select slot, epoch::text, published_seq::text as seq from renewed
      union all
      select slot, epoch::text, published_seq::text from kept where slot not in (select slot from renewed)
    )
    select coalesce((select json_agg(held order by slot) from held), '[]') as held,
      (select count(*) from held) >= coalesce((select count from share), 0)
        and coalesce((select count from share), 0) > 0 as "isWhole",
      exists (select from outbox) as "hasRows"`,
);

/** `known`: the leases that the worker has had. */
export async function takeLeases(database: Database, holder: string, canPublish: boolean, known: readonly Lease[]) {
  const [leases] = await asAllTenantsStatement<Leases>(database, take(holder, canPublish, asRows(known)));
  if (!leases) throw new Error('The leases were not read.');
  return leases;
}

const release = statement(
  'relay: release the leases',
  (holder: string, known: string) => sql`
    with gone as (delete from relay_workers where holder = ${holder})
    update relay_lease set
      expires_at = now() - interval '1 second',
      published_seq = greatest(published_seq, (
        select seq from json_to_recordset(${known}::text::json) as known (slot int, epoch bigint, seq bigint)
        where known.slot = relay_lease.slot and known.epoch = relay_lease.epoch
      ))
    where holder = ${holder}`,
);

/** Releases the leases, so that the next holders need not wait until they expire. */
export const releaseLeases = (database: Database, holder: string, known: readonly Lease[]) =>
  asAllTenantsStatement(database, release(holder, asRows(known))).catch(() => {});

/** Thrown when other workers hold all the leases. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

const lock = statement(
  'relay: lock the leases',
  (holder: string, leases: string) => sql`
    select relay_lease.slot from relay_lease
    join json_to_recordset(${leases}::text::json) as given (slot int, epoch bigint) using (slot, epoch)
    where holder = ${holder} and (select holder = 'slots' from relay_lease where name = 'outbox')
    order by relay_lease.slot
    for no key update of relay_lease skip locked`,
);

/**
 * A transaction of a worker. It locks the rows of its leases first, so a former holder changes nothing. `work` gets the
 * slots that are still held: a row that another transaction has locked counts as lost until the next time.
 */
export function asHolder<Result>(
  database: Database,
  holder: string,
  leases: readonly Lease[],
  work: (tx: Transaction, slots: ReadonlySet<number>) => Promise<Result>,
) {
  const workIfHeld = async (tx: Transaction, rows: readonly object[]) => {
    const slots = new Set((rows as readonly Lease[]).map(({ slot }) => slot));
    if (slots.size === 0) throw new LeaseLost();
    return work(tx, slots);
  };
  return asAllTenantsImpatiently(database, workIfHeld, lock(holder, asRows(leases)));
}
