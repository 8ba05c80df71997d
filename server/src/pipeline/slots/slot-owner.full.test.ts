import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { startIdlePlatform } from '../../../test/support/idle-platform.js';
import { movableClock } from '../../../test/support/movable-clock.js';
import { openPool } from '../../../test/support/open-pool.js';
import { asAllTenantsStatement } from '../../foundation/database/row-level-security.js';
import { allSlots } from '../../foundation/slots.js';
import { inProcessBus } from '../bus/in-process-bus.js';
import { asOwner, createSlotOwner, type OwnedSlot, releaseSlots, renewSlots, SlotsLost } from './slot-owner.js';

/** No relay runs here. */
const platform = await startIdlePlatform();
// A slot is owned for five seconds, whatever the machine does meanwhile.
await (await movableClock(platform.superuserUrl)).stop();
const database = openPool(platform.databaseUrl);
const run = <Row extends object>(statement: ReturnType<typeof sql>) => asAllTenantsStatement<Row>(database, statement);

beforeEach(async () => {
  await run(sql`update slots set owned_until = now() - interval '1 second', claimant = null, published_seq = 0`);
});

const slotsOfWorker = async (worker: string, canPublish = true) =>
  (await renewSlots(database, { worker, canPublish, known: [] })).owned.map(({ slot }) => slot);

/** Within two seconds each worker looks three times; the last of many needs more. */
const ROUNDS = 6;

/** Each asks in turn, until nothing changes. */
async function shared(...workers: string[]): Promise<number[][]> {
  for (let round = 0; round < ROUNDS; round++)
    for (const worker of workers) await renewSlots(database, { worker, canPublish: true, known: [] });
  return Promise.all(workers.map((worker) => slotsOfWorker(worker)));
}

const expire = (worker: string) =>
  run(sql`update slots set owned_until = now() - interval '1 second' where owner = ${worker}`);

test('who takes over leaves out a slot in which the former worker still works; afterwards that worker changes nothing', async () => {
  const { owned } = await renewSlots(database, { worker: 'former', canPublish: true, known: [] });
  await expire('former');
  const taken = await asOwner(database, 'former', owned.slice(0, 1), () => slotsOfWorker('successor'));
  expect(taken).toEqual(allSlots.slice(1));
  expect(await slotsOfWorker('successor')).toEqual(allSlots);
  await expect(asOwner(database, 'former', owned, async () => {})).rejects.toThrow(SlotsLost);
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
  await releaseSlots(database, 'b', []);
  expect(await shared('c')).toEqual([allSlots]);
});

test('of 20 workers, 16 have a slot each', async () => {
  const workers = Array.from({ length: 20 }, (_, number) => `w${String(number).padStart(2, '0')}`);
  const slots = await shared(...workers);
  expect(slots.flat().toSorted((a, b) => a - b)).toEqual(allSlots);
  expect(slots.filter(({ length }) => length === 1)).toHaveLength(16);
});

test('who can publish takes the slots of those who cannot; these keep what nobody takes', async () => {
  expect(await slotsOfWorker('a', false)).toEqual(allSlots);
  expect(await slotsOfWorker('b', false)).toEqual([]);
  expect(await slotsOfWorker('c', true)).toEqual(allSlots);
  expect(await slotsOfWorker('a', false)).toEqual([]);
  // Without a bus it does not claim its share.
  expect(await shared('c')).toEqual([allSlots]);
});

test('a slot is handed over only when no transaction of its owner works on it', async () => {
  const { owned } = await renewSlots(database, { worker: 'a', canPublish: true, known: [] });
  await renewSlots(database, { worker: 'b', canPublish: true, known: [] });
  const working = owned.filter(({ slot }) => slot >= 12);
  const kept = await asOwner(database, 'a', working, () => slotsOfWorker('a'));
  expect(kept).toEqual([...allSlots.slice(0, 8), ...allSlots.slice(12)]);
  expect(await slotsOfWorker('a')).toEqual(allSlots.slice(0, 8));
  expect(await slotsOfWorker('b')).toEqual(allSlots.slice(8));
});

test('an owner keeps its share, however much is claimed', async () => {
  await slotsOfWorker('a');
  await run(sql`update slots set claimant = 'b', claimed_until = now() + interval '4 seconds'`);
  expect(await slotsOfWorker('a')).toHaveLength(8);
});

test('a renewal does not wait for transactions of the owner, nor they for each other', async () => {
  const { owned } = await renewSlots(database, { worker: 'a', canPublish: true, known: [] });
  const inside = await asOwner(database, 'a', owned, () =>
    asOwner(database, 'a', owned, async (_tx, slots) => [slots, await slotsOfWorker('a')]),
  );
  expect(inside).toEqual([allSlots, allSlots]);
});

test('a slot has a new epoch with each new worker, and only then', async () => {
  const epochs = async (worker: string) =>
    (await renewSlots(database, { worker, canPublish: true, known: [] })).owned.map(({ epoch }) => +epoch);
  const before = await epochs('a');
  expect(await epochs('a')).toEqual(before);
  await expire('a');
  expect(await epochs('b')).toEqual(before.map((epoch) => epoch + 1));
});

test('a renewal stores the positions of the slots that it keeps and gives back, and never those of a former worker', async () => {
  const at = (slots: readonly OwnedSlot[], seq: string) => slots.map((slot) => ({ ...slot, seq }));
  const positions = async () =>
    (await run<{ seq: string }>(sql`select published_seq::text as seq from slots order by slot`)).map(({ seq }) => seq);
  const all = (seq: string) => allSlots.map(() => seq);
  const { owned } = await renewSlots(database, { worker: 'a', canPublish: true, known: [] });
  expect(
    (await renewSlots(database, { worker: 'a', canPublish: true, known: at(owned, '5') })).owned.map(({ seq }) => seq),
  ).toEqual(all('5'));
  await renewSlots(database, { worker: 'b', canPublish: true, known: [] });
  await renewSlots(database, { worker: 'a', canPublish: true, known: at(owned, '6') });
  const ofB = await renewSlots(database, { worker: 'b', canPublish: true, known: [] });
  expect(ofB.owned.map(({ seq }) => seq)).toEqual(allSlots.slice(8).map(() => '6'));
  await renewSlots(database, { worker: 'a', canPublish: true, known: at(owned, '9') });
  expect(await positions()).toEqual([...all('9').slice(8), ...all('6').slice(8)]);
  await releaseSlots(database, 'b', at(ofB.owned, '7'));
  await expire('a');
  await renewSlots(database, { worker: 'c', canPublish: true, known: [] });
  await renewSlots(database, { worker: 'a', canPublish: true, known: at(owned, '12') });
  await releaseSlots(database, 'a', at(owned, '12'));
  expect(await positions()).toEqual([...all('9').slice(8), ...all('7').slice(8)]);
  // In a restored copy of the database the same numbers belong to other events.
  await run(sql`update slots set owner = '', epoch = 1, owned_until = now() - interval '1 second'`);
  const copied = at(owned, '20').map((lease) => ({ ...lease, epoch: '1' }));
  await renewSlots(database, { worker: 'a', canPublish: true, known: copied });
  await renewSlots(database, { worker: 'a', canPublish: true, known: copied });
  expect(await positions()).toEqual([...all('9').slice(8), ...all('7').slice(8)]);
});

test('what the bus acknowledges of slots that were lost meanwhile moves no position of those that came back', async () => {
  const owner = createSlotOwner({ database, bus: inProcessBus(), compare: async () => true, onRenewed() {} });
  await owner.renew();
  const lost = owner.owned();
  await run(sql`update slots set epoch = epoch + 1`);
  await owner.renew();
  const positions = () => owner.owned().map(({ seq }) => seq);
  owner.acknowledge(lost, [{ slot: 0, seq: '99' }]);
  expect(positions()).toEqual(allSlots.map(() => '0'));
  owner.acknowledge(owner.owned(), [{ slot: 1, seq: '7' }]);
  await owner.renew();
  expect(await run(sql`select slot, published_seq::int from slots where published_seq > 0`)).toEqual([
    { slot: 1, published_seq: 7 },
  ]);
});

test('a row that another transaction has locked delays no other slot', async () => {
  const { owned } = await renewSlots(database, { worker: 'a', canPublish: true, known: [] });
  await database.sql.begin(async (locking) => {
    await locking`set local role top_system`;
    await locking`select from slots where slot = 3 for update`;
    const slots = await asOwner(database, 'a', owned, async (_tx, slots) => slots);
    expect(slots).toEqual(allSlots.filter((slot) => slot !== 3));
  });
  expect(await asOwner(database, 'a', owned, async (_tx, slots) => slots.length)).toBe(16);
});
