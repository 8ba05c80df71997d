import { randomUUID } from 'node:crypto';
import type { ErrorDetail } from '@tenant-open-platform/contract';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { openPool } from '../../../test/support/open-pool.js';
import { silent } from '../../../test/support/silent.js';
import type { Delivery } from './bus.js';
import { retriedMessageId } from './parked-messages.js';
import { readWhole } from './read-message.js';
import { createMessageTaker, done, type Handled, parked } from './take-message.js';

const database = openPool();

const takerOf = (take: () => Promise<Handled>, isNearlyFull = () => false) =>
  createMessageTaker({ database, ...silent(), isNearlyFull }, 'command-updates', () => ({ message: {} }), take);

const newTenantId = () => `tenant-${randomUUID().slice(0, 8)}`;

const deliveryOf = (tenantId: string, fields: Partial<Delivery> = {}): Delivery => ({
  id: randomUUID(),
  messageId: '',
  subject: `tenants.${tenantId}.command-updates.vendor_a`,
  body: Buffer.from('{}'),
  attempt: 1,
  waitingBehind: 0,
  sentAt: new Date(),
  age: async () => 0,
  ...fields,
});

const parkedOf = (tenantId: string) =>
  database.sql.begin(async (tx) => {
    await tx`set local role top_system`;
    return tx`select reason from parked_messages where subject like ${`tenants.${tenantId}.%`}`;
  });

test('while the database is away a message is redelivered within 2 seconds, and these tries do not count', async () => {
  const away = openPool('postgres://127.0.0.1:1/none', { backoff: false });
  onTestFinished(() => away.close());
  let isAway = true;
  const take = takerOf(async () => {
    if (isAway) await away.sql`select 1`;
    throw new TypeError('This message is poison.');
  });
  const tenantId = newTenantId();
  const message = deliveryOf(tenantId);
  for (let attempt = 1; attempt <= 30; attempt++) {
    const { retryInMs } = (await take({ ...message, attempt })) as { retryInMs: number };
    expect(retryInMs).toBeLessThanOrEqual(2_000);
  }
  isAway = false;
  for (let attempt = 31; attempt < 40; attempt++) expect(await take({ ...message, attempt })).not.toBe('DONE');
  expect(await parkedOf(tenantId)).toEqual([]);
  expect(await take({ ...message, attempt: 40 })).toBe('DONE');
  expect([...(await parkedOf(tenantId))]).toEqual([{ reason: 'Failed 10 times.' }]);
});

test('while many messages wait, only the messages of a tenant above its share are delayed, and each only once', async () => {
  let taken = 0;
  const take = takerOf(async () => {
    taken += 1;
    return done;
  });
  const [greedy, other] = [newTenantId(), newTenantId()];
  const waitingBehind = 5_000;
  const from = performance.now();
  const outcomes = await Promise.all(Array.from({ length: 5_000 }, () => take(deliveryOf(greedy, { waitingBehind }))));
  const delays = outcomes.flatMap((outcome) => (outcome === 'DONE' ? [] : [outcome.retryInMs]));
  const seconds = (performance.now() - from) / 1_000;
  expect(taken).toBe(5_000 - delays.length);
  // At most 2,000 a second, and 500 at once.
  expect(taken).toBeLessThanOrEqual(501 + 2_000 * seconds);
  // At least 200 a second.
  expect(Math.max(...delays)).toBeLessThanOrEqual(4_500 * 5 + 250);

  expect(await take(deliveryOf(other, { waitingBehind }))).toBe('DONE');
  expect(await take(deliveryOf(greedy, { waitingBehind, attempt: 2 }))).toBe('DONE');
  expect(await take(deliveryOf(greedy))).toBe('DONE');
});

test('while the bus is nearly full, messages of the tenant that fills it are refused; otherwise none is', async () => {
  // The rate of the tenant does not fall behind the limit, however slow the machine is.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const [greedy, other] = [newTenantId(), newTenantId()];
  const large = { body: Buffer.from(`{}${' '.repeat(65_534)}`), waitingBehind: 5_000 };
  let isFull = false;
  const take = takerOf(
    async () => done,
    () => isFull,
  );
  for (let sent = 0; sent < 6_200; sent++) await take(deliveryOf(greedy, large));
  expect(await take(deliveryOf(greedy, large))).not.toBe('DONE');
  expect(await parkedOf(greedy)).toEqual([]);
  isFull = true;
  expect(await take(deliveryOf(greedy, large))).toBe('DONE');
  expect([...(await parkedOf(greedy))]).toEqual([{ reason: 'The tenant has too many messages waiting on the bus.' }]);
  expect(await take(deliveryOf(other, { waitingBehind: 5_000 }))).toBe('DONE');
  expect(await parkedOf(other)).toEqual([]);
});

test('messages that move commands are handled at full speed, however many wait', async () => {
  const take = takerOf(async () => ({ as: 'DONE', movedCommand: true }));
  const busy = newTenantId();
  for (let round = 0; round < 50; round++) {
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, () => take(deliveryOf(busy, { waitingBehind: 5_000 }))),
    );
    expect(new Set(outcomes)).toEqual(new Set(['DONE']));
  }
});

type Row = { parked_message_id: string; reason: string; details: ErrorDetail[]; body: Buffer };

const rowsOf = (tenantId: string): Promise<Row[]> =>
  database.sql.begin(async (tx) => {
    await tx`set local role top_system`;
    return tx<Row[]>`
      select parked_message_id, reason, details, body from parked_messages
      where subject like ${`tenants.${tenantId}.%`} order by parked_message_id`;
  });

/** Parks the message, and returns the delivery of its retry. */
async function retryOf(delivery: Delivery): Promise<Delivery> {
  await takerOf(async () => parked('Parked first.'))(delivery);
  const [row] = await rowsOf(tenantOf(delivery));
  return { ...delivery, id: randomUUID(), messageId: retriedMessageId(row?.parked_message_id as string) };
}

const tenantOf = ({ subject }: Delivery) => subject.split('.')[1] as string;

test('a retried message is no longer parked once it is taken, and parked again with the new reason if it is refused', async () => {
  const retried = await retryOf(deliveryOf(newTenantId()));
  await takerOf(async () => parked('Refused again.'))(retried);
  const [again, ...others] = await rowsOf(tenantOf(retried));
  expect([again?.reason, others]).toEqual(['Refused again.', []]);
  const messageId = retriedMessageId(again?.parked_message_id as string);
  expect(messageId).not.toBe(retried.messageId);
  await takerOf(async () => done)({ ...retried, id: randomUUID(), messageId });
  expect(await rowsOf(tenantOf(retried))).toEqual([]);
});

test('a message that fails while it is taken stays parked, however often it is tried', async () => {
  const retried = await retryOf(deliveryOf(newTenantId()));
  const take = takerOf(async () => {
    throw new TypeError('This message is poison.');
  });
  for (let attempt = 1; attempt <= 10; attempt++) {
    expect(await rowsOf(tenantOf(retried))).toMatchObject([{ reason: 'Parked first.' }]);
    await take({ ...retried, attempt });
  }
  expect(await rowsOf(tenantOf(retried))).toMatchObject([{ reason: 'Failed 10 times.' }]);
});

test.each([
  ['another body', () => ({ body: Buffer.from('{ }') })],
  ['another vendor', (tenantId: string) => ({ subject: `tenants.${tenantId}.command-updates.vendor_b` })],
  ['another tenant', () => ({ subject: `tenants.${newTenantId()}.command-updates.vendor_a` })],
])('a message of %s that claims to be the retry of a parked message leaves it parked', async (_, fieldsOf) => {
  const retried = await retryOf(deliveryOf(newTenantId()));
  const tenantId = tenantOf(retried);
  const forged = { ...retried, ...fieldsOf(tenantId) };
  await takerOf(async () => done)(forged);
  await takerOf(async () => parked('Forged.'))(forged);
  expect(await rowsOf(tenantId)).toContainEqual(expect.objectContaining({ reason: 'Parked first.' }));
});

test.each(['parked:', 'parked:x', `parked:${'0'.repeat(36)}`, `parked:${randomUUID()}`])(
  'a message with the id %s is handled like any other',
  async (messageId) => {
    const delivery = deliveryOf(newTenantId(), { messageId });
    await takerOf(async () => done)(delivery);
    await takerOf(async () => parked('Refused.'))(delivery);
    expect(await rowsOf(tenantOf(delivery))).toMatchObject([{ reason: 'Refused.' }]);
  },
);

describe('a message that breaks its schema', () => {
  const schema = z.strictObject({ name: z.string(), list: z.array(z.number()) });
  const take = (delivery: Delivery) =>
    createMessageTaker(
      { database, ...silent(), isNearlyFull: () => false },
      'command-updates',
      (body) => readWhole(schema, body),
      async () => done,
    )(delivery);

  async function detailsOf(text: string): Promise<ErrorDetail[]> {
    const delivery = deliveryOf(newTenantId(), { body: Buffer.from(text) });
    expect(await take(delivery)).toBe('DONE');
    const [parked] = await rowsOf(tenantOf(delivery));
    const messageId = retriedMessageId(parked?.parked_message_id as string);
    expect(await take({ ...delivery, id: randomUUID(), messageId })).toBe('DONE');
    const rows = await rowsOf(tenantOf(delivery));
    expect(rows.map(({ details }) => details)).toEqual([parked?.details]);
    return parked?.details as ErrorDetail[];
  }

  test('is parked with each wrong field, also when it is refused again', async () => {
    expect(await detailsOf('{"name":1,"list":[1,"2"],"more":true}')).toEqual([
      { location: 'body/name', code: 'INVALID_TYPE', message: expect.any(String) },
      { location: 'body/list/1', code: 'INVALID_TYPE', message: expect.any(String) },
      { location: 'body/more', code: 'UNKNOWN_FIELD', message: expect.any(String) },
    ]);
  });

  test.each(['', 'a'])(
    'and has names of emojis, is parked although its reason is cut within one: %j',
    async (first) => {
      const names = Array.from({ length: 20 }, (_, index) => `${index === 0 ? first : ''}${'😀'.repeat(50)}${index}`);
      const unknown = Object.fromEntries(names.map((name) => [name, 1]));
      expect(await detailsOf(JSON.stringify({ name: 'a', list: [], ...unknown }))).toHaveLength(20);
    },
  );

  test('and has many wrong fields, is parked with the first 20', async () => {
    const list = Array(500).fill('x');
    expect(await detailsOf(JSON.stringify({ name: 'a', list }))).toHaveLength(20);
  });

  test.each([
    ['a name that is not printable', '{"name":"a","list":[],"\\u202ea":1}', 'body/?a'],
    ['a name with NUL', '{"name":"a","list":[],"b\\u0000c":1}', expect.stringMatching(/^body/)],
    ['a name of half a pair', '{"name":"a","list":[],"b\\ud800":1}', expect.stringMatching(/^body/)],
    ['a name of 60,000 characters', `{"name":"a","list":[],"${'n'.repeat(60_000)}":1}`, `body/${'n'.repeat(128)}`],
    ['a value that JSON cannot have', '{"name":NaN}', 'body/name'],
  ])('and has %s, is parked with a location that can be stored and shown', async (_, text, location) => {
    expect(await detailsOf(text)).toMatchObject([{ location }]);
  });
});
