import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { startIdlePlatform } from '../../../test/support/idle-platform.js';
import { openPool } from '../../../test/support/open-pool.js';
import { asAllTenantsStatement } from '../../foundation/database/row-level-security.js';
import { allSlots } from '../../foundation/slots.js';
import { asHolder, type Lease, LeaseLost, releaseLeases, takeLeases } from './lease.js';

/** No relay runs here. */
const platform = await startIdlePlatform();
const database = openPool(platform.databaseUrl);
const run = <Row extends object>(statement: ReturnType<typeof sql>) => asAllTenantsStatement<Row>(database, statement);

beforeEach(async () => {
  await run(sql`delete from relay_workers`);
  await run(sql`update relay_lease set expires_at = now() - interval '1 second', published_seq = 0`);
});

const slotsOfWorker = async (holder: string, canPublish = true) =>
  (await takeLeases(database, holder, canPublish, [])).held.map(({ slot }) => slot);

/** Each asks in turn, until nothing changes. */
async function shared(...holders: string[]): Promise<number[][]> {
  for (let round = 0; round < 2; round++) for (const holder of holders) await takeLeases(database, holder, true, []);
  return Promise.all(holders.map((holder) => slotsOfWorker(holder)));
}

const expire = (holder: string) =>
  run(sql`
    with worker as (update relay_workers set expires_at = now() - interval '1 second' where holder = ${holder})
    update relay_lease set expires_at = now() - interval '1 second' where holder = ${holder}`);

test('who takes over leaves out a slot in which the former holder still works; afterwards that holder changes nothing', async () => {
  const { held } = await takeLeases(database, 'former', true, []);
  await expire('former');
  const taken = await asHolder(database, 'former', held.slice(0, 1), () => slotsOfWorker('successor'));
  expect(taken).toEqual(allSlots.slice(1));
  expect(await slotsOfWorker('successor')).toEqual(allSlots);
  await expect(asHolder(database, 'former', held, async () => {})).rejects.toThrow(LeaseLost);
});

test('workers share the slots evenly, and few slots move', async () => {
  expect(await shared('a')).toEqual([allSlots]);
  expect(await shared('a', 'b')).toEqual([allSlots.slice(0, 8), allSlots.slice(8)]);
  const three = await shared('a', 'b', 'c');
  expect(three.map(({ length }) => length).sort()).toEqual([5, 5, 6]);
  expect(three.flat().toSorted((a, b) => a - b)).toEqual(allSlots);
  await expire('a');
  const two = await shared('b', 'c');
  expect(two.map(({ length }) => length)).toEqual([8, 8]);
  expect(two[0]).toEqual(expect.arrayContaining(three[1] as number[]));
  await releaseLeases(database, 'b', []);
  expect(await shared('c')).toEqual([allSlots]);
});

test('of 20 workers, 16 have a slot each', async () => {
  const workers = Array.from({ length: 20 }, (_, number) => `w${String(number).padStart(2, '0')}`);
  const slots = await shared(...workers);
  expect(slots.flat().toSorted((a, b) => a - b)).toEqual(allSlots);
  expect(slots.filter(({ length }) => length === 1)).toHaveLength(16);
});

test('who cannot publish has slots only while nobody can', async () => {
  expect(await slotsOfWorker('a', false)).toEqual(allSlots);
  expect(await slotsOfWorker('b', true)).toEqual(allSlots);
  expect(await slotsOfWorker('a', false)).toEqual([]);
  expect(await slotsOfWorker('b', false)).toEqual(allSlots.slice(0, 8));
  expect(await slotsOfWorker('a', false)).toEqual(allSlots.slice(8));
});

test('a slot has a new epoch with each new holder, and only then', async () => {
  const epochs = async (holder: string) =>
    (await takeLeases(database, holder, true, [])).held.map(({ epoch }) => +epoch);
  const before = await epochs('a');
  expect(await epochs('a')).toEqual(before);
  await expire('a');
  expect(await epochs('b')).toEqual(before.map((epoch) => epoch + 1));
});

test('a renewal stores the positions of the slots that it keeps and gives back, and never those of a former holder', async () => {
  const at = (leases: readonly Lease[], seq: string) => leases.map((lease) => ({ ...lease, seq }));
  const positions = async () =>
    (
      await run<{ seq: string }>(
        sql`select published_seq::text as seq from relay_lease where slot is not null order by slot`,
      )
    ).map(({ seq }) => seq);
  const all = (seq: string) => allSlots.map(() => seq);
  const { held } = await takeLeases(database, 'a', true, []);
  expect((await takeLeases(database, 'a', true, at(held, '5'))).held.map(({ seq }) => seq)).toEqual(all('5'));
  await takeLeases(database, 'b', true, []);
  await takeLeases(database, 'a', true, at(held, '6'));
  const ofB = await takeLeases(database, 'b', true, []);
  expect(ofB.held.map(({ seq }) => seq)).toEqual(allSlots.slice(8).map(() => '6'));
  await takeLeases(database, 'a', true, at(held, '9'));
  expect(await positions()).toEqual([...all('9').slice(8), ...all('6').slice(8)]);
  await releaseLeases(database, 'b', at(ofB.held, '7'));
  await expire('a');
  await takeLeases(database, 'c', true, []);
  await takeLeases(database, 'a', true, at(held, '12'));
  await releaseLeases(database, 'a', at(held, '12'));
  expect(await positions()).toEqual([...all('9').slice(8), ...all('7').slice(8)]);
  // In a restored copy of the database the same numbers belong to other events.
  await run(sql`update relay_lease set holder = '', epoch = 1, expires_at = now() - interval '1 second'`);
  const copied = at(held, '20').map((lease) => ({ ...lease, epoch: '1' }));
  await takeLeases(database, 'a', true, copied);
  await takeLeases(database, 'a', true, copied);
  expect(await positions()).toEqual([...all('9').slice(8), ...all('7').slice(8)]);
});

test('a row that another transaction has locked delays no other slot', async () => {
  const { held } = await takeLeases(database, 'a', true, []);
  await database.sql.begin(async (locking) => {
    await locking`set local role top_system`;
    await locking`select from relay_lease where slot = 3 for update`;
    const slots = await asHolder(database, 'a', held, async (_tx, slots) => [...slots]);
    expect(slots).toEqual(allSlots.filter((slot) => slot !== 3));
  });
  expect(await asHolder(database, 'a', held, async (_tx, slots) => slots.size)).toBe(16);
});

/** The statement of the versions before slots. */
const takeBeforeSlots = (holder: string) =>
  run<{ seq: string }>(sql`
    insert into relay_lease (name, holder, epoch, expires_at, can_publish)
    select 'outbox', ${holder}, 1, now() + make_interval(secs => 5), true
    where not exists (
      select from relay_lease
      where name = 'outbox' and holder <> ${holder} and (can_publish or not true)
        and expires_at between now() and now() + make_interval(secs => 10)
    )
    on conflict (name) do update set
      holder = excluded.holder, expires_at = excluded.expires_at, can_publish = excluded.can_publish,
      epoch = relay_lease.epoch + case when relay_lease.holder = excluded.holder then 0 else 1 end
    where relay_lease.holder = excluded.holder
      or relay_lease.expires_at not between now() and now() + make_interval(secs => 10)
      or (excluded.can_publish and not relay_lease.can_publish)
    returning published_seq::text as seq`);

test('a worker of a version before slots and one of this version never relay at the same time', async () => {
  expect(await takeBeforeSlots('old')).toHaveLength(1);
  expect(await slotsOfWorker('new')).toEqual([]);
  await run(sql`update relay_lease set published_seq = 7 where name = 'outbox'`);
  await run(sql`update relay_lease set expires_at = now() - interval '1 second' where name = 'outbox'`);
  const { held } = await takeLeases(database, 'new', true, []);
  // They go on where the old version has stopped.
  expect(held.map(({ seq }) => seq)).toEqual(allSlots.map(() => '7'));
  expect(await takeBeforeSlots('old')).toHaveLength(0);
  expect(await slotsOfWorker('new', false)).toEqual(allSlots);
  expect(await takeBeforeSlots('old')).toHaveLength(0);
  await run(sql`update relay_lease set expires_at = now() - interval '1 second' where name = 'outbox'`);
  expect(await takeBeforeSlots('old')).toHaveLength(1);
  expect(await slotsOfWorker('new')).toEqual([]);
});
