import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fakeClient, networkFailure, refusal, type Step, silence } from '../../test/fake-fetch.js';
import {
  type Answering,
  alone,
  type Body,
  command,
  create,
  errorOf,
  idOf,
  refused,
  requests,
  type Sent,
  shared,
  sharing,
} from '../../test/shared-requests.js';
import type { RetryEvent } from '../index.js';

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Everything of an error but its stack and the headers of the answer. */
const factsOf = (error: Error) => {
  const { headers: _, ...fields } = error as unknown as Record<string, unknown>;
  return { name: error.name, message: error.message, ...fields };
};
const details = [{ location: 'body/payload/celsius', code: 'max', message: 'must be <= 30' }];
test.each([
  [422, 'COMMAND_PAYLOAD_INVALID', { details }],
  [422, 'VENDOR_NOT_ENABLED', {}],
  [413, 'PAYLOAD_TOO_LARGE', { details }],
  [429, 'RATE_LIMITED', { metadata: { quota: 'tenant', limit: 5 }, retry_after_seconds: 7 }],
  [503, 'SERVICE_UNAVAILABLE', { retry_after_seconds: 1 }],
])('the error of one command is that of a create alone, and touches no other: %i %s', async (status, code, more) => {
  const options = { maxRetries: 0 };
  const { retry_after_seconds, ...body } = more as { retry_after_seconds?: number };
  const headers: Record<string, string> = { 'X-Request-Id': 'r' };
  if (retry_after_seconds !== undefined) headers['Retry-After'] = String(retry_after_seconds);
  const one = fakeClient([refusal(status, code, body, headers)], options);
  const expected = await errorOf(one.client.commands.create(command('b', { idempotency_key: 'k' })));

  const { client } = sharing(
    [shared(({ device_id }) => (device_id === 'b' ? refused(status, code, more) : undefined))],
    options,
  );
  const good = create(client, ['a']);
  const bad = errorOf(client.commands.create(command('b', { idempotency_key: 'k' })));
  const better = create(client, ['c']);
  expect([...(await good), ...(await better)].map(idOf)).toEqual(['c-a', 'c-c']);
  const error = await bad;
  expect(factsOf(error)).toEqual(factsOf(expected));
  expect((error as { headers?: Headers }).headers?.get('Retry-After') ?? null).toBe(headers['Retry-After'] ?? null);
});

test.each<[string, () => Step]>([
  ['403', () => refusal(403, 'FORBIDDEN', { metadata: { required_scope: 'open:command:create' } })],
  ['401', () => refusal(401, 'UNAUTHENTICATED')],
  ['429 of the whole request', () => refusal(429, 'RATE_LIMITED', {}, { 'Retry-After': '3' })],
  ['503 of the whole request', () => refusal(503, 'SERVICE_UNAVAILABLE', {}, { 'Retry-After': '1' })],
  ['a page of a proxy', () => new Response('<h1>Bad Gateway</h1>', { status: 502 })],
  ['a lost connection', () => networkFailure('ECONNRESET')],
  ['no connection', () => networkFailure('ECONNREFUSED', 'connect')],
])('a failure of the request is an error of each call, as of a create alone: %s', async (_, step) => {
  const options = { maxRetries: 0 };
  const one = fakeClient([step()], options);
  const keyed = (key: string) => command('d', { idempotency_key: key });
  const facts = async (call: PromiseLike<unknown>) => ({ ...factsOf(await errorOf(call)), requestId: '' });
  const expected = await facts(one.client.commands.create(keyed('k')));
  const { client, fetch } = sharing([step()], options);
  const errors = ['k', 'l'].map((key) => errorOf(client.commands.create(keyed(key))));
  for (const [index, key] of ['k', 'l'].entries()) {
    expect(await facts(Promise.reject(await errors[index]))).toEqual({ ...expected, idempotencyKey: key });
  }
  expect(fetch.sent).toHaveLength(1);
});

test('no answer within timeoutMs is a TimeoutError of each call', async () => {
  const { client } = sharing([silence], { timeoutMs: 5, maxRetries: 0 });
  const results = await create(client, ['a', 'b']);
  expect(results).toMatchObject([1, 2].map(() => ({ reason: { name: 'TimeoutError', operation: 'commands.create' } })));
});

test('a lost answer is asked for again with the same commands, keys and order', async () => {
  const { client, fetch } = sharing([networkFailure('ECONNRESET'), shared()]);
  expect((await create(client, ['a', 'b'])).map(idOf)).toEqual(['c-a', 'c-b']);
  expect(fetch.sent).toHaveLength(2);
  expect(fetch.sent[1]?.body).toEqual(fetch.sent[0]?.body);
});

test('only those are sent again whose quota or overload may pass: together, with their keys, as one retry', async () => {
  const passing = ({ device_id }: Sent) => {
    if (/[bd]/.test(device_id)) return refused(429, 'RATE_LIMITED', { retry_after_seconds: 0 });
    if (device_id === 'c') return refused(422, 'VENDOR_NOT_ENABLED');
    return undefined;
  };
  const retries: RetryEvent[] = [];
  const hooks = { onRetry: (event: RetryEvent) => retries.push(event) };
  const { client, fetch } = sharing([shared(passing), shared()], { hooks });
  expect((await create(client, ['a', 'b', 'c', 'd'])).map(idOf)).toEqual(['c-a', 'c-b', 'VENDOR_NOT_ENABLED', 'c-d']);
  expect(requests(fetch)).toEqual([
    ['a', 'b', 'c', 'd'],
    ['b', 'd'],
  ]);
  const keysOf = (index: number) => {
    const { commands = [] } = (fetch.sent[index]?.body ?? {}) as Body;
    return new Map(commands.map((each) => [each.device_id, each.idempotency_key]));
  };
  for (const [device, key] of keysOf(1)) expect(keysOf(0).get(device)).toBe(key);
  expect(retries.map(({ operation, attempt }) => [operation, attempt])).toEqual(Array(2).fill(['commands.create', 1]));
});

test('Retry-After of a command delays that command and no other', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { client, fetch } = sharing([
      shared(({ device_id }) => {
        if (device_id === 'a') return refused(429, 'RATE_LIMITED', { retry_after_seconds: 20 });
        if (device_id === 'b') return refused(503, 'SERVICE_UNAVAILABLE', { retry_after_seconds: 1 });
        return undefined;
      }),
      alone,
      alone,
    ]);
    const [slow, fast, good] = ['a', 'b', 'c'].map((device) => client.commands.create(command(device)));
    await vi.advanceTimersByTimeAsync(0);
    expect(await good).toMatchObject({ command_id: 'c-c' });
    await vi.advanceTimersByTimeAsync(1_001);
    expect(await fast).toMatchObject({ command_id: 'c-b' });
    expect(requests(fetch)).toEqual([['a', 'b', 'c'], 'b']);
    await vi.advanceTimersByTimeAsync(19_000);
    expect(await slow).toMatchObject({ command_id: 'c-a' });
  } finally {
    vi.useRealTimers();
  }
});

test('a command is not sent again after the deadline of its call, and an abort ends the wait for a retry', async () => {
  const slow = shared(() => refused(429, 'RATE_LIMITED', { retry_after_seconds: 61 }));
  const late = await create(sharing([slow]).client, ['a', 'b']);
  expect(late.map(idOf)).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
  expect(late[0]).toMatchObject({ reason: { retryAfterMs: 61_000, attempts: 1 } });

  const stopping = new AbortController();
  const hooks = { onRetry: () => stopping.abort(new Error('enough')) };
  const { client, fetch } = sharing([slow], { hooks, deadlineMs: 120_000 });
  const aborted = await create(client, ['a', 'b'], { signal: stopping.signal });
  expect(aborted).toMatchObject([1, 2].map(() => ({ reason: { message: 'enough' } })));
  expect(fetch.sent).toHaveLength(1);
});

test('commands that are refused each time fail after maxRetries, each with its error and all its attempts', async () => {
  const busy = shared(() => refused(503, 'SERVICE_UNAVAILABLE', { retry_after_seconds: 0 }));
  const { client, fetch } = sharing([busy, busy, busy]);
  const results = await create(client, ['a', 'b']);
  expect(results).toMatchObject([1, 2].map(() => ({ reason: { code: 'SERVICE_UNAVAILABLE', attempts: 3 } })));
  expect(fetch.sent).toHaveLength(3);
});

test.each<[string, () => Step]>([
  ['ConnectionError', () => networkFailure('ECONNRESET')],
  ['ApiError', () => refusal(503, 'SERVICE_UNAVAILABLE')],
])('a request that failed is repeated as often as a create alone, and no more: %s', async (name, step) => {
  const { client, fetch } = sharing([step(), step(), step()]);
  const results = await create(client, ['a', 'b']);
  expect(results).toMatchObject([1, 2].map(() => ({ reason: { name, attempts: 3 } })));
  expect(fetch.sent).toHaveLength(3);
});

test('a client whose retries are spent sends nothing again', async () => {
  const busy = shared(() => refused(503, 'SERVICE_UNAVAILABLE', { retry_after_seconds: 0 }));
  const { client, fetch } = sharing(Array(200).fill(busy), { maxRetries: 1 });
  // Every answered request gives a fifth of a retry back.
  for (let batches = 0; batches < 80; batches += 1) await create(client, ['a', 'b']);
  expect(fetch.sent.length).toBeGreaterThan(110);
  expect(fetch.sent.length).toBeLessThan(150);
});

test('a request spends one retry of the budget, whatever the number of its commands', async () => {
  const busy = shared(() => refused(503, 'SERVICE_UNAVAILABLE', { retry_after_seconds: 0 }));
  const { client, fetch } = sharing([busy, shared()]);
  const results = await create(
    client,
    Array.from({ length: 100 }, (_, index) => String(index)),
  );
  expect(results.filter(({ status }) => status === 'rejected')).toEqual([]);
  expect(fetch.sent).toHaveLength(2);
});

test('a command that the request was refused for is sent alone, the others together without it', async () => {
  const details = [{ location: 'body/commands/1/device_id', code: 'INVALID_TYPE', message: 'is required' }];
  const own = [{ ...details[0], location: 'body/device_id' }];
  const then: Answering = (sent) =>
    (sent.body as Body).commands
      ? shared()(sent)
      : Promise.resolve(refusal(400, 'VALIDATION_FAILED', { details: own }));
  const { client, fetch } = sharing([refusal(400, 'VALIDATION_FAILED', { details }), then, then]);
  const results = await create(client, ['a', 'b', 'c']);
  expect(results.map(idOf)).toEqual(['c-a', 'VALIDATION_FAILED', 'c-c']);
  expect(results[1]).toMatchObject({ reason: { details: own, operation: 'commands.create' } });
  expect(new Set(requests(fetch).slice(1))).toEqual(new Set(['b', ['a', 'c']]));
});

test('a request that is refused as too large, or for no command that it names, is sent as single commands', async () => {
  for (const refused of [new Response('', { status: 413 }), refusal(400, 'MALFORMED_JSON')]) {
    const { client, fetch } = sharing([refused, alone, alone]);
    expect((await create(client, ['a', 'b'])).map(idOf)).toEqual(['c-a', 'c-b']);
    expect(requests(fetch)[0]).toEqual(['a', 'b']);
    expect(requests(fetch).slice(1).sort()).toEqual(['a', 'b']);
  }
});
