import { sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { batchesOf, eventsOf, idsOf, prepareRelays, soon } from '../../../test/support/relay-nodes.js';
import { asAllTenantsStatement } from '../../foundation/database/row-level-security.js';
import { newId } from '../../foundation/ids.js';
import { BATCH, OVERLAP } from './take-rows.js';

/** The number of pauses that have begun, by length. The relay pauses for 20 ms, the publishing of events for 50 ms. */
const pauses = vi.hoisted(() => new Map<number, number>());
vi.mock('node:timers/promises', async (importOriginal) => {
  const timers = await importOriginal<typeof import('node:timers/promises')>();
  const setTimeout: typeof timers.setTimeout = (milliseconds = 0, ...rest) => {
    pauses.set(milliseconds, (pauses.get(milliseconds) ?? 0) + 1);
    return timers.setTimeout(milliseconds, ...rest);
  };
  return { ...timers, setTimeout };
});
const pausesOf = (milliseconds: number) => pauses.get(milliseconds) ?? 0;

/** The flood of a test, and half of its batches: a row that does not wait for the flood leaves earlier. */
const FLOOD = 100_000;
const HALF_OF_FLOOD = FLOOD / BATCH / 2;

const relays = await prepareRelays();
const { database, kept, startNode, newRows, standing, allPublished, published, epoch } = relays;
const { setLease, takeOver } = relays;

test('a lease that ends further ahead than it lasts has expired: the clock of the database was ahead', async () => {
  const first = startNode({ isHeldUp: true });
  await first.lookInVain();
  await first.stop();
  await setLease(3_600);
  const before = await epoch();
  const ids = await newRows();
  await published(startNode(), [ids]);
  expect(await epoch()).toBe(before + 1);
});

test('a leader that lost its lease while publishing deletes and takes no rows; each message is kept once, in order', async () => {
  const ids = await newRows();
  const first = startNode({ isHeldUp: true });
  await published(first, [ids]);
  const before = await epoch();

  const second = startNode();
  await takeOver(second);
  await published(second, [ids]);
  await allPublished();
  expect(await epoch()).toBe(before + 1);

  second.holdUp();
  const later = await newRows();
  second.wake();
  await published(second, [ids, later]);
  first.letGo();
  await first.lookInVain();
  expect(batchesOf(first)).toEqual([ids]);
  expect(await standing()).toEqual(later);

  second.letGo();
  await allPublished();
  await first.lookInVain();
  const last = await newRows();
  first.wake();
  second.wake();
  await allPublished();
  expect(idsOf(second)).toEqual([...ids, ...later, ...last]);
  expect(batchesOf(first)).toEqual([ids]);
  expect(await epoch()).toBe(before + 1);
  await vi.waitFor(() => expect(kept).toEqual([...ids, ...later, ...last]), soon);
});

test('a leader that gets its lease back publishes the remaining rows again, and the other node deletes none of them', async () => {
  const ids = [...(await newRows()), ...(await newRows())];
  const first = startNode({ isHeldUp: true });
  await published(first, [ids]);
  const before = await epoch();
  const second = startNode({ isHeldUp: true });
  await takeOver(second);
  await published(second, [ids]);
  first.letGo();
  await first.lookInVain();
  expect(await standing()).toEqual(ids);

  second.setUnready('the bus does not answer');
  await vi.waitFor(() => expect(first.attempts.length).toBeGreaterThan(1), soon);
  await allPublished();
  expect(batchesOf(first)).toEqual([ids]);
  second.letGo();
  await second.lookInVain();
  expect(batchesOf(second)).toEqual([ids]);
  expect(await epoch()).toBe(before + 2);
  await vi.waitFor(() => expect(kept).toEqual(ids), soon);
});

test('a leader that stops releases its lease, and the next one continues at once', async () => {
  const first = startNode();
  const ids = await newRows();
  first.wake();
  await published(first, [ids]);
  await allPublished();
  const second = startNode();
  await second.lookInVain();
  const before = await epoch();
  await first.stop();
  const [lease] = await asAllTenantsStatement<{ is_free: boolean }>(
    database,
    sql`
    select owned_until < now() or epoch > ${before} as is_free from slots where slot = 2`,
  );
  expect(lease).toEqual({ is_free: true });

  const later = await newRows();
  await vi.waitFor(() => expect(idsOf(second)).toEqual(later), soon);
  await vi.waitFor(() => expect(kept).toEqual([...ids, ...later]), soon);
});

test('rows whose messages the bus acknowledges while the leader stops are deleted: no other node publishes them again', async () => {
  const ids = await newRows();
  const node = startNode({ isHeldUp: true });
  await published(node, [ids]);
  const stopped = node.stop();
  node.letGo();
  await stopped;
  expect(await standing()).toEqual([]);
});

test('the next batch is taken before the bus has acknowledged the previous one', async () => {
  const ids = await newRows(2 * BATCH);
  const node = startNode({ isHeldUp: true });
  await published(node, [ids.slice(0, BATCH), ids.slice(BATCH)]);
  expect(await standing()).toEqual(ids);
  node.letGo();
  await allPublished();
  expect(kept).toEqual(ids);
});

test('rows and events that come one after the other share batches', async () => {
  const ids: string[] = [];
  const log: string[] = [];
  const node = startNode({ readEvents: eventsOf(log) });
  await node.lookInVain();
  const before = { ofRows: pausesOf(20), ofEvents: pausesOf(50) };
  while (ids.length < 200) {
    const [id] = await newRows(1);
    ids.push(id as string);
    log.push(`event ${id}`);
    node.wake();
  }
  await vi.waitFor(() => expect(node.attempts.flat()).toHaveLength(2 * ids.length), soon);
  const events = node.attempts.filter(([id]) => id?.startsWith('event'));
  const rows = node.attempts.filter((batch) => !events.includes(batch));
  expect([rows.flat(), events.flat()]).toEqual([ids, ids.map((id) => `event ${id}`)]);
  expect(rows.length).toBeLessThan(2 + pausesOf(20) - before.ofRows);
  expect(events.length).toBeLessThan(2 + pausesOf(50) - before.ofEvents);
});

test('while three tenants have more rows than a batch, it makes no pause', async () => {
  const flood = async (tenantId: string) => newRows(10 * BATCH, tenantId);
  await Promise.all(['one', 'two', 'three'].map(flood));
  const node = startNode();
  const before = pausesOf(20);
  await allPublished();
  expect(node.attempts.length).toBeGreaterThanOrEqual(30);
  expect(pausesOf(20) - before).toBeLessThan(10);
});

test('rows that the bus acknowledges while the next batch is prepared are published once', async () => {
  const ids = await newRows(3 * BATCH);
  const node = startNode({
    isHeldUp: true,
    onPrepare(preparing) {
      if (preparing.attempts.length > 0) preparing.letGo();
    },
  });
  await allPublished();
  await node.lookInVain();
  expect(node.attempts.flat()).toEqual(ids);
});

test("while a tenant has many unhandled updates on the bus, its rows wait, and those of other tenants don't", async () => {
  const untakenUpdates = new Map([
    ['busy', 2_001],
    ['quick', 2_000],
  ]);
  const held = await newRows(BATCH, 'busy');
  const node = startNode({ untakenUpdates });
  await node.lookInVain();
  const ids = await newRows(3 * BATCH, 'quick');
  await vi.waitFor(() => expect(kept).toEqual(expect.arrayContaining(ids)), soon);
  const late = await newRows(2, 'busy');
  await node.lookInVain();
  expect(kept.filter((id) => late.includes(id))).toEqual([]);
  untakenUpdates.delete('busy');
  await allPublished();
  expect(new Set(kept)).toEqual(new Set([...held, ...ids, ...late]));
});

test('the relay makes no pause before it reaches a tenant behind 5,120 held tenants', async () => {
  const HELD = 20 * BATCH;
  await asAllTenantsStatement(
    database,
    sql`
    insert into outbox (tenant_id, fact_id, kind)
    select 'held-' || number, gen_random_uuid(), 'DEVICE_REQUEST_REPLIED' from generate_series(1, ${HELD}::int) as number`,
  );
  const untakenUpdates = new Map(Array.from({ length: HELD }, (_, index) => [`held-${index + 1}`, 100]));
  const node = startNode({ untakenUpdates });
  await node.lookInVain();
  for (let row = 0; row < 3; row++) {
    const [id = ''] = await newRows(1, 'other');
    const before = pausesOf(20);
    node.wake();
    await vi.waitFor(() => expect(node.attempts.flat()).toContain(id), soon);
    // One may follow the sweep that was under way, and one the sweep that found the row.
    expect(pausesOf(20) - before).toBeLessThan(4);
  }
});

test('an open transaction with writes blocks nothing, and its own row is published when it commits', async () => {
  const node = startNode();
  const late = newId();
  let others: string[] = [];
  await database.sql.begin(async (tx) => {
    await tx`set local role top_system`;
    await tx`insert into outbox (tenant_id, fact_id, kind) values ('acme', ${late}, 'DEVICE_REQUEST_REPLIED')`;
    others = [...(await newRows()), ...(await newRows())];
    node.wake();
    await allPublished();
    await vi.waitFor(() => expect(kept).toEqual(others), soon);
  });
  node.wake();
  await allPublished();
  await vi.waitFor(() => expect(kept).toEqual([...others, late]), soon);
});

test('a row that is committed behind many others is published soon, while rows wait all the time', async () => {
  const node = startNode();
  const late = newId();
  await database.sql.begin(async (tx) => {
    await tx`set local role top_system`;
    await tx`insert into outbox (tenant_id, fact_id, kind) values ('acme', ${late}, 'DEVICE_REQUEST_REPLIED')`;
    await newRows(FLOOD);
    node.wake();
    await vi.waitFor(() => expect(node.attempts.length).toBeGreaterThan((2 * OVERLAP) / BATCH), soon);
    node.holdUp();
  });
  const before = node.attempts.length;
  node.letGo();
  await vi.waitFor(() => expect(node.attempts.flat()).toContain(late), soon);
  expect(node.attempts.findIndex((batch) => batch.includes(late)) - before).toBeLessThan(HALF_OF_FLOOD);
});

test("100,000 waiting rows of one tenant do not delay another tenant's row, and leave in order", async () => {
  const flood = await newRows(FLOOD, 'flood');
  const node = startNode({ isHeldUp: true });
  await vi.waitFor(() => expect(node.attempts.flat()).toHaveLength(3 * BATCH), soon);
  const [one] = await newRows(1, 'other');
  node.letGo();
  await vi.waitFor(() => expect(node.attempts.flat()).toContain(one), soon);
  expect(node.attempts.findIndex((batch) => batch.includes(one as string))).toBeLessThan(HALF_OF_FLOOD);
  await vi.waitFor(() => expect(node.attempts.flat().length).toBeGreaterThan(10 * BATCH), soon);
  const ofFlood = node.attempts.flat().filter((id) => id !== one);
  expect(ofFlood).toEqual(flood.slice(0, ofFlood.length));
});
