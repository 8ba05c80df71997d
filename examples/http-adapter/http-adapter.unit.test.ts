import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { limitCalls, testVendor } from '@tenant-open-platform/sdk/adapter';
import { expect, onTestFinished, test, vi } from 'vitest';
import { carryOutWith } from './devices.js';
import { listen, send, startFakeVendor, WEBHOOK_SECRET } from './fake-vendor.js';
import type { Action } from './vendor-api.js';
import { receiveWebhooks } from './webhooks.js';

const keys = new Map([
  ['acme', 'key-of-acme'],
  ['globex', 'key-of-globex'],
]);

/** An adapter as adapter.ts makes it, without NATS. */
async function startAdapter(url: string, attemptMs?: number, calls = 64) {
  const { server, outcomeOf } = receiveWebhooks(WEBHOOK_SECRET);
  const webhooksUrl = `http://127.0.0.1:${await listen(server)}/webhooks`;
  const onCommand = carryOutWith({ url, keys, limit: limitCalls(calls), ...(attemptMs && { attemptMs }) }, outcomeOf);
  const adapter = testVendor({ onCommand, log: () => {} });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    void adapter.stop();
  });
  return { adapter, webhooksUrl };
}

async function start(attemptMs?: number, calls?: number) {
  const vendor = await startFakeVendor();
  onTestFinished(() => vendor.stop());
  const { adapter, webhooksUrl } = await startAdapter(vendor.url, attemptMs, calls);
  vendor.sendWebhooksTo(webhooksUrl);
  /** Sends a command. The vendor has begun it when this resolves. */
  async function begun(timeoutMs?: number, fields?: object) {
    const command = commandOf(fields);
    const ended = adapter.send(command, { timeoutMs });
    await vi.waitFor(() => expect(vendor.actions.has(command.command_id)).toBe(true), { timeout: 60_000, interval: 5 });
    return { id: command.command_id, ended };
  }
  return { vendor, adapter, webhooksUrl, begun };
}

const commandOf = (fields: object = {}) => ({
  command_id: randomUUID(),
  tenant_id: 'acme',
  device_id: 'd-1',
  command_type: 'set_power',
  payload: { power: 'on' },
  ...fields,
});

const done = { state: 'done', result: { power: 'on' } } as const;
const succeeded = { device_execution_status: 'SUCCEEDED', result: { power: 'on' } };

/** Answers one call with this status. */
const refusal =
  (status: number, body: object | string = {}, headers?: object) =>
  (response: Parameters<typeof send>[0]) =>
    send(response, status, body, headers);

test('calls the vendor with the key of the tenant, reports IN_PROGRESS, and ends with the webhook', async () => {
  const { vendor, begun } = await start();
  const { id, ended } = await begun();
  expect(await vendor.end(id, done)).toBe(204);
  expect((await ended).updates).toMatchObject([{ device_execution_status: 'IN_PROGRESS' }, succeeded]);
  const body = { device_id: 'd-1', action: 'set_power', parameters: { power: 'on' } };
  expect(vendor.calls).toEqual([{ key: id, authorization: 'Bearer key-of-acme', body }]);
});

test.each<[Partial<Action>, object]>([
  [done, succeeded],
  [{ state: 'failed' }, { device_execution_status: 'FAILED' }],
  [{ state: 'refused' }, { device_execution_status: 'REJECTED' }],
  [{ state: 'offline' }, { adapter_status: 'UNREACHABLE' }],
])('an answer that is final needs no webhook: %o', async (end, outcome) => {
  const { vendor, adapter } = await start();
  vendor.next((_, call) => void vendor.actions.set(call.key, { ...vendor.begin(call), ...end }));
  expect(await adapter.send(commandOf())).toMatchObject({ outcome });
});

test.each([{ state: 'queued' }, {}, null, 'accepted'])(
  'an answer with an unknown state, %o: the webhook ends the command',
  async (body) => {
    const { vendor, begun } = await start();
    vendor.next((response, call) => {
      vendor.begin(call);
      send(response, 202, JSON.stringify(body));
    });
    const { id, ended } = await begun();
    expect(await vendor.end(id, { state: 'queued' as Action['state'] })).toBe(204);
    expect(await vendor.end(id, done)).toBe(204);
    expect((await ended).outcome).toMatchObject(succeeded);
  },
);

test('a webhook that is faster than the answer ends the command, and the call', async () => {
  const { vendor, adapter } = await start();
  let closed: Promise<unknown> | undefined;
  vendor.next(async (response, { key }) => {
    closed = once(response, 'close');
    expect(await vendor.end(key, done)).toBe(204);
    // The answer never comes.
    await closed;
  });
  expect((await adapter.send(commandOf())).updates).toMatchObject([succeeded]);
  await closed;
});

test.each<[string, Parameters<Awaited<ReturnType<typeof start>>['vendor']['next']>[0]]>([
  ['429', refusal(429)],
  ['503 of a proxy, as HTML', refusal(503, '<html>', { 'retry-after': '0' })],
  ['409: an earlier attempt is still in work', refusal(409, { error: { code: 'in_progress' } })],
  ['500', refusal(500)],
  ['a lost connection', (response) => void response.destroy()],
  [
    'an answer that is cut',
    (response) => void response.writeHead(202, { 'content-length': 9 }).write('{', () => response.destroy()),
  ],
])('%s: the same call again', async (_, fault) => {
  const { vendor, begun } = await start();
  vendor.next(fault, fault);
  const { id, ended } = await begun();
  await vendor.end(id, done);
  expect(await ended).toMatchObject({ outcome: succeeded });
  expect(vendor.calls.map(({ key }) => key)).toEqual([id, id, id]);
});

test('an attempt without an answer is given up, and the device still acts once', async () => {
  const { vendor, adapter } = await start(200);
  vendor.next((response, call) => {
    vendor.begin(call);
    return once(response, 'close').then(() => {});
  });
  const command = commandOf();
  const ended = adapter.send(command);
  await vi.waitFor(() => expect(vendor.calls.length).toBeGreaterThanOrEqual(2), { timeout: 60_000, interval: 5 });
  await vendor.end(command.command_id, done);
  expect(await ended).toMatchObject({ outcome: succeeded });
  expect(vendor.actions.size).toBe(1);
});

test.each([
  ['a number of seconds after the deadline', '3600'],
  ['a date after the deadline', new Date(Date.now() + 3_600_000).toUTCString()],
  ['a second before the deadline, which leaves no time for a call', '29'],
])('Retry-After is %s: UNREACHABLE at once, for the vendor has not begun', async (_, after) => {
  const { vendor, adapter } = await start();
  vendor.next(refusal(429, '<html>', { 'retry-after': after }));
  expect(await adapter.send(commandOf())).toMatchObject({
    outcome: { adapter_status: 'UNREACHABLE', status_reason: { code: 'VENDOR_UNAVAILABLE' } },
  });
  expect(vendor.calls).toHaveLength(1);
});

test('nobody listens: UNREACHABLE before the deadline', async () => {
  const { adapter } = await startAdapter('http://127.0.0.1:2');
  expect(await adapter.send(commandOf(), { timeoutMs: 5_000 })).toMatchObject({
    outcome: { adapter_status: 'UNREACHABLE' },
  });
});

test('the vendor may have begun: no UNREACHABLE, and the webhook still tells the outcome', async () => {
  const { vendor, begun } = await start();
  vendor.next((response, call) => {
    vendor.begin(call);
    send(response, 504, {}, { 'retry-after': '3600' });
  });
  const { id, ended } = await begun();
  await vendor.end(id, done);
  expect((await ended).updates).toMatchObject([succeeded]);
});

test.each([
  [refusal(404), { adapter_status: 'REJECTED', status_reason: { code: 'UNKNOWN_DEVICE' } }],
  [
    refusal(422, { error: { code: 'x', message: 'The door is open.' } }),
    { adapter_status: 'REJECTED', status_reason: { code: 'NOT_POSSIBLE', message: 'The door is open.' } },
  ],
  [
    refusal(401, { error: { code: 'bad_key', message: 'secret' } }),
    { adapter_status: 'UNREACHABLE', status_reason: { code: 'VENDOR_REFUSED' } },
  ],
  [refusal(501), { device_execution_status: 'TIMED_OUT', status_reason: { code: 'ADAPTER_ERROR' } }],
  [refusal(302, {}, { location: '/' }), { adapter_status: 'UNREACHABLE', status_reason: { code: 'VENDOR_REFUSED' } }],
])('an error that stays is not repeated: %#', async (fault, outcome) => {
  const { vendor, adapter } = await start();
  vendor.next(fault);
  const sent = await adapter.send(commandOf());
  expect(sent.updates).toMatchObject([outcome]);
  expect(JSON.stringify(sent.updates)).not.toContain('secret');
  expect(vendor.calls).toHaveLength(1);
});

test.each([
  [
    { state: 'failed', error: { code: 'JAM', message: 'Stuck.' } },
    { device_execution_status: 'FAILED', status_reason: { code: 'JAM', message: 'Stuck.' } },
  ],
  [
    { state: 'refused', error: { code: 'DOOR_OPEN', message: 'Open.' } },
    { device_execution_status: 'REJECTED', status_reason: { code: 'DOOR_OPEN', message: 'Open.' } },
  ],
  [{ state: 'failed' }, { device_execution_status: 'FAILED' }],
  [{ state: 'offline' }, { adapter_status: 'UNREACHABLE' }],
] as const)('the webhook says %o', async (webhook, outcome) => {
  const { vendor, begun } = await start();
  const { id, ended } = await begun();
  await vendor.end(id, webhook);
  expect(await ended).toMatchObject({ outcome });
});

test('a tenant without an account at the vendor is refused before any call', async () => {
  const { vendor, adapter } = await start();
  const { outcome } = await adapter.send(commandOf({ tenant_id: 'other' }));
  expect(outcome).toMatchObject({ adapter_status: 'REJECTED', status_reason: { code: 'UNKNOWN_DEVICE' } });
  expect(vendor.calls).toEqual([]);
});

test('without a webhook the command is TIMED_OUT at the deadline', async () => {
  const { begun } = await start();
  const { ended } = await begun(3_000);
  expect((await ended).updates).toMatchObject([
    { device_execution_status: 'IN_PROGRESS' },
    { device_execution_status: 'TIMED_OUT' },
  ]);
});

test('a vendor that never answers: the command is TIMED_OUT at the deadline, and the call ends', async () => {
  const { vendor, adapter } = await start();
  let closed: Promise<unknown> | undefined;
  vendor.next(async (response) => {
    closed = once(response, 'close');
    await closed;
  });
  expect(await adapter.send(commandOf(), { timeoutMs: 1_000 })).toMatchObject({
    outcome: { device_execution_status: 'TIMED_OUT' },
  });
  await closed;
});

test('calls that hang leave a place to another tenant; a command whose call was never made is UNREACHABLE in time', async () => {
  const { vendor, adapter, begun } = await start(undefined, 2);
  vendor.next(async (response) => void (await once(response, 'close')));
  const hanging = adapter.send(commandOf(), { timeoutMs: 6_000 });
  await vi.waitFor(() => expect(vendor.calls).toHaveLength(1), { timeout: 60_000, interval: 5 });
  const waiting = adapter.send(commandOf(), { timeoutMs: 6_000 });
  const { id, ended } = await begun(undefined, { tenant_id: 'globex' });
  await vendor.end(id, done);
  expect(await ended).toMatchObject({ outcome: succeeded });
  expect(await waiting).toMatchObject({ outcome: { adapter_status: 'UNREACHABLE' } });
  expect(await hanging).toMatchObject({ outcome: { device_execution_status: 'TIMED_OUT' } });
  expect(vendor.calls).toHaveLength(2);
});

test('a command that comes again after a crash gets the outcome of its first run, and the device acts once', async () => {
  const { vendor, begun } = await start();
  const { id } = await begun();
  const { adapter, webhooksUrl } = await startAdapter(vendor.url);
  vendor.sendWebhooksTo(webhooksUrl);
  // The webhook came while no process knew the command.
  expect(await vendor.end(id, done)).toBe(404);
  const again = await adapter.send(commandOf({ command_id: id }), { redelivered: true });
  expect(again.updates).toMatchObject([succeeded]);
  expect(vendor.actions.size).toBe(1);
});

test('a command that comes again while the vendor is away is not UNREACHABLE: its first run may have begun', async () => {
  const { vendor, adapter } = await start();
  vendor.next(refusal(503, {}, { 'retry-after': '3600' }));
  const sent = adapter.send(commandOf(), { redelivered: true, timeoutMs: 1_000 });
  expect(await sent).toMatchObject({ outcome: { device_execution_status: 'TIMED_OUT' } });
});

test('a webhook with a wrong signature changes nothing', async () => {
  const { vendor, begun } = await start();
  const { id, ended } = await begun();
  const forged = JSON.stringify({ data: { idempotency_key: id, state: 'failed' } });
  expect(await vendor.webhook(forged, { secret: `whsec_${btoa('another secret of 24 byte')}` })).toBe(401);
  expect(await vendor.webhook(forged, { headers: { 'webhook-timestamp': '1700000000' } })).toBe(401);
  expect(await vendor.webhook(forged, { headers: { 'webhook-signature': '' } })).toBe(401);
  await vendor.end(id, done);
  expect(await ended).toMatchObject({ outcome: succeeded });
});

test('a second webhook is accepted and changes nothing, one about an unknown command is sent again later', async () => {
  const { vendor, begun } = await start();
  const { id, ended } = await begun();
  expect(await vendor.end(id, { state: 'running' })).toBe(204);
  expect(await vendor.end(id, done)).toBe(204);
  expect(await vendor.end(id, { state: 'failed' })).toBe(204);
  expect(await ended).toMatchObject({ outcome: succeeded });
  expect(await vendor.end(randomUUID(), done)).toBe(404);
});

test('what is no webhook is refused', async () => {
  const { vendor, webhooksUrl } = await start();
  expect(await vendor.webhook('no JSON')).toBe(400);
  expect(await vendor.webhook('{}')).toBe(400);
  expect(await vendor.webhook('')).toBe(400);
  expect(await vendor.webhook(' '.repeat(65_537))).toBe(413);
  expect((await fetch(webhooksUrl)).status).toBe(404);
  expect((await fetch(new URL('/', webhooksUrl), { method: 'POST' })).status).toBe(404);
  const chunked = httpRequest(webhooksUrl, { method: 'POST', headers: { 'transfer-encoding': 'chunked' } }).end('{}');
  const [answer] = await once(chunked, 'response');
  expect(answer.statusCode).toBe(411);
});
