import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answer, fakeClient, networkFailure, refusal, type Step } from '../../test/fake-fetch.js';
import { isWaitAbortedError, isWaitTimeoutError } from '../index.js';

const record = (status: string, updated_at: string, completed_at: string | null = null) =>
  answer(200, { command_id: 'c1', status, updated_at, completed_at, request_id: 'r' });
const accepted = () => answer(202, { command_id: 'c1', status: 'ACCEPTED' });
const succeeded = () => record('SUCCEEDED', 't3', 't3');
const body = { vendor: 'vendor_a', device_id: 'd', command_type: 'reboot', payload: {} };
const queries = ({ sent }: { sent: { url: string }[] }) => sent.map(({ url }) => new URL(url).search);

/** Every back-off delay is zero; Retry-After is not. */
beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const outage: Step[] = [
  networkFailure('ECONNREFUSED', 'connect'),
  networkFailure('ECONNRESET'),
  new Response('<h1>Bad Gateway</h1>', { status: 502 }),
  refusal(503, 'SERVICE_UNAVAILABLE'),
  refusal(429, 'RATE_LIMITED'),
  refusal(500, 'INTERNAL_ERROR'),
];
/** Longer than the retries of one call. */
const longOutage = () =>
  Array.from({ length: 4 }, () => outage.map((step) => (step instanceof Response ? step.clone() : step))).flat();

test('a wait continues through an outage that outlives the retries of a call', async () => {
  const { client, fetch } = fakeClient([...longOutage(), succeeded()]);
  expect(await client.commands.wait('c1')).toMatchObject({ status: 'SUCCEEDED' });
  expect(fetch.sent).toHaveLength(longOutage().length + 1);
});

test('a wait continues behind a page that asks to come back in an hour', async () => {
  const { setTimeout: real } = globalThis;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms: number) =>
    real(run, ms === 30_000 ? 0 : ms)) as typeof setTimeout);
  const maintenance = () => new Response('<h1>Maintenance</h1>', { status: 503, headers: { 'Retry-After': '3600' } });
  const { client } = fakeClient([maintenance(), maintenance(), succeeded()]);
  expect(await client.commands.wait('c1')).toMatchObject({ status: 'SUCCEEDED' });
});

test('createAndWait creates one command through an outage in the middle of each part', async () => {
  const { client, fetch } = fakeClient([...longOutage(), accepted(), ...longOutage(), succeeded()]);
  expect(await client.commands.createAndWait(body)).toMatchObject({ status: 'SUCCEEDED' });
  const created = fetch.sent.filter(({ method }) => method === 'POST');
  expect(created).toHaveLength(longOutage().length + 1);
  expect(new Set(created.map(({ body }) => (body as { idempotency_key: string }).idempotency_key)).size).toBe(1);
});

test('a refusal ends a wait, and the error has the command and the key', async () => {
  const { client } = fakeClient([accepted(), refusal(404, 'NOT_FOUND')]);
  await expect(client.commands.createAndWait({ ...body, idempotency_key: 'k1' })).rejects.toMatchObject({
    name: 'ApiError',
    code: 'NOT_FOUND',
    commandId: 'c1',
    idempotencyKey: 'k1',
  });
});

test('a command that could not be sent in time fails with its key', async () => {
  const { client } = fakeClient(Array(3).fill(networkFailure('ECONNRESET')));
  const error = await client.commands.createAndWait(body, { timeoutSeconds: 0 }).catch((error) => error);
  expect(error).toMatchObject({ name: 'ConnectionError', idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  expect(error).not.toHaveProperty('commandId');
});

test('a wait whose time ends in an outage reports that and the last read record', async () => {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const { client } = fakeClient([
    record('DISPATCHED', 't2'),
    async () => {
      nowMs += 400_000;
      throw networkFailure('ECONNRESET');
    },
  ]);
  const error = await client.commands.wait('c1', { maxRetries: 0 }).catch((error) => error);
  expect(isWaitTimeoutError(error)).toBe(true);
  expect(error).toMatchObject({
    commandId: 'c1',
    command: { status: 'DISPATCHED' },
    cause: { name: 'ConnectionError' },
    message: 'Command c1 is still DISPATCHED: the wait is over.',
  });
});

test.each([
  ['before it begins', 0],
  ['while it waits', 1],
])('an abort %s names the command', async (_, answers) => {
  const controller = new AbortController();
  const reason = new Error('No longer needed');
  const abort: Step = () => {
    controller.abort(reason);
    return new Promise(() => {});
  };
  if (answers === 0) controller.abort(reason);
  const { client } = fakeClient([accepted(), abort]);
  const error = await client.commands
    .createAndWait({ ...body, idempotency_key: 'k1' }, { signal: controller.signal })
    .catch((error) => error);
  expect(isWaitAbortedError(error)).toBe(true);
  expect(error).toMatchObject({ idempotencyKey: 'k1', cause: reason, ...(answers > 0 && { commandId: 'c1' }) });
});

test('onUpdate gets each state once, from the first to the final one, and changes no outcome', async () => {
  const { client, fetch } = fakeClient([
    record('ACCEPTED', 't1'),
    record('ACCEPTED', 't1'),
    record('DISPATCHED', 't2'),
    succeeded(),
  ]);
  const states: string[] = [];
  await client.commands.wait('c1', {
    onUpdate({ status }) {
      states.push(status);
      throw new Error('of the caller');
    },
  });
  expect(states).toEqual(['ACCEPTED', 'DISPATCHED', 'SUCCEEDED']);
  expect(queries(fetch)).toEqual([
    '?wait_seconds=0',
    '?wait_seconds=30&seen_updated_at=t1',
    '?wait_seconds=30&seen_updated_at=t1',
    '?wait_seconds=30&seen_updated_at=t2',
  ]);
});

test('a success from another server ends a wait: waiting longer would not help', async () => {
  const { client } = fakeClient(Array.from({ length: 3 }, () => new Response('<h1>Welcome</h1>', { status: 200 })));
  await expect(client.commands.wait('c1')).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER', commandId: 'c1' });
});
