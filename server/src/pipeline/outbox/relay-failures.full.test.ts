import { sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { batchesOf, eventsOf, idsOf, prepareRelays, soon } from '../../../test/support/relay-nodes.js';
import { asAllTenantsStatement } from '../../foundation/database/row-level-security.js';
import { newId } from '../../foundation/ids.js';
import { BATCH } from './take-rows.js';

const relays = await prepareRelays();
const { database, kept, startNode, newRows, standing, allPublished, epoch, prolongLease, publishedSeq } = relays;

test('while the bus is away facts are logged, and leave in the order of the log when it is back', async () => {
  const node = startNode({ unready: 'the bus does not answer' });
  const before = [...(await newRows()), ...(await newRows(2 * BATCH))];
  node.wake();
  await vi.waitFor(() => expect(node.logged).toEqual(before), soon);
  expect([node.attempts, await standing()]).toEqual([[], before]);
  node.holdUp();
  node.setUnready(null);
  node.wake();
  // Now the relay knows that the bus is back.
  await vi.waitFor(() => expect(node.attempts).not.toEqual([]), soon);
  const after = await newRows();
  node.wake();
  node.letGo();
  await allPublished();
  expect(kept).toEqual([...before, ...after]);
  expect(node.logged).toEqual(before);
});

test('a node whose bus answers takes the lease from a node whose bus does not', async () => {
  const first = startNode({ unready: 'the bus does not answer' });
  const ids = await newRows();
  first.wake();
  await vi.waitFor(() => expect(first.logged).toEqual(ids), soon);
  await prolongLease();
  const second = startNode();
  await allPublished();
  expect([first.attempts, idsOf(second)]).toEqual([[], ids]);
});

test('a failed batch is published again soon, also by a relay that rests for a minute when nothing waits', async () => {
  const node = startNode({ isHeldUp: true, mayGetLost: false });
  await node.lookInVain();
  const ids = await newRows();
  node.wake();
  await vi.waitFor(() => expect(batchesOf(node)).toEqual([ids]), soon);
  // The relay has looked again, found nothing, and waits for the bus.
  node.wake();
  await new Promise((resolve) => setTimeout(resolve, 500));
  node.failNext(1);
  node.letGo();
  await allPublished();
  expect([batchesOf(node), node.attempts.length > 1]).toEqual([[ids], true]);
});

test('a leader that fails twice in a row to publish gives the lease to a node that can', async () => {
  const first = startNode();
  first.failNext(1_000);
  const ids = await newRows();
  first.wake();
  await vi.waitFor(() => expect(first.attempts.length).toBeGreaterThan(0), soon);
  await prolongLease();
  const second = startNode();
  await allPublished();
  expect([first.attempts.slice(0, 2), idsOf(second)]).toEqual([[ids, ids], ids]);
});

test('a leader whose failures are not in a row keeps the lease', async () => {
  const first = startNode();
  first.failNext(1);
  const ids = await newRows();
  first.wake();
  await allPublished();
  await prolongLease();
  const second = startNode();
  await second.lookInVain();
  const before = await epoch();
  first.failNext(1);
  const later = await newRows();
  first.wake();
  await allPublished();
  expect([batchesOf(first), second.attempts]).toEqual([[ids, later], []]);
  expect(await epoch()).toBe(before);
});

test('events count as published once the bus has them: those that it did not accept are published again, in order', async () => {
  const log = Array.from({ length: 600 }, newId);
  const node = startNode({ readEvents: eventsOf(log), isHeldUp: true });
  await vi.waitFor(() => expect(node.attempts).toHaveLength(1), soon);
  expect(await publishedSeq()).toBe('0');
  node.failNext(1);
  node.letGo();
  await vi.waitFor(async () => expect(await publishedSeq()).toBe('600'), soon);
  expect(node.attempts[1]).toEqual(node.attempts[0]);
  expect(kept).toEqual(log);
});

test('a leader whose database is restored continues at the position of the copy, also if it has its old epoch again', async () => {
  const log = ['first', 'second'];
  const node = startNode({ readEvents: eventsOf(log) });
  await vi.waitFor(async () => expect(await publishedSeq()).toBe('2'), soon);
  log.splice(0, 2, 'third', 'fourth');
  // The generation raises the epoch, and so does the take: the leader has its old epoch again.
  await asAllTenantsStatement(database, sql`update slots set published_seq = 0, epoch = epoch - 2`);
  await node.noticeRestore();
  await vi.waitFor(() => expect(kept).toEqual(['first', 'second', 'third', 'fourth']), soon);
});

test('successive leaders publish every event in the order of the log', async () => {
  const log = Array.from({ length: 1_000 }, newId);
  const readEvents = eventsOf(log);
  const first = startNode({ readEvents, isHeldUp: true });
  await vi.waitFor(() => expect(first.attempts).toHaveLength(1), soon);
  // A node that can publish takes the lease from it.
  first.setUnready('the bus does not answer');
  first.wake();
  const second = startNode({ readEvents });
  await vi.waitFor(() => expect(idsOf(second)).toHaveLength(log.length), soon);
  await prolongLease();
  // Now it knows that it has lost the lease.
  await first.lookInVain();
  first.setUnready(null);
  first.letGo();
  await first.lookInVain();
  expect(first.attempts).toHaveLength(1);
  await vi.waitFor(async () => expect(await publishedSeq()).toBe('1000'), soon);
  expect(kept).toEqual(log);
});
