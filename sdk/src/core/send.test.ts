import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answer, fakeClient, networkFailure, refusal, type Step, silence } from '../../test/fake-fetch.js';
import type { TenantOpenPlatform } from '../client.js';

const reboot = { vendor: 'vendor_a', device_id: 'd', command_type: 'reboot', payload: {} };

const principal = {
  bus_user: 'u',
  bus_account_public_key: 'A',
  bus_user_public_key: 'U',
  principal_type: 'SERVICE',
} as const;
const accessKey = { access_key_id: 'A', secret_access_key: 'S' };
const rotation = { rotate_secret: true };
const store = { name: 'S', endpoint: 'https://s.test', region: 'us-east-1', ...accessKey };
const resource = { name: 'R', credential_id: 'c', bucket: 'b', allowed_operations: ['UPLOAD' as const] };

type Call = (client: TenantOpenPlatform) => Promise<unknown>;
const calls: [string, Call][] = [
  ['GET', (client) => client.tenants.get('acme')],
  ['DELETE', (client) => client.roleBindings.delete('acme', 'c', 'r')],
  ['PUT', (client) => client.tenants.update('acme', { name: 'A' })],
  ['PUT that may create', (client) => client.roles.put('acme', 'r', { scopes: [] })],
  ['commands.create', (client) => client.commands.create(reboot)],
  ['objects.presign', (client) => client.objects.presign({ operation: 'DOWNLOAD', resource_id: 'r', object_key: 'k' })],
  ['commands.cancel', (client) => client.commands.cancel('c')],
  ['deviceRequests.reply', (client) => client.deviceRequests.reply('r', { outcome: 'SUCCESS' })],
];
/** Their header Idempotency-Key makes them safe to repeat. */
const keyed: [string, Call][] = [
  ['tenants.create', (client) => client.tenants.create({ tenant_id: 'a', name: 'A' })],
  ['credentials.create', (client) => client.credentials.create('acme', { client_id: 'c', name: 'C' })],
  ['credentials.update with rotate_secret', (client) => client.credentials.update('a', 'c', { rotate_secret: true })],
  ['roleBindings.create', (client) => client.roleBindings.create('acme', { client_id: 'c', role: 'r' })],
  ['policies.create', (client) => client.policies.create('acme', { client_id: 'c', scope: 'open:command:read' })],
  ['busPrincipals.create', (client) => client.busPrincipals.create('acme', principal)],
  ['objectCredentials.create', (client) => client.objectCredentials.create(store)],
  ['objectCredentials.update with a new access key', (client) => client.objectCredentials.update('c', accessKey)],
  ['objectResources.create', (client) => client.objectResources.create(resource)],
  ['callbackEndpoints.create', (client) => client.callbackEndpoints.create({ name: 'E', url: 'https://e.test' })],
  ['callbackEndpoints.update with rotate_secret', (client) => client.callbackEndpoints.update('e', rotation)],
  ['callbackSubscriptions.create', (client) => client.callbackSubscriptions.create('e', { event_type: 'x' })],
];

const temporary: [string, () => Step][] = [
  ['429', () => refusal(429, 'RATE_LIMITED')],
  ['503', () => refusal(503, 'SERVICE_UNAVAILABLE')],
  ['a refused connection', () => networkFailure('ECONNREFUSED', 'connect')],
  ['a lost connection', () => networkFailure('ECONNRESET', 'read')],
  ['an answer that breaks off', () => new Response(new ReadableStream({ start: (it) => it.error(new Error('cut')) }))],
  ['408', () => refusal(408, 'REQUEST_TIMEOUT')],
  ['500', () => refusal(500, 'INTERNAL_ERROR')],
  ['502 of a proxy', () => new Response('oops', { status: 502 })],
  ['503 of a proxy', () => new Response('busy', { status: 503 })],
  ['a success that is cut off', () => new Response('{"client_id":', { status: 201 })],
  ['a nonce that something on the way sent twice', () => refusal(401, 'NONCE_REUSED')],
];
const decided: [string, () => Step][] = [
  ['400', () => refusal(400, 'VALIDATION_FAILED')],
  ['401', () => refusal(401, 'UNAUTHENTICATED')],
  ['403', () => refusal(403, 'FORBIDDEN')],
  ['404', () => refusal(404, 'NOT_FOUND')],
  ['409', () => refusal(409, 'TENANT_ALREADY_EXISTS')],
];

const pairs = <A, B>(as: [string, A][], bs: [string, B][]) =>
  as.flatMap(([a, x]) => bs.map(([b, y]): [string, string, A, B] => [a, b, x, y]));

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

test.each(pairs([...calls, ...keyed], temporary))('repeats %s after %s', async (_call, _failure, call, failure) => {
  const { client, fetch } = fakeClient([failure(), answer(200, { done: true })]);
  expect(await call(client)).toEqual({ request_id: 'r1', done: true });
  expect(fetch.sent).toHaveLength(2);
});

test.each(keyed)('%s sends one Idempotency-Key with all attempts, another with the next call', async (_, call) => {
  const { client, fetch } = fakeClient([networkFailure('ECONNRESET'), answer(200, {}), answer(200, {})]);
  await call(client);
  await call(client);
  const [first, again, next] = fetch.sent.map(({ headers }) => headers['Idempotency-Key']);
  expect(first).toMatch(/^[0-9a-f-]{36}$/);
  expect(again).toBe(first);
  expect(next).not.toBe(first);
});

test.each(calls)('%s sends no Idempotency-Key', async (_, call) => {
  const { client, fetch } = fakeClient([answer(200, {})]);
  await call(client);
  expect(fetch.sent[0]?.headers).not.toHaveProperty('Idempotency-Key');
});

test('a call takes an idempotency key, and its error has the key for a safe repetition', async () => {
  const { client, fetch } = fakeClient([networkFailure('ECONNRESET'), answer(201, {})], { maxRetries: 0 });
  const create = (idempotencyKey?: string) =>
    client.credentials.create('acme', { client_id: 'c', name: 'C' }, { idempotencyKey });
  const error = await create().catch((error) => error);
  expect(error).toMatchObject({ name: 'ConnectionError', operation: 'credentials.create', attempts: 1 });
  await create(error.idempotencyKey);
  const [first, again] = fetch.sent.map(({ headers }) => headers['Idempotency-Key']);
  expect(first).toBe(error.idempotencyKey);
  expect(again).toBe(first);
});

test.each(pairs([...calls, ...keyed], decided))('never retries %s after %s', async (_c, _f, call, failure) => {
  const { client, fetch } = fakeClient([failure()]);
  await expect(call(client)).rejects.toMatchObject({ name: 'ApiError', attempts: 1 });
  expect(fetch.sent).toHaveLength(1);
});

test.each([0, 1, 2, 5])('retries at most maxRetries times: %i', async (maxRetries) => {
  const { client, fetch } = fakeClient(
    Array.from({ length: 9 }, () => refusal(503, 'SERVICE_UNAVAILABLE')),
    { maxRetries },
  );
  await expect(client.me.get()).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE', attempts: maxRetries + 1 });
  expect(fetch.sent).toHaveLength(maxRetries + 1);
});

test('retries twice by default, and a call may override it', async () => {
  const busy = () => Array.from({ length: 9 }, () => refusal(503, 'SERVICE_UNAVAILABLE'));
  await expect(fakeClient(busy()).client.me.get()).rejects.toMatchObject({ attempts: 3 });
  await expect(fakeClient(busy()).client.me.get({ maxRetries: 0 })).rejects.toMatchObject({ attempts: 1 });
});

test('signs every attempt anew and keeps the request id and the idempotency key', async () => {
  const { client, fetch } = fakeClient([
    networkFailure('ECONNRESET'),
    refusal(500, 'INTERNAL_ERROR'),
    answer(202, { command_id: 'c' }),
  ]);
  await client.commands.create(reboot);
  const distinct = (pick: (sent: (typeof fetch.sent)[number]) => unknown) => new Set(fetch.sent.map(pick)).size;
  expect(distinct(({ headers }) => headers['X-Api-Nonce'])).toBe(3);
  expect(distinct(({ headers }) => headers['X-Api-Signature'])).toBe(3);
  expect(distinct(({ headers }) => headers['X-Request-Id'])).toBe(1);
  expect(distinct(({ body }) => (body as { idempotency_key: string }).idempotency_key)).toBe(1);
});

test('generates one idempotency_key per call, and keeps a given one', async () => {
  const { client, fetch } = fakeClient([answer(202, {}), answer(202, {}), answer(202, {})]);
  await client.commands.create(reboot);
  await client.commands.create(reboot);
  await client.commands.create({ ...reboot, idempotency_key: 'mine' });
  const keys = fetch.sent.map(({ body }) => (body as { idempotency_key: string }).idempotency_key);
  expect(new Set(keys).size).toBe(3);
  expect(keys[2]).toBe('mine');
});

test('the error of commands.create has the idempotency_key for a safe retry', async () => {
  const { client, fetch } = fakeClient([networkFailure('ECONNRESET')], { maxRetries: 0 });
  const error = await client.commands.create(reboot).catch((error) => error);
  expect(error).toMatchObject({ name: 'ConnectionError' });
  expect(fetch.sent[0]?.body).toMatchObject({ idempotency_key: error.idempotencyKey });
});

test('waits for the time in Retry-After', async () => {
  const onRetry = vi.fn();
  const { client } = fakeClient(
    [refusal(429, 'RATE_LIMITED', {}, { 'Retry-After': '0' }), refusal(503, 'X', {}, { 'Retry-After': '1' })],
    { maxRetries: 1, hooks: { onRetry } },
  );
  await expect(client.me.get()).rejects.toMatchObject({ retryAfterMs: 1000 });
  expect(onRetry).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ delayMs: 0, attempt: 1 }));
});

test('fails at once if Retry-After lies beyond the deadline', async () => {
  const { client, fetch } = fakeClient([refusal(429, 'RATE_LIMITED', {}, { 'Retry-After': '61' })]);
  await expect(client.me.get()).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterMs: 61_000 });
  expect(fetch.sent).toHaveLength(1);
});

test('gives every attempt its own timeout', async () => {
  const { client, fetch } = fakeClient([silence, silence, answer(200, { done: true })], { timeoutMs: 100 });
  expect(await client.me.get()).toEqual({ request_id: 'r1', done: true });
  expect(fetch.sent).toHaveLength(3);
});

test('a final timeout is a TimeoutError', async () => {
  const options = { timeoutMs: 10, maxRetries: 0 };
  await expect(fakeClient([silence], options).client.me.get()).rejects.toMatchObject({
    name: 'TimeoutError',
    message: 'me.get: no answer within 10 ms.',
    operation: 'me.get',
  });
});

test('times out if an answer begins but never ends, and if fetch ignores the abort', async () => {
  const endless: Step = async () => new Response(new ReadableStream({}));
  const deaf: Step = () => new Promise(() => {});
  for (const step of [endless, deaf]) {
    const { client } = fakeClient([step], { timeoutMs: 10, maxRetries: 0 });
    await expect(client.me.get()).rejects.toMatchObject({ name: 'TimeoutError' });
  }
});

test('stops retrying once the deadline has passed, however many retries are left', async () => {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const slowFailure: Step = async () => {
    nowMs += 25_000;
    throw networkFailure('ECONNRESET');
  };
  const { client, fetch } = fakeClient(Array(9).fill(slowFailure), { deadlineMs: 60_000, maxRetries: 9 });
  await expect(client.me.get()).rejects.toMatchObject({ name: 'ConnectionError', attempts: 3 });
  expect(fetch.sent).toHaveLength(3);
});

test('gives an attempt at most the rest of the deadline', async () => {
  const { client } = fakeClient([silence], { timeoutMs: 60_000, deadlineMs: 10, maxRetries: 0 });
  await expect(client.me.get()).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('an abort ends a call at once with its reason: before it, during an attempt, during a wait', async () => {
  const reason = new Error('No longer needed');
  const early = fakeClient([]);
  await expect(early.client.me.get({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(early.fetch.sent).toEqual([]);

  const underway = new AbortController();
  const inAttempt = fakeClient([
    () => {
      underway.abort(reason);
      return new Promise(() => {});
    },
  ]);
  await expect(inAttempt.client.me.get({ signal: underway.signal })).rejects.toBe(reason);

  vi.mocked(Math.random).mockReturnValue(1);
  const waiting = new AbortController();
  const inWait = fakeClient([networkFailure('ECONNRESET')], { hooks: { onRetry: () => queueMicrotask(abort) } });
  const abort = () => waiting.abort(reason);
  await expect(inWait.client.me.get({ signal: waiting.signal })).rejects.toBe(reason);
  expect(inWait.fetch.sent).toHaveLength(1);
});

test('leaves no listener on a signal that outlives the call', async () => {
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, 'addEventListener');
  const removed = vi.spyOn(signal, 'removeEventListener');
  const { client } = fakeClient([networkFailure('ECONNRESET'), answer(200, {})]);
  await client.me.get({ signal });
  expect(added.mock.calls.length).toBe(3);
  expect(removed.mock.calls.length).toBe(3);
});

test('a hook or logger that throws changes no outcome', async () => {
  const fail = () => {
    throw new Error('hook');
  };
  const { client } = fakeClient([networkFailure('ECONNRESET'), answer(200, { done: true })], {
    hooks: { onRequest: fail, onResponse: fail, onError: fail, onRetry: fail },
    logger: { debug: fail, warn: fail },
  });
  expect(await client.me.get()).toEqual({ request_id: 'r1', done: true });
});

const foreign = { status: 'ok' };
test.each([
  ['an object without request_id', (client: TenantOpenPlatform) => client.me.get(), foreign],
  ['a list in place of an object', (client: TenantOpenPlatform) => client.me.get(), [foreign]],
  ['an object in place of a list', (client: TenantOpenPlatform) => client.credentials.list('acme'), foreign],
])('%s is no success', async (_, call, body) => {
  const { client } = fakeClient([Response.json(body), Response.json(body), Response.json(body)]);
  await expect(call(client)).rejects.toMatchObject({ name: 'ApiError', status: 200, code: 'UNEXPECTED_ANSWER' });
});
