import { randomUUID } from 'node:crypto';
import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { completed, newCommand } from '../../../test/support/commands.js';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { newDeviceRequest } from '../../../test/support/new-device-request.js';
import { createReplier } from '../../../test/support/replier.js';

const REQUESTS = '/api/v1/open/device-requests';
const PAYLOAD_LIMIT_BYTES = 32_768;

const tenant = await createTenant();
const replier = await createReplier(tenant);

const list = (query = '') => signedRequest(tenant.reader, 'GET', query ? `${REQUESTS}?${query}` : REQUESTS);
const get = (id: string) => signedRequest(tenant.reader, 'GET', `${REQUESTS}/${id}`);
const reply = (id: string, body: unknown) => signedRequest(replier, 'POST', `${REQUESTS}/${id}/reply`, { body });

/** Items of a list also have a cursor. */
const withoutRequestId = ({ request_id: _, cursor: __, ...item }: Record<string, unknown>) => item;

test('a device asks for firmware after a reboot, and a waiting list shows the request as soon as it arrives', async () => {
  const deviceId = `ok-${randomUUID()}`;
  const asked = list(`device_id=${deviceId}&wait_seconds=30`);
  const made = await newDeviceRequest(tenant, deviceId);
  const { status, body } = await asked;
  expect([status, body.next_cursor, body.items.map(withoutRequestId)]).toEqual([200, null, [withoutRequestId(made)]]);
  expect(withoutRequestId(made)).toEqual({
    device_request_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
    vendor: 'vendor_a',
    device_id: deviceId,
    request_type: 'firmware_check',
    payload: { version: '2.4.0' },
    status: 'PENDING',
    received_at: expect.any(String),
    expires_at: expect.any(String),
    reply: null,
  });
  // Counted from the time when the adapter sent it.
  const waited = Date.parse(made.received_at) + 300_000 - Date.parse(made.expires_at);
  expect([waited >= 0, waited < 60_000]).toEqual([true, true]);
  expect(withoutRequestId((await get(made.device_request_id)).body)).toEqual(withoutRequestId(made));
});

test('its id is a UUID version 7 with the millisecond of its arrival', async () => {
  const { device_request_id, received_at } = await newDeviceRequest(tenant);
  expect(Number.parseInt(device_request_id.replace('-', '').slice(0, 12), 16)).toBe(Date.parse(received_at));
});

test('a waiting list is answered at the end of the wait if nothing arrives', async () => {
  const startedAt = performance.now();
  const { status, body } = await list('device_id=ok-never&wait_seconds=1');
  expect([status, body.items, body.next_cursor]).toEqual([200, [], null]);
  expect(performance.now() - startedAt).toBeGreaterThan(990);
});

test('changed_after finds what was received or replied to since, and a waiting list shows a reply as soon as it is given', async () => {
  const own = await createTenant();
  const changed = async (since: number, query = '') => {
    const target = `${REQUESTS}?changed_after=${new Date(since).toISOString()}${query}`;
    const { status, raw, body } = await signedRequest(own.reader, 'GET', target);
    expect(status, raw).toBe(200);
    return body.items.map(({ device_request_id }: { device_request_id: string }) => device_request_id);
  };
  const first = await newDeviceRequest(own);
  const second = await newDeviceRequest(own);
  const [firstId, secondId] = [first.device_request_id, second.device_request_id];
  const afterBoth = Date.parse(second.received_at) + 1;
  expect(await changed(Date.parse(first.received_at))).toEqual([secondId, firstId]);
  expect(await changed(Date.parse(first.received_at) + 1)).toEqual([secondId]);
  expect(await changed(afterBoth)).toEqual([]);
  const waiting = changed(afterBoth, '&wait_seconds=30');
  const body = { outcome: 'SUCCESS' };
  const replied = await signedRequest(await createReplier(own), 'POST', `${REQUESTS}/${firstId}/reply`, { body });
  expect(replied.status, replied.raw).toBe(200);
  expect(await waiting).toEqual([firstId]);
  expect(await changed(Date.parse(replied.body.reply.replied_at))).toEqual([firstId]);
  expect(await changed(Date.parse(replied.body.reply.replied_at) + 1)).toEqual([]);
  expect(await changed(afterBoth, '&status=PENDING')).toEqual([]);
});

test('changed_after with a cursor finds replies to requests after the cursor, and none to requests before it', async () => {
  const own = await createTenant();
  const requests = [await newDeviceRequest(own), await newDeviceRequest(own), await newDeviceRequest(own)];
  const [first, second, third] = requests.map(({ device_request_id }): string => device_request_id);
  const since = new Date(Date.parse(requests[2].received_at) + 1).toISOString();
  const changed = async (query = '') => {
    const target = `${REQUESTS}?order=asc&changed_after=${since}${query}`;
    const { body } = await signedRequest(own.reader, 'GET', target);
    return {
      cursor: body.next_cursor,
      ids: body.items.map((item: { device_request_id: string }) => item.device_request_id),
    };
  };
  const replier = await createReplier(own);
  const replyTo = (id: string | undefined) =>
    signedRequest(replier, 'POST', `${REQUESTS}/${id}/reply`, { body: { outcome: 'SUCCESS' } });
  await replyTo(second);
  const { ids, cursor } = await changed();
  expect(ids).toEqual([second]);
  await replyTo(first);
  expect((await changed()).ids).toEqual([first, second]);
  expect((await changed(`&cursor=${cursor}`)).ids).toEqual([]);
  const waiting = changed(`&cursor=${cursor}&wait_seconds=30`);
  await replyTo(third);
  expect((await waiting).ids).toEqual([third]);
});

test('each filter leaves out requests that do not match', async () => {
  const { device_request_id, device_id, received_at } = await newDeviceRequest(tenant);
  const later = new Date(Date.parse(received_at) + 1).toISOString();
  const found = async (query: string) => (await list(`device_id=${device_id}&${query}`)).body.items.length;
  for (const [matching, other] of [
    ['status=PENDING', 'status=REPLIED'],
    ['status=PENDING', 'status=EXPIRED'],
    ['vendor=vendor_a', 'vendor=vendor_b'],
    ['request_type=firmware_check', 'request_type=help'],
    [`received_after=${received_at}`, `received_after=${later}`],
    [`received_before=${later}`, `received_before=${received_at}`],
  ] as const) {
    expect([await found(matching), await found(other)], matching).toEqual([1, 0]);
  }
  await reply(device_request_id, { outcome: 'SUCCESS' });
  expect([await found('status=REPLIED'), await found('status=PENDING')]).toEqual([1, 0]);
});

test('a reply is shown with its author, and wakes a list that waits for it', async () => {
  const { device_request_id, device_id } = await newDeviceRequest(tenant);
  const replied = list(`device_id=${device_id}&status=REPLIED&wait_seconds=30`);
  const { status, headers, body } = await reply(device_request_id, {
    outcome: 'SUCCESS',
    payload: { version: '2.4.1' },
  });
  expect([status, body.status, body.request_id]).toEqual([200, 'REPLIED', headers['x-request-id']]);
  expect(headers).not.toHaveProperty('idempotent-replayed');
  expect(body.reply).toEqual({
    outcome: 'SUCCESS',
    payload: { version: '2.4.1' },
    error: null,
    replied_at: expect.any(String),
    replied_by_client_id: replier.client_id,
  });
  expect((await replied).body.items.map(withoutRequestId)).toEqual([withoutRequestId(body)]);
  expect(withoutRequestId((await get(device_request_id)).body)).toEqual(withoutRequestId(body));
});

test('a page after a cursor does not wait, even if its requests are replied by now', async () => {
  const { device_request_id, device_id } = await newDeviceRequest(tenant);
  await newDeviceRequest(tenant, device_id);
  const query = `device_id=${device_id}&status=PENDING&limit=1&wait_seconds=30`;
  await expect.poll(async () => (await list(query)).body.next_cursor).not.toBeNull();
  const first = await list(query);
  await reply(device_request_id, { outcome: 'SUCCESS' });
  const from = performance.now();
  expect((await list(`${query}&cursor=${first.body.next_cursor}`)).body.items).toEqual([]);
  expect(performance.now() - from).toBeLessThan(15_000);
});

test('oldest first, the cursor of an item leads to later requests, and waits for them', async () => {
  const first = await newDeviceRequest(tenant);
  const query = `order=asc&status=PENDING&device_id=${first.device_id}`;
  const { items } = (await list(query)).body;
  expect(items.map(withoutRequestId)).toEqual([withoutRequestId(first)]);
  const [{ cursor }] = items;

  // The first one stays without a reply and delays no request behind it.
  const startedAt = performance.now();
  expect((await list(`${query}&cursor=${cursor}&wait_seconds=1`)).body.items).toEqual([]);
  expect(performance.now() - startedAt).toBeGreaterThan(990);

  const waiting = list(`${query}&cursor=${cursor}&wait_seconds=30`);
  await completed(tenant.reader, await newCommand(tenant.operator, { device_id: first.device_id }));
  const [second] = (await waiting).body.items;
  expect(second.device_request_id > first.device_request_id).toBe(true);
  expect((await list(query)).body.items.map(withoutRequestId)).toEqual([first, second].map(withoutRequestId));
});

test('a reader that leaves a request without a reply gets one answer for each new request, and otherwise one for each wait', async () => {
  const { device_id: device, device_request_id: unanswered } = await newDeviceRequest(tenant);
  const query = `order=asc&status=PENDING&device_id=${device}`;
  let { cursor } = (await list(query)).body.items[0];
  const COUNT = 3;
  const making = (async () => {
    for (let count = 0; count < COUNT; count++) {
      await completed(tenant.reader, await newCommand(tenant.operator, { device_id: device }));
    }
  })();
  const received: string[] = [];
  let answersWithRequests = 0;
  let answersWithout = 0;
  while (received.length < COUNT || answersWithout === 0) {
    const from = performance.now();
    const { items } = (await list(`${query}&cursor=${cursor}&wait_seconds=1`)).body;
    if (items.length === 0) {
      answersWithout++;
      expect(performance.now() - from).toBeGreaterThan(990);
      continue;
    }
    answersWithRequests++;
    received.push(...items.map((item: { device_request_id: string }) => item.device_request_id));
    cursor = items.at(-1).cursor;
  }
  await making;
  expect(received).not.toContain(unanswered);
  expect(new Set(received).size).toBe(COUNT);
  expect(answersWithRequests).toBeLessThanOrEqual(COUNT);
});

test('the first of many different replies wins, and every other is refused', async () => {
  const { device_request_id } = await newDeviceRequest(tenant);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) => reply(device_request_id, { outcome: 'SUCCESS', payload: { index } })),
  );
  const won = answers.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  for (const answer of answers) if (answer !== won[0]) expectRefusal(answer, 'DEVICE_REQUEST_ALREADY_REPLIED');
  expect((await get(device_request_id)).body.reply).toEqual(won[0]?.body.reply);
});

test('a repeated reply is answered as before and marked as a repeat, in any order of its members', async () => {
  const { device_request_id } = await newDeviceRequest(tenant);
  const error = { code: 'TOO_OLD', message: 'The device is no longer served.' };
  const first = await reply(device_request_id, { outcome: 'ERROR', payload: { a: 1, b: [2] }, error });
  const again = await reply(device_request_id, { error, payload: { b: [2], a: 1 }, outcome: 'ERROR' });
  expect([first.status, again.status, again.headers['idempotent-replayed']]).toEqual([200, 200, 'true']);
  expect(withoutRequestId(again.body)).toEqual(withoutRequestId(first.body));
});

test.each([
  ['another outcome', { outcome: 'ERROR', payload: {} }],
  ['another payload', { outcome: 'SUCCESS', payload: { a: null } }],
  ['no payload', { outcome: 'SUCCESS' }],
])('a second reply with %s is refused, and changes nothing', async (_, other) => {
  const { device_request_id } = await newDeviceRequest(tenant);
  const { body } = await reply(device_request_id, { outcome: 'SUCCESS', payload: {} });
  expectRefusal(await reply(device_request_id, other), 'DEVICE_REQUEST_ALREADY_REPLIED');
  expect((await get(device_request_id)).body.reply).toEqual(body.reply);
});

test.each([
  ['no outcome', {}, 'body/outcome'],
  ['an unknown outcome', { outcome: 'MAYBE' }, 'body/outcome'],
  ['an error with SUCCESS', { outcome: 'SUCCESS', error: { code: 'A', message: 'B' } }, 'body/error'],
  ['a payload that is not an object', { outcome: 'SUCCESS', payload: [] }, 'body/payload'],
  ['an error without a message', { outcome: 'ERROR', error: { code: 'A' } }, 'body/error/message'],
])('refuses a reply with %s', async (_, body, location) => {
  const { device_request_id } = await newDeviceRequest(tenant);
  const answer = await reply(device_request_id, body);
  expectRefusal(answer, 'VALIDATION_FAILED');
  expect(answer.body.details).toMatchObject([{ location }]);
  expect((await get(device_request_id)).body.status).toBe('PENDING');
});

test('a payload above its limit is refused and uses nothing up, and of exactly the limit accepted', async () => {
  const { device_request_id } = await newDeviceRequest(tenant);
  const payloadOf = (bytes: number) => ({ a: 'a'.repeat(bytes - Buffer.byteLength('{"a":""}')) });
  const refused = await reply(device_request_id, { outcome: 'SUCCESS', payload: payloadOf(PAYLOAD_LIMIT_BYTES + 1) });
  expectRefusal(refused, 'PAYLOAD_TOO_LARGE');
  expect(refused.body.details).toMatchObject([{ location: 'body/payload' }]);
  const taken = await reply(device_request_id, { outcome: 'SUCCESS', payload: payloadOf(PAYLOAD_LIMIT_BYTES) });
  expect(taken.status).toBe(200);
});
