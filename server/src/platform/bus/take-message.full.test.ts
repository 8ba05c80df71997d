import { randomUUID } from 'node:crypto';
import { platform } from '@tenant-open-platform/testing';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { openPool } from '../../../test/support/open-pool.js';
import { silent } from '../../../test/support/silent.js';
import type { Database } from '../database/database.js';
import type { Delivery } from './bus.js';
import { createMessageTaker, type Handled } from './take-message.js';

let database: Database;

beforeAll(() => {
  database = openPool(platform().databaseUrl as string);
});

afterAll(() => database.close());

const takerOf = (take: () => Promise<Handled>) =>
  createMessageTaker({ database, ...silent() }, 'command-updates', z.object({}), take);

const newTenantId = () => `tenant-${randomUUID().slice(0, 8)}`;

const deliveryOf = (tenantId: string, fields: Partial<Delivery> = {}): Delivery => ({
  id: randomUUID(),
  subject: `tenants.${tenantId}.command-updates.vendor_a`,
  body: Buffer.from('{}'),
  attempt: 1,
  waitingBehind: 0,
  sentAt: new Date(),
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
    return 'DONE';
  });
  const [greedy, other] = [newTenantId(), newTenantId()];
  const waitingBehind = 5_000;
  const from = performance.now();
  const outcomes = await Promise.all(Array.from({ length: 5_000 }, () => take(deliveryOf(greedy, { waitingBehind }))));
  const delays = outcomes.flatMap((outcome) => (outcome === 'DONE' ? [] : [outcome.retryInMs]));
  const seconds = (performance.now() - from) / 1_000;
  expect(taken).toBe(5_000 - delays.length);
  // 2,000 a second, and 500 at once.
  expect(taken).toBeLessThanOrEqual(501 + 2_000 * seconds);
  expect(Math.max(...delays)).toBeLessThanOrEqual(2_500);

  expect(await take(deliveryOf(other, { waitingBehind }))).toBe('DONE');
  expect(await take(deliveryOf(greedy, { waitingBehind, attempt: 2 }))).toBe('DONE');
  expect(await take(deliveryOf(greedy))).toBe('DONE');
});

test('messages that move commands are handled at full speed, however many wait', async () => {
  const take = takerOf(async () => 'ADVANCED');
  const busy = newTenantId();
  for (let round = 0; round < 50; round++) {
    const outcomes = await Promise.all(
      Array.from({ length: 200 }, () => take(deliveryOf(busy, { waitingBehind: 5_000 }))),
    );
    expect(new Set(outcomes)).toEqual(new Set(['DONE']));
  }
});
