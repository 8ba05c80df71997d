import { randomUUID } from 'node:crypto';
import { createConnection } from 'node:net';
import { connect } from '@nats-io/transport-node';
import { subjects } from '@tenant-open-platform/contract/bus';
import { type Answer, atEnd, createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { startPrivateNats } from '@tenant-open-platform/testing/private-nats';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { COMMANDS, completed, newCommand } from '../../../test/support/commands.js';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { openPool } from '../../../test/support/open-pool.js';
import { everySlot } from '../../../test/support/owned-slots.js';
import { parkedMessagesOf } from '../../../test/support/parked-messages.js';
import { refuse } from '../../foundation/api-error.js';
import type { Transaction } from '../../foundation/database/database.js';
import { asTenant } from '../../foundation/database/row-level-security.js';
import type { Bus, Message } from '../../pipeline/bus/bus.js';
import { natsBus } from '../../pipeline/bus/nats-bus.js';
import { parkMessage } from '../../pipeline/bus/parked-messages.js';
import type { Services } from '../handlers.js';
import * as handlers from './parked-messages.js';

const database = openPool();
const nats = await connect({ servers: platform().natsUrl as string });
const tenant = await createTenant();

atEnd(() => nats.close());

const park = (message: Pick<Message, 'subject' | 'body'>, reason: string) =>
  everySlot(database).transaction((tx) => parkMessage(tx, message, reason));

/** The one parked message with this subject. */
function parked(tenantId: string, subject: string): Promise<Answer['body']> {
  return vi.waitFor(
    async () => {
      const { items } = (await signedRequest(platform().admin, 'GET', `${parkedMessagesOf(tenantId)}?limit=500`)).body;
      const found = items.filter((item: { subject: string }) => item.subject === subject);
      expect(found).toHaveLength(1);
      return found[0];
    },
    { timeout: 60_000, interval: 100 },
  );
}

const retry = (message: Answer['body'], caller = tenant.admin) =>
  signedRequest(caller, 'POST', `${parkedMessagesOf(message.tenant_id)}/${message.parked_message_id}/retry`);

const stays = async ({ tenant_id, parked_message_id }: Answer['body']) =>
  (await signedRequest(platform().admin, 'GET', `${parkedMessagesOf(tenant_id)}/${parked_message_id}`)).status === 200;

async function auditOf(operation: string): Promise<Answer['body'][]> {
  const log = `/api/v1/platform/tenants/${tenant.tenant_id}/audit-events?operation=${operation}`;
  return (await signedRequest(tenant.admin, 'GET', log)).body.items;
}

test('a message whose obstacle is gone is taken when it is retried, and its command ends', async () => {
  const command_id = await newCommand(tenant.operator, { device_id: 'offline-1', timeout_seconds: 300 });
  await expect
    .poll(async () => (await signedRequest(tenant.reader, 'GET', `${COMMANDS}/${command_id}`)).body.status, {
      timeout: 60_000,
    })
    .toBe('DISPATCHED');
  const subject = subjects.commandUpdate(tenant.tenant_id, 'vendor_a');
  const body = Buffer.from(JSON.stringify({ command_id, device_execution_status: 'SUCCEEDED' }));
  await park({ subject, body }, 'Failed 10 times.');

  const message = await parked(tenant.tenant_id, subject);
  expect((await retry(message)).status).toBe(200);
  expect((await completed(tenant.reader, command_id)).status).toBe('SUCCEEDED');
  await expect.poll(() => stays(message)).toBe(false);
  expectRefusal(await retry(message), 'NOT_FOUND');
  expect(await auditOf('parkedMessages.retry')).toMatchObject([{ client_id: tenant.admin.client_id, outcome: 'DONE' }]);
});

test('a message that is no text is kept byte for byte', async () => {
  const bytes = Buffer.from([0xff, 0x00, 0xfe]);
  const subject = subjects.deviceRequest(tenant.tenant_id, 'vendor_b');
  nats.publish(subject, bytes);
  const { parked_message_id } = await parked(tenant.tenant_id, subject);
  const target = `${parkedMessagesOf(tenant.tenant_id)}/${parked_message_id}`;
  const { body } = await signedRequest(tenant.admin, 'GET', target);
  expect(body).toMatchObject({ kind: 'DEVICE_REQUEST', body_encoding: 'BASE64', body: bytes.toString('base64') });
});

test('what belongs to no tenant is for the administrators of the platform', async () => {
  const subject = subjects.commandUpdate(`none-${randomUUID()}`, 'vendor_a');
  nats.publish(subject, '{}');
  expect(await parked('platform', subject)).toMatchObject({ tenant_id: 'platform', subject });
  expectRefusal(await signedRequest(tenant.admin, 'GET', parkedMessagesOf('platform')), 'FORBIDDEN');
});

test('a refused command, a message that was cut off and a subject that is none cannot be retried, and stay', async () => {
  const large = Buffer.alloc(65_537, 'x');
  const messages = [
    { subject: subjects.command(tenant.tenant_id, 'vendor_c'), body: Buffer.from('{}') },
    { subject: subjects.deviceReply(tenant.tenant_id, 'vendor_c'), body: large },
    { subject: `tenants.${tenant.tenant_id}.nonsense.vendor_c`, body: Buffer.from('{}') },
  ];
  for (const message of messages) {
    await park(message, 'The bus refuses it: too large.');
    const owner = message.subject.includes('nonsense') ? 'platform' : tenant.tenant_id;
    const found = await parked(owner, message.subject);
    expect(found.can_retry).toBe(false);
    expectRefusal(await retry(found, platform().admin), 'PARKED_MESSAGE_NOT_RETRYABLE');
    await parked(owner, message.subject);
  }
});

test('no message is lost if all are refused again while the quota for parking is used up', async () => {
  const { tenant_id, admin } = await createTenant();
  const subject = subjects.commandUpdate(tenant_id, 'vendor_a');
  // 10 units of the quota each: parked three times, they exceed the 600 units of both processes.
  const bodies = Array.from({ length: 50 }, (_, at) => `${at} `.padEnd(40_000, 'x'));
  for (const body of bodies) nats.publish(subject, body);
  const list = `${parkedMessagesOf(tenant_id)}?limit=500`;
  const idsOf = async (): Promise<string[]> =>
    (await signedRequest(admin, 'GET', list)).body.items.map((item: Answer['body']) => item.parked_message_id);
  await expect.poll(async () => (await idsOf()).length).toBe(50);
  for (let round = 1; round <= 2; round++) {
    const before = await idsOf();
    for (const id of before) {
      expect((await retry({ tenant_id, parked_message_id: id }, admin)).status).toBe(200);
    }
    // Each is refused again, under a new id.
    await expect.poll(async () => (await idsOf()).filter((id) => before.includes(id))).toEqual([]);
  }
  const again = await Promise.all(
    (await idsOf()).map((id) => signedRequest(admin, 'GET', `${parkedMessagesOf(tenant_id)}/${id}`)),
  );
  expect(again.map(({ body }) => body.body).sort()).toEqual(bodies.sort());
});

test('a reply stays parked until the bus has acknowledged it', async () => {
  const subject = subjects.deviceReply(tenant.tenant_id, 'vendor_a');
  await park({ subject, body: Buffer.from('{}') }, 'The bus refuses it: too large.');
  const message = await parked(tenant.tenant_id, subject);
  expect((await retry(message)).status).toBe(200);
  expect(await stays(message)).toBe(false);
});

test('what an adapter sent stays parked until the platform has taken it, though the bus has acknowledged it', async () => {
  const subject = subjects.commandUpdate(tenant.tenant_id, 'vendor_f');
  await park({ subject, body: Buffer.from('{}') }, 'Failed 10 times.');
  const message = await parked(tenant.tenant_id, subject);
  // Acknowledges every message, and delivers none.
  const bus = { publish: async () => [] } as Partial<Bus> as Bus;
  expect((await retryOver(bus, message)).status).toBe(200);
  expect(await stays(message)).toBe(true);
});

test('a header whose name is not valid does not keep a message from being handled', async () => {
  const { tenant_id } = await createTenant();
  const subject = subjects.commandUpdate(tenant_id, 'vendor_a');
  const { hostname, port } = new URL(platform().natsUrl as string);
  const header = 'NATS/1.0\r\nno name: x\r\n\r\n';
  const socket = createConnection({ host: hostname, port: Number(port) });
  onTestFinished(() => void socket.destroy());
  socket.write(`CONNECT {"verbose":false,"headers":true}\r\n`);
  socket.write(`HPUB ${subject} ${header.length} ${header.length + 1}\r\n${header}x\r\n`);
  expect(await parked(tenant_id, subject)).toMatchObject({ tenant_id });
});

/** As the handler retries it over this bus. */
function retryOver(bus: Bus, { parked_message_id }: Answer['body'], call = newCall()) {
  const request = { params: { tenant_id: tenant.tenant_id, parked_message_id }, query: {}, body: {} };
  return handlers.retry(request, call, { bus } as Services);
}

const newCall = (on = database) => ({
  operation: 'parkedMessages.retry',
  requestId: randomUUID(),
  path: '',
  caller: { tenantId: tenant.tenant_id, clientId: tenant.admin.client_id },
  tenantId: tenant.tenant_id,
  admittedAt: new Date(),
  sourceAddress: null,
  onClosed: () => {},
  countRequest: () => null,
  expectItems: () => null,
  changeBytesPerDay: Number.POSITIVE_INFINITY,
  refuse,
  asTenant: <Result>(work: (tx: Transaction) => Promise<Result>, id = tenant.tenant_id) => asTenant(on, id, work),
});

const unavailable = {
  code: 'SERVICE_UNAVAILABLE',
  message: expect.stringContaining('may still be published'),
  extra: { headers: { 'Retry-After': '1' } },
};

test('while the bus is away a retry answers 503, and the message stays parked', async () => {
  const stopped = await startPrivateNats();
  const bus = await natsBus({ url: stopped.url }, pino({ level: 'silent' }));
  onTestFinished(() => bus.close());
  await stopped.stop();
  const subject = subjects.deviceReply(tenant.tenant_id, 'vendor_d');
  await park({ subject, body: Buffer.from('{}') }, 'The bus refuses it: too large.');
  const message = await parked(tenant.tenant_id, subject);
  await expect(retryOver(bus, message)).rejects.toMatchObject(unavailable);
  await parked(tenant.tenant_id, subject);
});

test('a retry of a tenant whose day is full is refused before it publishes anything', async () => {
  const subject = subjects.commandUpdate(tenant.tenant_id, 'vendor_g');
  await park({ subject, body: Buffer.from('{}') }, 'Failed 10 times.');
  const message = await parked(tenant.tenant_id, subject);
  const publish = vi.fn(async () => []);
  const bus = { publish } as Partial<Bus> as Bus;
  const refused = retryOver(bus, message, { ...newCall(), changeBytesPerDay: 0 });
  await expect(refused).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect(publish).not.toHaveBeenCalled();
});

test('a retry that waits for a bus that hangs holds no connection to the database', async () => {
  const hung = await startPrivateNats();
  onTestFinished(() => hung.stop());
  const bus = await natsBus({ url: hung.url }, pino({ level: 'silent' }));
  onTestFinished(() => bus.close());
  const subject = subjects.deviceReply(tenant.tenant_id, 'vendor_e');
  await park({ subject, body: Buffer.from('{}') }, 'The bus refuses it: too large.');
  const message = await parked(tenant.tenant_id, subject);
  const single = openPool(platform().databaseUrl as string, { max: 1 });
  onTestFinished(() => single.close());

  process.kill(hung.pid(), 'SIGSTOP');
  onTestFinished(() => void process.kill(hung.pid(), 'SIGCONT'));
  let answered = () => {};
  const isAnswered = new Promise<void>((resolve) => {
    answered = resolve;
  });
  let waits = () => {};
  const isWaiting = new Promise<void>((resolve) => {
    waits = resolve;
  });
  const publish: Bus['publish'] = async (messages) => {
    waits();
    await isAnswered;
    return bus.publish(messages);
  };
  const refused = expect(retryOver({ ...bus, publish }, message, newCall(single))).rejects.toMatchObject(unavailable);
  await isWaiting;
  // A query of another request. The retry cannot end before it.
  await single.sql`select 1`;
  answered();
  await refused;
  await parked(tenant.tenant_id, subject);
});
