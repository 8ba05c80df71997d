import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answer, fakeClient, networkFailure } from '../../test/fake-fetch.js';
import {
  accepted,
  alone,
  type Body,
  command,
  create,
  either,
  errorOf,
  idOf,
  refused,
  requests,
  shared,
  sharing,
} from '../../test/shared-requests.js';
import type { ErrorEvent, RequestEvent } from '../index.js';

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});

afterEach(() => {
  vi.restoreAllMocks();
});

test('calls of the same moment leave as one request, in their order, and each gets its own answer', async () => {
  const { client, fetch } = sharing([shared()]);
  const results = await create(client, ['a', 'b', 'c']);
  expect(results.map(idOf)).toEqual(['c-a', 'c-b', 'c-c']);
  expect(requests(fetch)).toEqual([['a', 'b', 'c']]);
  expect(fetch.sent[0]?.url).toBe('https://platform.test/api/v1/open/downlink/command-batches');
});

test('the stack trace of an error shows the caller', async () => {
  const { client } = sharing([shared(() => refused(422, 'VENDOR_NOT_ENABLED')), networkFailure('ECONNRESET')], {
    maxRetries: 0,
  });
  const callIt = async () => await client.commands.create(command('a'));
  for (let times = 0; times < 2; times += 1) {
    for (const error of await Promise.all([errorOf(callIt()), errorOf(callIt())])) {
      expect(error.stack).toContain('at callIt');
    }
  }
});

test('the window begins with its first call and ends after withinMs', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { client, fetch } = fakeClient([shared(), alone], { batch: { withinMs: 20 } });
    const first = client.commands.create(command('a'));
    await vi.advanceTimersByTimeAsync(15);
    const second = client.commands.create(command('b'));
    await vi.advanceTimersByTimeAsync(4);
    expect(fetch.sent).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    await Promise.all([first, second]);
    const third = client.commands.create(command('c'));
    await vi.advanceTimersByTimeAsync(20);
    await third;
    expect(requests(fetch)).toEqual([['a', 'b'], 'c']);
  } finally {
    vi.useRealTimers();
  }
});

test('without the option, and for a single call, a command has its own request', async () => {
  const plain = fakeClient([alone, alone]);
  await create(plain.client, ['a', 'b']);
  expect(requests(plain.fetch).toSorted()).toEqual(['a', 'b']);
  const { client, fetch } = sharing([alone]);
  expect((await create(client, ['a'])).map(idOf)).toEqual(['c-a']);
  expect(requests(fetch)).toEqual(['a']);
});

test('a request has at most 500 commands, and a full one leaves before the window ends', async () => {
  const { client, fetch } = fakeClient([shared(), shared()], { batch: { withinMs: 1_000 } });
  const devices = Array.from({ length: 1_001 }, (_, index) => `d-${index}`);
  const stopping = new AbortController();
  const last = expect(create(client, devices.slice(1_000), { signal: stopping.signal })).resolves.toMatchObject([{}]);
  const results = await create(client, devices.slice(0, 999));
  expect(results.map(idOf)).toEqual(devices.slice(0, 999).map((device) => `c-${device}`));
  expect(fetch.sent.map(({ body }) => (body as Body).commands?.length)).toEqual([500, 500]);
  stopping.abort();
  await last;
});

test('no request is larger than 1 MiB', async () => {
  const { client, fetch } = sharing(Array(4).fill(shared()));
  const large = { payload: { text: 'é'.repeat(12_000) } };
  const calls = Array.from({ length: 130 }, (_, index) => client.commands.create(command(`d-${index}`, large)));
  expect(await Promise.all(calls)).toHaveLength(130);
  const sizes = fetch.sent.map(({ body }) => Buffer.byteLength(JSON.stringify(body)));
  expect(sizes).toHaveLength(4);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1_048_576);
});

test('a used key returns the existing command with its header, or an IdempotencyMismatchError', async () => {
  const existing = { ...accepted({ device_id: 'x', idempotency_key: '' }), idempotent_replayed: true };
  const { client } = sharing([
    shared(({ device_id }) => ({ ...existing, ...(device_id === 'b' && { idempotency_mismatch: ['payload'] }) })),
  ]);
  const same = client.commands.create(command('a', { idempotency_key: 'k' })).withResponse();
  const other = client.commands.create(command('b'), { idempotencyKey: 'k2' });
  await expect(other).rejects.toMatchObject({
    name: 'IdempotencyMismatchError',
    fields: ['payload'],
    command: { command_id: 'c-x' },
    idempotencyKey: 'k2',
  });
  const { data, status, headers, requestId } = await same;
  expect({ data, status, requestId }).toEqual({
    data: { command_id: 'c-x', status: 'ACCEPTED', accepted_at: '2026-02-01T09:30:00.000Z', request_id: 'r' },
    status: 202,
    requestId: 'r',
  });
  expect(headers.get('Idempotent-Replayed')).toBe('true');
  expect(headers.get('x-request-id')).toBe('r');
});

test('what no shared request can carry goes alone: a payload that JSON cannot represent, or one of 64 KiB', async () => {
  const { client, fetch } = sharing([either, either]);
  const lost = errorOf(client.commands.create(command('x', { payload: { n: Number.NaN } })));
  const large = client.commands.create(command('large', { payload: { text: 'x'.repeat(65_536) } }));
  const results = await create(client, ['a', 'b']);
  expect(await lost).toMatchObject({ name: 'InvalidArgumentError' });
  expect((await large).command_id).toBe('c-large');
  expect(results.map(idOf)).toEqual(['c-a', 'c-b']);
  expect(new Set(requests(fetch))).toEqual(new Set(['large', ['a', 'b']]));
});

test.each([
  { timeoutMs: 1_000 },
  { deadlineMs: 1_000 },
  { maxRetries: 0 },
  { headers: { traceparent: 't' } },
  { requestId: 'r' },
])('a call with its own %o has its own request', async (options) => {
  const { client, fetch } = sharing([either, either]);
  const own = create(client, ['own'], options);
  expect((await create(client, ['a', 'b'], { signal: new AbortController().signal })).map(idOf)).toEqual([
    'c-a',
    'c-b',
  ]);
  await own;
  expect(new Set(requests(fetch))).toEqual(new Set(['own', ['a', 'b']]));
});

test('an abort before the request leaves takes only its own command out of it', async () => {
  const { client, fetch } = sharing([shared(), shared()]);
  const stopping = new AbortController();
  const stopped = errorOf(client.commands.create(command('b'), { signal: stopping.signal }));
  const others = create(client, ['a', 'c']);
  // The first call loads the code, and then they join.
  await vi.dynamicImportSettled();
  stopping.abort(new Error('enough'));
  expect((await stopped).message).toBe('enough');
  expect((await others).map(idOf)).toEqual(['c-a', 'c-c']);
  expect(requests(fetch)).toEqual([['a', 'c']]);
  const late = errorOf(client.commands.create(command('b'), { signal: stopping.signal }));
  expect((await create(client, ['d', 'e'])).map(idOf)).toEqual(['c-d', 'c-e']);
  expect((await late).message).toBe('enough');
  expect(requests(fetch)).toEqual([
    ['a', 'c'],
    ['d', 'e'],
  ]);
});

test('an abort while the request is under way ends its own call only', async () => {
  const stopping = new AbortController();
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { client } = sharing([
    async (sent, init) => {
      stopping.abort(new Error('enough'));
      await released;
      expect(init.signal.aborted).toBe(false);
      return shared()(sent);
    },
  ]);
  const stopped = errorOf(client.commands.create(command('a'), { signal: stopping.signal }));
  const other = client.commands.create(command('b'));
  expect((await stopped).message).toBe('enough');
  release();
  expect((await other).command_id).toBe('c-b');
});

test('the request ends when no call waits for it any more', async () => {
  const stopping = new AbortController();
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const { client } = sharing([
    (_, { signal }) => {
      signal.addEventListener('abort', () => end());
      queueMicrotask(() => stopping.abort(new Error('enough')));
      return new Promise(() => {});
    },
  ]);
  const results = await create(client, ['a', 'b'], { signal: stopping.signal });
  expect(results).toMatchObject([1, 2].map(() => ({ reason: { message: 'enough' } })));
  await ended;
});

test('createAndWait shares the request that creates its command', async () => {
  const final = async (sent: { url: string }) =>
    answer(200, {
      command_id: new URL(sent.url).pathname.split('/').at(-1),
      status: 'SUCCEEDED',
      completed_at: 'now',
      updated_at: 'now',
    });
  const { client, fetch } = sharing([shared(), final, final]);
  const commands = await Promise.all(['a', 'b'].map((device) => client.commands.createAndWait(command(device))));
  expect(commands.map(({ command_id, status }) => [command_id, status])).toEqual([
    ['c-a', 'SUCCEEDED'],
    ['c-b', 'SUCCEEDED'],
  ]);
  expect(requests(fetch)[0]).toEqual(['a', 'b']);
});

test('hooks hear of the request once, and of each command that fails', async () => {
  const asked: RequestEvent[] = [];
  const failed: ErrorEvent[] = [];
  const hooks = {
    onRequest: (event: RequestEvent) => void asked.push(event),
    onError: (event: ErrorEvent) => void failed.push(event),
  };
  const { client } = sharing(
    [shared(({ device_id }) => (device_id === 'a' ? undefined : refused(422, 'VENDOR_NOT_ENABLED')))],
    { hooks },
  );
  await create(client, ['a', 'b', 'c']);
  expect(asked.map(({ operation }) => operation)).toEqual(['commands.createMany']);
  expect(failed).toMatchObject(
    [1, 2].map(() => ({
      operation: 'commands.create',
      attempt: 1,
      method: 'POST',
      target: '/api/v1/open/downlink/commands',
      requestId: 'r',
      error: { code: 'VENDOR_NOT_ENABLED' },
    })),
  );
});

test('a success without items comes from another server', async () => {
  const { client } = sharing([answer(200, { request_id: 'r' })], { maxRetries: 0 });
  expect((await create(client, ['a', 'b'])).map(idOf)).toEqual(['UNEXPECTED_ANSWER', 'UNEXPECTED_ANSWER']);
});

test.each([{}, { withinMs: -1 }, { withinMs: 1_001 }, { withinMs: Number.NaN }])(
  'a window that is no number from 0 to 1,000 is refused: %o',
  (batch) => {
    expect(() => sharing([], { batch })).toThrow('batch.withinMs must be a number from 0 to 1000.');
  },
);
