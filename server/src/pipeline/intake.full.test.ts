import { randomUUID } from 'node:crypto';
import { subjects } from '@tenant-open-platform/contract/bus';
import { createTenant, platform, signedRequest, type TestTenant } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { openPool } from '../../test/support/open-pool.js';
import { silent } from '../../test/support/silent.js';
import type { Database } from '../foundation/database/database.js';
import { newId } from '../foundation/ids.js';
import { localSignals, topics } from '../foundation/signals/signals.js';
import type { Outcome } from './bus/bus.js';
import { inProcessBus } from './bus/in-process-bus.js';
import { readDeviceRequest } from './bus/read-message.js';
import { createMessageTaker } from './bus/take-message.js';
import { createDeviceRequestReceiver, type DeviceRequest, takeDeviceRequest } from './device-requests.js';

/** Two nodes, with their separate resources. */
const nodes = [0, 1].map(() => openPool());
const tenant = await createTenant();

const database = () => nodes[0] as Database;

const messageOf = (fields: object = {}) => ({
  device_id: 'd-1',
  request_type: 'help',
  payload: { a: 1 },
  dedupe_id: randomUUID(),
  ...fields,
});

const subject = (tenantId = tenant.tenant_id, vendor = 'vendor_a') => subjects.deviceRequest(tenantId, vendor);

const bytesOf = (message: unknown) => (Buffer.isBuffer(message) ? message : Buffer.from(JSON.stringify(message)));

/** Sends messages to a separate consumer over a separate bus, and resolves to the result of each. */
async function deliver(messages: { subject: string; body: unknown }[]): Promise<Outcome[]> {
  const bus = inProcessBus();
  const options = { database: database(), ...silent() };
  const take = takeDeviceRequest(createDeviceRequestReceiver(database(), localSignals()));
  const handle = createMessageTaker(options, 'device-requests', readDeviceRequest, take);
  const outcomes: Outcome[] = [];
  const allHandled = new Promise<void>((resolve, reject) => {
    void bus.consume({
      stream: 'TOP_UPDATES',
      durable: 'test',
      handle: async (delivery) => {
        const outcome = await handle(delivery).catch((error: unknown) => {
          reject(error);
          return 'DONE' as const;
        });
        if (outcomes.push(outcome) === messages.length) resolve();
        return outcome;
      },
    });
  });
  await bus.publish(messages.map(({ subject, body }) => ({ subject, id: newId(), body: bytesOf(body) })));
  await allHandled;
  await bus.close();
  return outcomes;
}

const listed = async ({ reader }: TestTenant) =>
  (await signedRequest(reader, 'GET', '/api/v1/open/device-requests?limit=500')).body.items;

/** The reasons of a subject's parked messages, oldest first. */
const parkedReasons = (subject: string): Promise<string[]> =>
  database().sql.begin(async (tx) => {
    await tx`set local role top_system`;
    const rows = await tx`select reason from parked_messages where subject = ${subject} order by parked_message_id`;
    return rows.map(({ reason }) => reason);
  });

test('stores the request of a device, with the time until which the device waits', async () => {
  const { reader, tenant_id } = await createTenant();
  const message = messageOf({ expires_in_seconds: 100, payload: { b: 1, a: [null, 'é'] } });
  await deliver([{ subject: subject(tenant_id, 'vendor_b'), body: message }]);
  const { raw, body } = await signedRequest(reader, 'GET', '/api/v1/open/device-requests');
  expect(raw).toContain('"payload":{"b":1,"a":[null,"é"]}');
  expect(body.items).toMatchObject([{ vendor: 'vendor_b', device_id: 'd-1', request_type: 'help', reply: null }]);
  const left = Date.parse(body.items[0].expires_at) - Date.parse(body.items[0].received_at);
  // The time on the bus counts.
  expect([left > 10_000, left <= 100_000]).toEqual([true, true]);
});

test.each([
  ['is not JSON', () => Buffer.from('{"device_id":'), /^Not JSON with one unambiguous meaning/],
  ['has a name twice', () => Buffer.from('{"payload":{},"payload":{}}'), /^Not JSON with one unambiguous meaning/],
  ['is not UTF-8', () => Buffer.from([0x22, 0xff, 0x22]), /^Not JSON with one unambiguous meaning/],
  ['is null', () => null, /^Not valid/],
  ['lacks a field', () => messageOf({ device_id: undefined }), /^Not valid: body\/device_id/],
  ['names a tenant itself', () => messageOf({ tenant_id: 'acme' }), /^Not valid/],
  ['has a payload that is not an object', () => messageOf({ payload: [] }), /^Not valid: body\/payload/],
  ['has a dedupe_id with a space', () => messageOf({ dedupe_id: 'a b' }), /^Not valid: body\/dedupe_id/],
  ['waits too short a time', () => messageOf({ expires_in_seconds: 4 }), /^Not valid: body\/expires_in_seconds/],
  ['waits too long', () => messageOf({ expires_in_seconds: 86_401 }), /^Not valid: body\/expires_in_seconds/],
  ['has a payload over 32 KiB', () => messageOf({ payload: { a: 'a'.repeat(32_761) } }), /^The payload is larger/],
  ['is over 64 KiB', () => messageOf({ payload: { a: 'a'.repeat(65_536) } }), /^Larger than 65536 bytes/],
])('refuses a message that %s, parks it with the reason, and handles the one behind it', async (_, hostile, reason) => {
  const { tenant_id, ...own } = await createTenant();
  const good = messageOf();
  const outcomes = await deliver([
    { subject: subject(tenant_id), body: hostile() },
    { subject: subject(tenant_id), body: good },
  ]);
  expect(outcomes).toEqual(['DONE', 'DONE']);
  expect(await listed({ tenant_id, ...own })).toMatchObject([{ payload: good.payload }]);
  expect(await parkedReasons(subject(tenant_id))).toEqual([expect.stringMatching(reason)]);
});

test('accepts a payload of exactly 32 KiB', async () => {
  const own = await createTenant();
  await deliver([{ subject: subject(own.tenant_id), body: messageOf({ payload: { a: 'a'.repeat(32_760) } }) }]);
  expect(await listed(own)).toHaveLength(1);
});

test('refuses a message of a missing or disabled tenant, and of a vendor outside the catalog', async () => {
  const closed = await createTenant();
  const path = `/api/v1/platform/tenants/${closed.tenant_id}`;
  const disabled = await signedRequest(platform().admin, 'PUT', path, { body: { status: 'DISABLED' } });
  expect(disabled.status).toBe(200);
  const unknown = `tenant-${randomUUID()}`;
  const own = await createTenant();
  await deliver([
    { subject: subject(closed.tenant_id), body: messageOf() },
    { subject: subject(unknown), body: messageOf() },
    { subject: subject(own.tenant_id, 'vendor_z'), body: messageOf() },
    { subject: subject(own.tenant_id), body: messageOf() },
  ]);
  for (const tenantId of [closed.tenant_id, unknown]) {
    expect(await parkedReasons(subject(tenantId))).toEqual([
      'The tenant of the subject does not exist or is disabled.',
    ]);
  }
  expect(await parkedReasons(subject(own.tenant_id, 'vendor_z'))).toEqual([
    'The vendor of the subject is not in the catalog, or the tenant may not use it.',
  ]);
  expect(await listed(own)).toHaveLength(1);
});

test('a tenant that may use only some vendors receives no request of another one', async () => {
  const own = await createTenant();
  const path = `/api/v1/platform/tenants/${own.tenant_id}`;
  const restricted = await signedRequest(platform().admin, 'PUT', path, { body: { vendors: ['vendor_b'] } });
  expect(restricted.status).toBe(200);
  const subjectOf = (vendor: string) => subject(own.tenant_id, vendor);
  await deliver(['vendor_a', 'vendor_b'].map((vendor) => ({ subject: subjectOf(vendor), body: messageOf() })));
  expect(await listed(own)).toMatchObject([{ vendor: 'vendor_b' }]);
  expect(await parkedReasons(subjectOf('vendor_a'))).toEqual([
    'The vendor of the subject is not in the catalog, or the tenant may not use it.',
  ]);
  expect(await parkedReasons(subjectOf('vendor_b'))).toEqual([]);
});

test('a redelivered message creates no second request and changes nothing', async () => {
  const own = await createTenant();
  const message = messageOf();
  const again = { ...message, expires_in_seconds: 5 };
  await deliver([{ subject: subject(own.tenant_id), body: message }]);
  const first = await listed(own);
  expect(await deliver([{ subject: subject(own.tenant_id), body: again }])).toEqual(['DONE']);
  const strip = (items: { request_id: string }[]) => items.map(({ request_id: _, ...item }) => item);
  expect(strip(await listed(own))).toEqual(strip(first));
  expect(await parkedReasons(subject(own.tenant_id))).toEqual([]);
});

test('two devices with one dedupe_id are two requests; another content of the same device is parked', async () => {
  const own = await createTenant();
  const message = messageOf();
  const others = [{ device_id: 'd-2' }, { payload: { changed: true } }, { request_type: 'other' }];
  await deliver(
    [message, ...others.map((other) => ({ ...message, ...other }))].map((body) => ({
      subject: subject(own.tenant_id),
      body,
    })),
  );
  await deliver([{ subject: subject(own.tenant_id), body: { ...message, payload: {} } }]);
  expect((await listed(own)).map(({ device_id }: { device_id: string }) => device_id).sort()).toEqual(['d-1', 'd-2']);
  expect(await parkedReasons(subject(own.tenant_id))).toEqual(
    Array(3).fill('DEDUPE_ID_REUSED: the device has sent another request with this dedupe_id.'),
  );
});

test('requests of one device that arrive together are stored in the order of the stream', async () => {
  const own = await createTenant();
  const numbers = Array.from({ length: 60 }, (_, number) => number);
  await deliver(
    numbers.map((number) => ({ subject: subject(own.tenant_id), body: messageOf({ payload: { number } }) })),
  );
  const { body } = await signedRequest(own.reader, 'GET', '/api/v1/open/device-requests?limit=100&order=asc');
  expect(body.items.map(({ payload }: { payload: { number: number } }) => payload.number)).toEqual(numbers);
});

test('a message that waited on the bus longer than its device waits is EXPIRED on arrival', async () => {
  const own = await createTenant();
  const receive = createDeviceRequestReceiver(database(), localSignals());
  await receive({ tenantId: own.tenant_id, vendor: 'vendor_a', ageMs: 600_000, message: messageOf() });
  const [request] = await listed(own);
  expect(request).toMatchObject({ status: 'EXPIRED' });
  expect(Date.parse(request?.expires_at) - Date.parse(request?.received_at)).toBe(-300_000);
});

test('all invalid messages are counted, and 600 a minute of a tenant are parked', async () => {
  const { tenant_id } = await createTenant();
  const nonsense = Array.from({ length: 650 }, () => ({ subject: subject(tenant_id), body: {} }));
  expect(new Set(await deliver(nonsense))).toEqual(new Set(['DONE']));
  expect(await parkedReasons(subject(tenant_id))).toHaveLength(600);
});

test('of 80 copies that arrive at once on two nodes one is received', async () => {
  const { tenant_id } = await createTenant();
  const receivers = nodes.map((node) => createDeviceRequestReceiver(node, localSignals()));
  const copy: DeviceRequest = { tenantId: tenant_id, vendor: 'vendor_a', ageMs: 0, message: messageOf() };
  const receptions = await Promise.all(receivers.flatMap((receive) => Array.from({ length: 40 }, () => receive(copy))));
  expect(receptions.sort()).toEqual(['RECEIVED', ...Array(79).fill('REPEATED')].sort());
});

test('the same dedupe_id of another vendor or tenant is another request', async () => {
  const [one, other] = await Promise.all([createTenant(), createTenant()]);
  const message = messageOf();
  await deliver([
    { subject: subject(one.tenant_id), body: message },
    { subject: subject(one.tenant_id, 'vendor_b'), body: message },
    { subject: subject(other.tenant_id), body: message },
  ]);
  expect([(await listed(one)).length, (await listed(other)).length]).toEqual([2, 1]);
});

test('answers each message of a batch separately, and wakes only requests that wait in its tenant', async () => {
  const signals = localSignals();
  const [own, idle] = await Promise.all([createTenant(), createTenant()]);
  const woken: string[] = [];
  for (const { tenant_id } of [own, idle]) {
    signals.listen(topics.deviceRequests(tenant_id), () => woken.push(tenant_id));
  }
  const receive = createDeviceRequestReceiver(database(), signals);
  const incoming = (tenantId: string, vendor: string): DeviceRequest => ({
    tenantId,
    vendor,
    ageMs: 0,
    message: messageOf(),
  });
  const repeated = incoming(own.tenant_id, 'vendor_a');
  await receive(repeated);
  expect(woken.splice(0)).toEqual([own.tenant_id]);
  const receptions = await Promise.all([
    receive(incoming('tenant-z', 'vendor_a')),
    receive(repeated),
    receive(incoming(own.tenant_id, 'vendor_z')),
  ]);
  expect(receptions).toEqual(['UNKNOWN_TENANT', 'REPEATED', 'UNKNOWN_VENDOR']);
  expect(woken).toEqual([]);
});

test('a request that commits late is not hidden behind the cursor of a request that another node stored meanwhile', async () => {
  const { tenant_id, reader } = await createTenant();
  const store = async (node: number, dedupeId: string) =>
    createDeviceRequestReceiver(
      nodes[node] as Database,
      localSignals(),
    )({ tenantId: tenant_id, vendor: 'vendor_a', ageMs: 0, message: messageOf({ dedupe_id: dedupeId }) });
  const seen: string[] = [];
  let cursor = '';
  const readOn = async () => {
    const { body } = await signedRequest(reader, 'GET', `/api/v1/open/device-requests?order=asc${cursor}`);
    for (const { device_request_id } of body.items) seen.push(device_request_id);
    if (body.items.length > 0) cursor = `&cursor=${body.items.at(-1).cursor}`;
  };

  let stored: Promise<unknown>[] = [];
  // An uncommitted row with the same dedupe_id blocks the first one between its id and its commit.
  const rollback = new Error('Only to hold it up');
  await database()
    .sql.begin(async (tx) => {
      await tx`set local role top_system`;
      await tx`
        insert into device_requests (tenant_id, device_request_id, vendor, device_id, request_type, payload, dedupe_id,
          status, received_at, expires_at)
        values (${tenant_id}, ${newId()}, 'vendor_a', 'd-1', 'help', '{}', 'late', 'PENDING', now(), now())`;
      const waiting = async () => {
        const [{ count } = { count: 0 }] = await database().sql<{ count: number }[]>`
          select count(*)::int from pg_stat_activity
          where wait_event_type = 'Lock' and query like '%device_requests%' or query like '%advisory%' and wait_event_type = 'Lock'`;
        return count;
      };
      stored = [store(0, 'late')];
      await expect.poll(waiting).toBeGreaterThanOrEqual(1);
      const second = store(1, 'soon');
      stored.push(second);
      await Promise.race([second, expect.poll(waiting).toBeGreaterThanOrEqual(2)]);
      await readOn();
      throw rollback;
    })
    .catch((error) => expect(error).toBe(rollback));
  expect(await Promise.all(stored)).toEqual(['RECEIVED', 'RECEIVED']);
  await readOn();
  expect(new Set(seen).size).toBe(2);
  expect(seen).toEqual(seen.toSorted());
});
