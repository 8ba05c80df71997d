import { expect, test } from 'vitest';
import { slotOf } from '../../foundation/slots.js';
import type { Message } from '../bus/bus.js';
import type { OutboxRow } from '../tables.js';
import { createInFlight, type Prepared } from './in-flight.js';

const rowOf = (tenant_id: string, position: string): OutboxRow => ({
  tenant_id,
  position,
  is_logged: false,
  kind: 'COMMAND_ACCEPTED',
  fact_id: position,
});

const batchOf = (...rows: OutboxRow[]): Prepared =>
  new Map(rows.map((row) => [{ subject: '', id: row.position, body: Buffer.alloc(0) } as Message, row]));

const [ACME, OTHER] = ['acme', 'other'];
const slots = [slotOf(ACME), slotOf(OTHER)];

test('rows are not taken from their publication to the commit of their deletion', async () => {
  const inFlight = createInFlight();
  const row = rowOf(ACME, '1');
  inFlight.add(batchOf(row), async () => true);
  expect([inFlight.positions(), inFlight.acknowledgedOf(slots)]).toEqual([['1'], []]);
  await inFlight.untilSettled();
  expect([inFlight.positions(), inFlight.acknowledgedOf(slots)]).toEqual([['1'], [row]]);
  inFlight.deleted([row]);
  expect([inFlight.positions(), inFlight.isEmpty()]).toEqual([[], true]);
});

test('an acknowledgement that arrives while others are deleted belongs to the next round', async () => {
  const inFlight = createInFlight();
  const [first, second] = [rowOf(ACME, '1'), rowOf(ACME, '2')];
  inFlight.add(batchOf(first), async () => true);
  await inFlight.untilSettled();
  const deleting = inFlight.acknowledgedOf(slots);
  inFlight.add(batchOf(second), async () => true);
  await inFlight.untilSettled();
  inFlight.deleted(deleting);
  expect([inFlight.acknowledgedOf(slots), inFlight.positions()]).toEqual([[second], ['2']]);
});

test('after a failure, or with other slots, rows without an acknowledgement are taken again', async () => {
  const inFlight = createInFlight();
  const [kept, lost, failed] = [rowOf(ACME, '1'), rowOf(OTHER, '2'), rowOf(ACME, '3')];
  inFlight.add(batchOf(kept, lost), async () => true);
  inFlight.add(batchOf(failed), async () => false);
  await inFlight.untilSettled();
  expect([inFlight.hasFailed(), inFlight.isEmpty()]).toEqual([true, false]);
  inFlight.startOver([slotOf(ACME)]);
  expect([inFlight.hasFailed(), inFlight.positions()]).toEqual([false, ['1']]);
  expect(inFlight.acknowledgedOf(slots)).toEqual([kept]);
});

test('at most three batches wait for the bus', async () => {
  const inFlight = createInFlight();
  const acknowledge: (() => void)[] = [];
  for (let batch = 0; batch < 3; batch++) {
    inFlight.add(
      batchOf(rowOf(ACME, String(batch))),
      () => new Promise((resolve) => acknowledge.push(() => resolve(true))),
    );
  }
  let hasRoom = false;
  const room = inFlight.untilRoom().then(() => {
    hasRoom = true;
  });
  await new Promise(setImmediate);
  expect(hasRoom).toBe(false);
  acknowledge[1]?.();
  await room;
  expect(hasRoom).toBe(true);
});
