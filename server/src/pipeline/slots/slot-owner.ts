import type { Database, Transaction } from '../../foundation/database/database.js';
import { asAllTenantsImpatiently, asAllTenantsStatement } from '../../foundation/database/row-level-security.js';
import { fixedSql, statement } from '../../foundation/database/statement.js';
import { newId } from '../../foundation/ids.js';
import type { Bus } from '../bus/bus.js';
import type { Witness } from '../bus/witness-text.js';

/** How long a worker owns a slot without a renewal. */
export const OWNED_SECONDS = 5;
/** A worker may renew a slot after another transaction has begun, so its end may lie further ahead. */
export const FURTHEST_END_SECONDS = 2 * OWNED_SECONDS;

/** A position in the log of a slot: the number of the last event that was read. */
export type SlotPosition = { slot: number; seq: string };

/** A slot of this worker. `seq`: the bus has acknowledged the log of the slot up to this number. */
export type OwnedSlot = SlotPosition & { epoch: string };

/**
 * `isWhole`: whether the worker has its share of the slots. `hasRows`: whether rows of any slot wait in the outbox;
 * without one an idle worker needs no transaction to look. `witness`: for the bus, if the worker has slot 0.
 */
export type Renewed = { owned: OwnedSlot[]; isWhole: boolean; hasRows: boolean; witness: Witness | null };

type Renewing = { worker: string; canPublish: boolean; isCompared: boolean; known: string };
type RenewingSlots = Pick<Renewing, 'worker' | 'canPublish'> & { isCompared?: boolean; known: readonly OwnedSlot[] };

const asRows = (slots: readonly OwnedSlot[]) => JSON.stringify(slots);

/**
 * Renews the slots of a worker and stores their positions in the event log. Those that others claim it hands over, as
 * long as it has more than its share. It takes slots whose owner's time is over, and of a worker that cannot publish
 * if it can. If it has less than its share, it claims slots of the workers that have most.
 * An end further ahead than a slot is owned for was written while the database's clock was ahead: it is over.
 * `for update` waits for the transactions of the former owner, which lock the row `for key share`: see `fence`. No row
 * is waited for: what is locked is renewed, handed over or taken the next time.
 */
const renewal = statement(
  'slots: renew, hand over, take and claim',
  ({ worker, canPublish, isCompared, known }: Renewing) => fixedSql`
    with clock as (
      select now() as present, now() + make_interval(secs => ${OWNED_SECONDS}) as ends_at,
        now() + make_interval(secs => ${FURTHEST_END_SECONDS}) as furthest
    ), known as (
      select slot, seq from slots
      join json_to_recordset(${known}::text::json) as known (slot int, epoch bigint, seq bigint) using (slot, epoch)
    ), state as (
      select slot, owner, can_publish, owned_until, owned_until between present and furthest as is_owned,
        case when claimed_until between present and furthest then claimant end as claimant
      from slots, clock
    ), worker as (
      select owner as worker from state where is_owned and can_publish
      union select claimant from state where claimant is not null
      union select ${worker}::text
    ), share as (
      select slots / workers as least, (slots + workers - 1) / workers as most, own
      from (select count(*) as slots, count(*) filter (where owner = ${worker}) as own from state) as counted,
        (select count(*) as workers from worker) as all_workers
    ), given as (
      select slots.slot, state.claimant from slots join state using (slot)
      where slots.owner = ${worker} and state.claimant <> ${worker}
      order by slots.slot limit (select greatest(0, own - least) from share)
      for update of slots skip locked
    ), kept as (
      select slot from slots where owner = ${worker} and slot not in (select slot from given)
      order by slot for no key update skip locked
    ), taken as (
      select slots.slot from slots join state using (slot)
      where slots.owner <> ${worker} and (not is_owned or ${canPublish}::boolean and not state.can_publish)
      order by state.owned_until, slots.slot limit (select greatest(0, most - own) from share)
      for update of slots skip locked
    ), renewed as (
      update slots set
        owner = coalesce(given.claimant, ${worker}), owned_until = ends_at,
        can_publish = given.claimant is not null or ${canPublish}::boolean,
        epoch = slots.epoch + case when given.claimant is null and slots.owner = ${worker} then 0 else 1 end,
        claimant = case when given.claimant is null then nullif(slots.claimant, ${worker}) end,
        published_seq = greatest(slots.published_seq, case when slots.owner = ${worker} then known.seq end)
      from clock, state left join given using (slot) left join known using (slot)
      where state.slot = slots.slot
        and slots.slot in (select slot from given union all select slot from kept union all select slot from taken)
      returning slots.slot, slots.owner, slots.epoch, slots.published_seq
    ), counted as (
      update database_generations set number = number + 1, is_compared = true
      where shared_until is null and ${isCompared}::boolean
        and exists (select from kept join known using (slot) where slot = 0)
      returning id, number
    ), claimed as (
      update slots set claimant = ${worker}, claimed_until = ends_at from clock
      where ${canPublish}::boolean and slot in (
        select slot from (
          select slot, claimant, count(*) over of_owner as number, row_number() over (of_owner order by slot) as place
          from state where is_owned and can_publish and owner <> ${worker} window of_owner as (partition by owner)
        ) as other, share
        where place > least and coalesce(claimant = ${worker}, true)
        order by claimant, number desc, slot
        limit (select greatest(0, least - own - (select count(*) from taken)) from share)
      )
    ), owned as (
      select slot, epoch::text, published_seq::text as seq from renewed where owner = ${worker} union all
      select slot, epoch::text, published_seq::text from slots
      where owner = ${worker} and slot not in (select slot from renewed)
    )
    select coalesce((select json_agg(owned order by slot) from owned), '[]') as owned,
      (select count(*) from owned) >= (select greatest(1, least) from share) as "isWhole",
      exists (select from outbox) as "hasRows",
      (select json_build_object('id', id, 'number', number, 'generations', (
        select json_agg(json_build_object('id', id, 'shared_until', shared_until)) from database_generations
      )) from counted) as witness`,
);

/** `known`: the slots that the worker has had. `isCompared`: whether the worker has compared with the bus. */
export async function renewSlots(database: Database, { known, isCompared = false, ...renewing }: RenewingSlots) {
  const [renewed] = await asAllTenantsStatement<Renewed>(
    database,
    renewal({ ...renewing, isCompared, known: asRows(known) }),
  );
  if (!renewed) throw new Error('The slots were not read.');
  return renewed;
}

const release = statement(
  'slots: release',
  (worker: string, known: string) => fixedSql`
    update slots set
      owned_until = case when owner = ${worker} then now() - interval '1 second' else owned_until end,
      claimant = nullif(claimant, ${worker}),
      published_seq = greatest(published_seq, (
        select seq from json_to_recordset(${known}::text::json) as known (slot int, epoch bigint, seq bigint)
        where owner = ${worker} and known.slot = slots.slot and known.epoch = slots.epoch
      ))
    where owner = ${worker} or claimant = ${worker}`,
);

/** So that the next owners need not wait until the time is over. */
export const releaseSlots = (database: Database, worker: string, known: readonly OwnedSlot[]) =>
  asAllTenantsStatement(database, release(worker, asRows(known))).catch(() => {});

/** Thrown when other workers own all the slots of a transaction. */
export class SlotsLost extends Error {
  override name = 'SlotsLost';
}

const fence = statement(
  'slots: fence',
  (worker: string, slots: string) => fixedSql`
    select slots.slot from slots
    join json_to_recordset(${slots}::text::json) as given (slot int, epoch bigint) using (slot, epoch)
    where owner = ${worker}
    order by slots.slot
    for key share of slots skip locked`,
);

/**
 * A transaction of the owner of these slots. It locks their rows first, and nobody takes them before it ends: so a
 * former owner changes nothing. Several may run at the same time, beside a renewal. `work` gets the slots that the
 * worker still owns.
 */
export function asOwner<Result>(
  database: Database,
  worker: string,
  owned: readonly OwnedSlot[],
  work: (tx: Transaction, slots: readonly number[]) => Promise<Result>,
) {
  const workIfOwned = async (tx: Transaction, rows: readonly object[]) => {
    const slots = (rows as readonly OwnedSlot[]).map(({ slot }) => slot);
    if (slots.length === 0) throw new SlotsLost();
    return work(tx, slots);
  };
  return asAllTenantsImpatiently(database, workIfOwned, fence(worker, asRows(owned)));
}

type Options = {
  database: Database;
  bus: Pick<Bus, 'unreadyReason'>;
  /** Called with new slots before anything is done for them. False: it is to be called again. */
  compare: () => Promise<boolean>;
  onRenewed: (witness: Witness) => void;
};

export type SlotOwner = ReturnType<typeof createSlotOwner>;

/** The slots of this process. Call `renew` every two seconds or more often: see steps.ts. */
export function createSlotOwner({ database, bus, compare, onRenewed }: Options) {
  const worker = newId();
  let owned: readonly OwnedSlot[] = [];
  let isStored = true;
  let isCompared = false;
  let givenWayUntil = 0;
  const listeners: (() => void)[] = [];
  const changed = () => {
    for (const listener of listeners) listener();
  };
  let unstored = () => {};

  // The row of an older copy may have the same epoch: its position counts, not the later one in memory.
  database.generations.onNew(() => {
    owned = [];
    changed();
  });

  const mayPublish = () => bus.unreadyReason() === null && performance.now() >= givenWayUntil;

  return {
    owned: () => owned,
    /** Whether the bus answers, and the slots are not left to others. */
    mayPublish,
    onChange: (listener: () => void) => void listeners.push(listener),
    /** Calls the listener when the database lacks a position: a renewal stores it. */
    onUnstored(listener: () => void): void {
      unstored = listener;
    },

    async renew(): Promise<Omit<Renewed, 'owned' | 'witness'>> {
      isStored = true;
      if (!isCompared && owned.length > 0) isCompared = await compare();
      const renewing = { worker, canPublish: mayPublish(), isCompared, known: owned };
      const { owned: renewed, witness, ...found } = await renewSlots(database, renewing);
      if (witness) onRenewed(witness);
      const before = new Map(owned.map((slot) => [`${slot.slot} ${slot.epoch}`, slot]));
      // The position in memory is ahead of the stored one.
      const next = renewed.map((slot) => {
        const known = before.get(`${slot.slot} ${slot.epoch}`);
        return known && BigInt(known.seq) >= BigInt(slot.seq) ? known : slot;
      });
      const isNew = next.some((slot) => !owned.includes(slot));
      if (!isNew && next.length === owned.length) return found;
      if (isNew) isCompared = await compare();
      owned = next;
      changed();
      // The next renewal counts.
      return { ...found, isWhole: found.isWhole && !isNew };
    },

    /**
     * The bus has acknowledged the events of these slots up to these positions. The next renewal stores them. A slot that
     * was lost meanwhile and came back is another object: another history of the database has other events.
     */
    acknowledge(slots: readonly OwnedSlot[], positions: readonly SlotPosition[]): void {
      const read = new Map(positions.map(({ slot, seq }) => [slot, seq]));
      for (const slot of slots) slot.seq = read.get(slot.slot) ?? slot.seq;
      if (isStored) unstored();
      isStored = false;
    },

    /** Lets workers whose bus answers take the slots. If none does, this worker goes on after that time. */
    giveWay(ms: number): void {
      givenWayUntil = performance.now() + ms;
    },

    transaction: <Result>(
      slots: readonly OwnedSlot[],
      work: (tx: Transaction, slots: readonly number[]) => Promise<Result>,
    ) => asOwner(database, worker, slots, work),

    release: () => releaseSlots(database, worker, owned),
  };
}
