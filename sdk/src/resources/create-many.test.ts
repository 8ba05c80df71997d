import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answer, fakeClient, networkFailure, refusal, type Step } from '../../test/fake-fetch.js';
import type { CommandResult } from '../index.js';

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

afterEach(() => {
  vi.restoreAllMocks();
});

type Sent = { idempotency_key: string; device_id: string };
type Body = { batch_id: string; commands: Sent[] };

const command = (device_id = 'd', fields: object = {}) => ({
  vendor: 'vendor_a',
  device_id,
  command_type: 'reboot',
  payload: {},
  ...fields,
});

/** Accepts every command, or answers what `refuse` returns for it. */
const batch =
  (refuse: (sent: Sent) => object | undefined = () => undefined): Step =>
  async ({ body }) => {
    const { batch_id, commands } = body as Body;
    const items = commands.map((sent) => ({
      idempotency_key: sent.idempotency_key,
      ...(refuse(sent) ?? {
        command_id: `c-${sent.idempotency_key}`,
        status: 'ACCEPTED',
        accepted_at: '2026-02-01T09:30:00.000Z',
      }),
    }));
    return answer(200, { batch_id, items, request_id: 'r' });
  };

const refused = (status: number, code: string, more: object = {}) => ({
  error: { status, code, message: `It is ${code}.`, ...more },
});

const bodies = ({ sent }: { sent: { body: unknown }[] }) => sent.map(({ body }) => body as Body);
const described = ({ index, command: { device_id }, accepted, error }: CommandResult) => [
  index,
  device_id,
  accepted?.status ?? (error as { code?: string }).code ?? error?.name,
];

test('sends any number of commands in requests of 500, one batch, in order', async () => {
  const { client, fetch } = fakeClient([batch(), batch(), batch()]);
  const devices = Array.from({ length: 1_001 }, (_, index) => `d-${index}`);
  const told: number[] = [];
  const { batchId, results } = await client.commands.createMany(
    (function* () {
      for (const device of devices) yield command(device);
    })(),
    { onResult: ({ index }) => told.push(index) },
  );
  expect(bodies(fetch).map(({ commands }) => commands.length)).toEqual([500, 500, 1]);
  expect(new Set(bodies(fetch).map(({ batch_id }) => batch_id))).toEqual(new Set([batchId]));
  expect(results.map(({ command }) => command.device_id)).toEqual(devices);
  expect(results.map(({ command }) => command.idempotency_key)).toEqual(
    bodies(fetch).flatMap(({ commands }) => commands.map(({ idempotency_key }) => idempotency_key)),
  );
  expect(new Set(results.map(({ command }) => command.idempotency_key)).size).toBe(1_001);
  expect(results.map(({ accepted }) => accepted?.command_id)).toEqual(
    results.map(({ command }) => `c-${command.idempotency_key}`),
  );
  expect(told).toEqual(results.map(({ index }) => index));
});

test('no request is larger than 1 MiB, and commands may come from a stream', async () => {
  const { client, fetch } = fakeClient(Array(3).fill(batch()));
  const { results } = await client.commands.createMany(
    (async function* () {
      for (let index = 0; index < 100; index++) yield command('d', { payload: { text: 'é'.repeat(12_000) } });
    })(),
  );
  expect(results).toHaveLength(100);
  const sizes = bodies(fetch).map((body) => Buffer.byteLength(JSON.stringify(body)));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1_048_576);
  expect(sizes).toHaveLength(3);
});

test('sends only those again whose quota or overload may pass, with their keys, and keeps the order', async () => {
  const { client, fetch } = fakeClient([
    batch(({ device_id }) => {
      if (device_id === 'b') return refused(429, 'RATE_LIMITED', { retry_after_seconds: 0 });
      if (device_id === 'c') return refused(422, 'VENDOR_NOT_ENABLED');
      if (device_id === 'd') return refused(503, 'SERVICE_UNAVAILABLE', { retry_after_seconds: 0 });
      return undefined;
    }),
    batch(({ device_id }) => (device_id === 'd' ? refused(503, 'SERVICE_UNAVAILABLE') : undefined)),
    batch(),
  ]);
  const told: unknown[] = [];
  const { results } = await client.commands.createMany(
    ['a', 'b', 'c', 'd', 'e'].map((device) => command(device)),
    { onResult: (result) => told.push(described(result)) },
  );
  expect(bodies(fetch).map(({ commands }) => commands.map(({ device_id }) => device_id))).toEqual([
    ['a', 'b', 'c', 'd', 'e'],
    ['b', 'd'],
    ['d'],
  ]);
  expect(results.map(described)).toEqual([
    [0, 'a', 'ACCEPTED'],
    [1, 'b', 'ACCEPTED'],
    [2, 'c', 'VENDOR_NOT_ENABLED'],
    [3, 'd', 'ACCEPTED'],
    [4, 'e', 'ACCEPTED'],
  ]);
  expect(told).toEqual(results.map(described));
  const keys = bodies(fetch).map(({ commands }) => commands.find(({ device_id }) => device_id === 'd'));
  expect(new Set(keys.map((sent) => sent?.idempotency_key)).size).toBe(1);
});

test('a lost answer is asked for again with the same keys and batch', async () => {
  const { client, fetch } = fakeClient([networkFailure('ECONNRESET'), batch()]);
  const { results } = await client.commands.createMany([command('a'), command('b')]);
  expect(bodies(fetch)[1]).toEqual(bodies(fetch)[0]);
  expect(results.map(described)).toEqual([
    [0, 'a', 'ACCEPTED'],
    [1, 'b', 'ACCEPTED'],
  ]);
});

test('gives up after timeoutSeconds: what was not accepted has the last error, what follows is not sent', async () => {
  const { client, fetch } = fakeClient(
    [
      batch(({ device_id }) =>
        device_id === '1' ? refused(429, 'RATE_LIMITED', { retry_after_seconds: 60 }) : undefined,
      ),
      networkFailure('ECONNREFUSED', 'connect'),
    ],
    { maxRetries: 0 },
  );
  const commands = Array.from({ length: 1_500 }, (_, index) => command(String(index)));
  const { results } = await client.commands.createMany(commands, { timeoutSeconds: 0 });
  const [first, second, third, ...others] = results.map(described);
  expect([first, second, third]).toEqual([
    [0, '0', 'ACCEPTED'],
    [1, '1', 'RATE_LIMITED'],
    [2, '2', 'ACCEPTED'],
  ]);
  expect(results[1]?.error).toMatchObject({ status: 429, retryAfterMs: 60_000, retryable: true });
  expect(others[497]).toEqual([500, '500', 'ConnectionError']);
  expect(others.at(-1)).toEqual([1_499, '1499', 'ConnectionError']);
  expect(fetch.sent).toHaveLength(2);
});

test('a command that the request was refused for gets its own error, and the others are sent without it', async () => {
  const details = [
    { location: 'body/commands/1/device_id', code: 'INVALID_TYPE', message: 'is required' },
    { location: 'body/commands/1/extra', code: 'UNKNOWN_FIELD', message: 'is not a field of this operation' },
  ];
  const { client, fetch } = fakeClient([refusal(400, 'VALIDATION_FAILED', { details }), batch()]);
  const { results } = await client.commands.createMany([command('a'), command('b'), command('c')]);
  expect(results.map(described)).toEqual([
    [0, 'a', 'ACCEPTED'],
    [1, 'b', 'VALIDATION_FAILED'],
    [2, 'c', 'ACCEPTED'],
  ]);
  expect(results[1]?.error).toMatchObject({
    message: expect.stringContaining('body/device_id is required; body/extra is not a field'),
    details: [{ location: 'body/device_id' }, { location: 'body/extra' }],
  });
  expect(bodies(fetch)[1]?.commands.map(({ device_id }) => device_id)).toEqual(['a', 'c']);
});

test('the others are sent even if the time is over when the platform names the invalid command', async () => {
  const details = [{ location: 'body/commands/1/device_id', code: 'INVALID_TYPE', message: 'is required' }];
  const { client } = fakeClient([refusal(400, 'VALIDATION_FAILED', { details }), batch()]);
  const { results } = await client.commands.createMany([command('a'), command('b')], { timeoutSeconds: 0 });
  expect(results.map(described)).toEqual([
    [0, 'a', 'ACCEPTED'],
    [1, 'b', 'VALIDATION_FAILED'],
  ]);
});

test('text that the platform does not take fails only its own command', async () => {
  const details = [{ location: 'body/commands/1/payload/a', code: 'MALFORMED_JSON', message: 'NUL is not allowed' }];
  const { client } = fakeClient([refusal(400, 'MALFORMED_JSON', { details }), batch()]);
  const { results } = await client.commands.createMany([command('a'), command('b', { payload: { a: '\0' } })]);
  expect(results.map(described)).toEqual([
    [0, 'a', 'ACCEPTED'],
    [1, 'b', 'MALFORMED_JSON'],
  ]);
});

test('a payload that JSON cannot represent fails only its own command, which is not sent', async () => {
  const cycle: { self?: object } = {};
  cycle.self = cycle;
  const payloads = [{}, { n: Number.NaN }, { n: new Map() }, { n: 1n }, cycle, {}];
  const { client, fetch } = fakeClient([batch()]);
  const { results } = await client.commands.createMany(payloads.map((payload) => command('d', { payload })));
  const lost = 'InvalidArgumentError';
  expect(results.map((result) => described(result)[2])).toEqual(['ACCEPTED', lost, lost, lost, lost, 'ACCEPTED']);
  expect(bodies(fetch).map(({ commands }) => commands.length)).toEqual([2]);
  const { results: unsent } = await client.commands.createMany([command('d', { payload: cycle })]);
  expect(unsent.map(described)).toEqual([[0, 'd', lost]]);
});

test('rejects if the first request is refused as a whole', async () => {
  const { client, fetch } = fakeClient([refusal(403, 'FORBIDDEN')]);
  const commands = Array.from({ length: 501 }, () => command());
  await expect(client.commands.createMany(commands)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  expect(fetch.sent).toHaveLength(1);
});

test('an earlier command is accepted, and a different one with its key has an IdempotencyMismatchError', async () => {
  const existing = { command_id: 'c', status: 'ACCEPTED', accepted_at: 'then', idempotent_replayed: true };
  const { client } = fakeClient([
    batch(({ device_id }) => (device_id === 'a' ? existing : { ...existing, idempotency_mismatch: ['payload'] })),
  ]);
  const commands = [command('a', { idempotency_key: 'k' }), command('b', { idempotency_key: 'k' })];
  const [same, different] = (await client.commands.createMany(commands)).results;
  expect(same?.accepted).toEqual({ ...existing, request_id: 'r' });
  expect(different?.error).toMatchObject({
    name: 'IdempotencyMismatchError',
    fields: ['payload'],
    command: { command_id: 'c' },
    idempotencyKey: 'k',
    requestId: 'r',
  });
});

test('an abort rejects with its reason, also while commands wait for their quota', async () => {
  const controller = new AbortController();
  const { client } = fakeClient([
    batch(() => {
      queueMicrotask(() => controller.abort(new Error('enough')));
      return refused(429, 'RATE_LIMITED', { retry_after_seconds: 60 });
    }),
  ]);
  const creating = client.commands.createMany([command()], { signal: controller.signal });
  await expect(creating).rejects.toThrow('enough');
});

const counts = (fields: object) => ({
  ...{ ACCEPTED: 0, DISPATCHED: 0, SUCCEEDED: 0, FAILED: 0, REJECTED: 0 },
  ...{ UNSUPPORTED: 0, TIMED_OUT: 0, EXPIRED: 0, CANCELED: 0 },
  ...fields,
});
const summary = (fields: object, next_older_than: string | null = null) =>
  answer(200, { counts: counts(fields), total: 0, next_older_than, request_id: 'r' });

test('outcomes counts the batch until no command is under way, then reads every record once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const record = (id: string, status: string) => ({ command_id: `c-${id}`, status, completed_at: 'now' });
  const { client, fetch } = fakeClient([
    batch(({ device_id }) => (device_id === 'x' ? refused(422, 'VENDOR_NOT_ENABLED') : undefined)),
    summary({ DISPATCHED: 2 }),
    summary({ SUCCEEDED: 1, FAILED: 1 }),
    answer(200, { items: [record('b', 'FAILED'), record('other', 'SUCCEEDED')], next_cursor: 'n', request_id: 'r' }),
    answer(200, { items: [record('a', 'SUCCEEDED')], next_cursor: null, request_id: 'r' }),
    answer(200, { ...record('z', 'CANCELED'), request_id: 'r' }),
  ]);
  const created = await client.commands.createMany(
    ['a', 'b', 'x', 'z'].map((key) => command(key, { idempotency_key: key })),
  );
  const progress: number[] = [];
  const found: unknown[] = [];
  const reading = (async () => {
    const options = { onProgress: (now: { counts: { DISPATCHED: number } }) => progress.push(now.counts.DISPATCHED) };
    for await (const { index, outcome } of client.commands.outcomes(created, options)) {
      found.push([index, outcome.status]);
    }
  })();
  let isDone = false;
  void reading.then(() => {
    isDone = true;
  });
  await vi.waitFor(() => expect(isDone).toBe(true), 30_000);
  vi.useRealTimers();
  expect(progress).toEqual([2, 0]);
  // The one that the list does not have is read by its id: another batch created it.
  expect(found).toEqual([
    [1, 'FAILED'],
    [0, 'SUCCEEDED'],
    [3, 'CANCELED'],
  ]);
  expect(fetch.sent.map(({ url }) => new URL(url).pathname.split('/').at(-1))).toEqual([
    'command-batches',
    'command-summary',
    'command-summary',
    'commands',
    'commands',
    'c-z',
  ]);
});

test('outcomes yields what is not final when the time is over', async () => {
  const record = { command_id: 'c-a', status: 'DISPATCHED', completed_at: null, request_id: 'r' };
  const { client } = fakeClient([
    batch(),
    summary({ DISPATCHED: 1 }),
    answer(200, { items: [record], next_cursor: null, request_id: 'r' }),
  ]);
  const created = await client.commands.createMany([command('a', { idempotency_key: 'a' })]);
  const outcomes: unknown[] = [];
  for await (const { outcome } of client.commands.outcomes(created, { timeoutSeconds: 0 })) outcomes.push(outcome);
  expect(outcomes).toMatchObject([{ status: 'DISPATCHED', completed_at: null }]);
});

test('summary adds the counts of all its requests', async () => {
  const { client, fetch } = fakeClient([
    answer(200, { counts: counts({ FAILED: 1, SUCCEEDED: 2 }), total: 3, next_older_than: 'c9', request_id: 'r' }),
    answer(200, { counts: counts({ SUCCEEDED: 4 }), total: 4, next_older_than: null, request_id: 'r' }),
  ]);
  expect(await client.commands.summary({ batch_id: 'b' })).toMatchObject({
    counts: counts({ FAILED: 1, SUCCEEDED: 6 }),
    total: 7,
    next_older_than: null,
  });
  expect(fetch.sent.map(({ url }) => new URL(url).search)).toEqual(['?batch_id=b', '?batch_id=b&older_than=c9']);
});

test('summary adds the groups of all its requests, each with the group of the same values, the largest first', async () => {
  const group = (values: object, fields: Record<string, number>) => ({
    ...values,
    counts: counts(fields),
    total: Object.values(fields).reduce((sum, count) => sum + count),
  });
  const page = (groups: object[], next_older_than: string | null) =>
    answer(200, { counts: counts({}), total: 0, groups, next_older_than, request_id: 'r' });
  const { client, fetch } = fakeClient([
    page(
      [
        group({ reason: null }, { SUCCEEDED: 3 }),
        group({ reason: 'A' }, { FAILED: 2 }),
        group({ reason: null, other_reasons: true }, { FAILED: 1 }),
      ],
      'c9',
    ),
    page([group({ reason: 'A' }, { FAILED: 1, REJECTED: 1 }), group({ reason: 'B' }, { FAILED: 1 })], null),
  ]);
  const { groups } = await client.commands.summary({ batch_id: 'b', group_by: 'reason' });
  expect(groups).toEqual([
    group({ reason: 'A' }, { FAILED: 3, REJECTED: 1 }),
    group({ reason: null }, { SUCCEEDED: 3 }),
    group({ reason: null, other_reasons: true }, { FAILED: 1 }),
    group({ reason: 'B' }, { FAILED: 1 }),
  ]);
  expect(fetch.sent.map(({ url }) => new URL(url).searchParams.get('group_by'))).toEqual(['reason', 'reason']);
});
