import { randomUUID } from 'node:crypto';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { DeviceReplyMessage } from '@tenant-open-platform/contract/bus';
import { createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { sql } from 'drizzle-orm';
import type postgres from 'postgres';
import { expect, test } from 'vitest';
import { expectRefusal } from '../../test/support/expect-refusal.js';
import { onBothNodes } from '../../test/support/on-both-nodes.js';
import { openPool } from '../../test/support/open-pool.js';
import { everySlot } from '../../test/support/owned-slots.js';
import { createReplier } from '../../test/support/replier.js';
import { silent } from '../../test/support/silent.js';
import { localSignals } from '../foundation/signals/signals.js';
import { createDeviceRequestReceiver, sweepDeviceRequests } from './device-requests.js';
import { createDispatch } from './outbox/dispatch.js';

const REQUESTS = '/api/v1/open/device-requests';

const database = openPool();
const tenant = await createTenant();
const replier = await createReplier(tenant);

const asSystem = <Result>(work: (tx: postgres.TransactionSql) => Promise<Result>) =>
  database.sql.begin(async (tx) => {
    await tx`set local role top_system`;
    return work(tx);
  });

async function newRequest(): Promise<string> {
  const receive = createDeviceRequestReceiver(database, localSignals());
  const dedupe_id = randomUUID();
  const message = { device_id: 'd-1', request_type: 'help', payload: {}, dedupe_id, expires_in_seconds: 300 };
  await receive({ tenantId: tenant.tenant_id, vendor: 'vendor_a', ageMs: 0, message });
  const [row] = await asSystem(
    (tx) => tx`select device_request_id from device_requests
      where tenant_id = ${tenant.tenant_id} and dedupe_id = ${dedupe_id}`,
  );
  return row?.device_request_id;
}

const get = async (id: string) => (await signedRequest(tenant.reader, 'GET', `${REQUESTS}/${id}`)).body;
const listed = async (id: string, status: string) => {
  const { body } = await signedRequest(tenant.reader, 'GET', `${REQUESTS}?status=${status}&limit=500`);
  return body.items.some(({ device_request_id }: { device_request_id: string }) => device_request_id === id);
};
const reply = (id: string, payload: object, node?: string) =>
  signedRequest(replier, 'POST', `${REQUESTS}/${id}/reply`, {
    body: { outcome: 'SUCCESS', payload },
    ...(node && { node }),
  });

const expireIn = (id: string, seconds: number) =>
  asSystem(
    (tx) => tx`update device_requests set expires_at = now() + make_interval(secs => ${seconds})
      where tenant_id = ${tenant.tenant_id} and device_request_id = ${id}`,
  );

const storedStatus = async (id: string) =>
  asSystem(async (tx) => {
    const [row] = await tx`select status from device_requests
      where tenant_id = ${tenant.tenant_id} and device_request_id = ${id}`;
    return row?.status;
  });

test('a request past its deadline is EXPIRED before a sweeper has written it', async () => {
  const isSeen = async () => {
    const id = await newRequest();
    await expireIn(id, 5);
    return asSystem(async (tx) => {
      // Sweepers skip locked rows.
      const [row] = await tx`select status from device_requests
        where tenant_id = ${tenant.tenant_id} and device_request_id = ${id} for update`;
      // On a slow machine a sweeper was here before.
      if (row?.status === 'EXPIRED') return false;
      await expect.poll(async () => (await get(id)).status).toBe('EXPIRED');
      expect([await listed(id, 'EXPIRED'), await listed(id, 'PENDING')]).toEqual([true, false]);
      return true;
    });
  };
  while (!(await isSeen()));
});

test('a sweep sets EXPIRED, and leaves waiting and replied requests', async () => {
  const [expired, waiting, replied] = [await newRequest(), await newRequest(), await newRequest()];
  await reply(replied, {});
  await Promise.all([expireIn(expired, 0), expireIn(replied, 0)]);
  // The sweepers of the running servers help.
  await sweepDeviceRequests(everySlot(database).transaction, localSignals(), silent().now);
  await expect.poll(() => storedStatus(expired)).toBe('EXPIRED');
  expect([await storedStatus(waiting), await storedStatus(replied)]).toEqual(['PENDING', 'REPLIED']);
});

test('a first reply past the deadline is refused; a repeated reply is still answered then', async () => {
  const [unanswered, answered] = [await newRequest(), await newRequest()];
  const first = await reply(answered, { a: 1 });
  await Promise.all([expireIn(unanswered, 0), expireIn(answered, 0)]);
  expectRefusal(await reply(unanswered, { a: 1 }), 'DEVICE_REQUEST_EXPIRED');
  await sweepDeviceRequests(everySlot(database).transaction, localSignals(), silent().now);
  expectRefusal(await reply(unanswered, { a: 1 }), 'DEVICE_REQUEST_EXPIRED');
  const again = await reply(answered, { a: 1 });
  expect([again.status, again.headers['idempotent-replayed'], again.body.reply]).toEqual([
    200,
    'true',
    first.body.reply,
  ]);
  expectRefusal(await reply(answered, { a: 2 }), 'DEVICE_REQUEST_ALREADY_REPLIED');
});

test('of 40 concurrent replies on two nodes one wins, and one message goes to the adapter', async () => {
  const id = await newRequest();
  const answers = await onBothNodes(40, (node, index) => reply(id, { index: index % 20 }, node));
  const won = answers.filter(({ status, headers }) => status === 200 && headers['idempotent-replayed'] === undefined);
  expect(won).toHaveLength(1);
  const { index } = won[0]?.body.reply.payload ?? {};
  for (const [position, { status }] of answers.entries()) expect(status).toBe(position % 20 === index ? 200 : 409);

  const rowOf = (fact_id: string) => ({
    tenant_id: tenant.tenant_id,
    is_logged: false,
    position: '1',
    kind: 'DEVICE_REQUEST_REPLIED',
    fact_id,
  });
  const { messages } = await database.drizzle.transaction(async (tx) => {
    await tx.execute(sql`set local role top_system`);
    return createDispatch({ ...silent(), signals: localSignals() }).prepare(tx, [rowOf(id), rowOf(randomUUID())]);
  });
  const subject = `tenants.${tenant.tenant_id}.device-replies.vendor_a`;
  expect(messages).toMatchObject([{ subject, id: `device-reply:${id}` }, null]);
  const reader = await connect({ servers: platform().natsUrl as string });
  const consumer = await jetstream(reader).consumers.get('TOP_REPLIES', { filter_subjects: subject });
  const held: DeviceReplyMessage[] = [];
  const ofThis = () => held.filter(({ device_request_id }) => device_request_id === id);
  for (let isLast = false; !isLast; ) {
    const next = await consumer.next({ expires: 20_000 });
    if (!next) throw new Error('The reply did not reach the bus.');
    held.push(DeviceReplyMessage.parse(next.json()));
    isLast = ofThis().length > 0 && next.info.pending === 0;
  }
  await reader.close();
  const [message, ...others] = ofThis();
  expect(others).toEqual([]);
  const prepared = JSON.parse(messages[0]?.body.toString() ?? '');
  expect(message).toEqual({ ...prepared, remaining_ms: expect.any(Number) });
  expect(message).toMatchObject({ device_request_id: id, outcome: 'SUCCESS', payload: { index }, error: null });
});
