import { afterEach, expect, test, vi } from 'vitest';
import { answer, fakeClient, networkFailure, refusal } from '../../test/fake-fetch.js';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('the headers of a call and of a hook are sent with every attempt, and are not signed', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const { client, fetch } = fakeClient([networkFailure('ECONNRESET'), answer(200, {})], {
    hooks: { onRequest: ({ attempt }) => ({ traceparent: `of attempt ${attempt}` }) },
  });
  await client.me.get({ headers: { 'X-Team': 'pumps' } });
  expect(fetch.sent.map(({ headers }) => [headers['X-Team'], headers.traceparent])).toEqual([
    ['pumps', 'of attempt 1'],
    ['pumps', 'of attempt 2'],
  ]);
});

test.each(['X-Api-Nonce', 'x-api-signature', 'X-Request-Id', 'Content-Type', 'Content-Length', 'Host', 'User-Agent'])(
  'the header %s cannot be set by the caller',
  async (name) => {
    const { client, fetch } = fakeClient([answer(200, {})], { hooks: { onRequest: () => ({ [name]: 'x' }) } });
    await expect(client.me.get({ headers: { [name]: 'x' } })).rejects.toMatchObject({ name: 'InvalidArgumentError' });
    await client.me.get();
    expect(fetch.sent[0]?.headers[name]).not.toBe('x');
  },
);

test.each<Record<string, string>>([{ 'a b': 'x' }, { 'X-Team': 'a\r\nX-Api-Id: b' }, { 'X-Team': 'Küche' }])(
  'a header that could smuggle another one is refused: %j',
  async (headers) => {
    const { client, fetch } = fakeClient([]);
    await expect(client.me.get({ headers })).rejects.toMatchObject({ name: 'InvalidArgumentError' });
    expect(fetch.sent).toEqual([]);
  },
);

test('hooks are called for each request, response and retry, and once for the failure of a call', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const seen: string[] = [];
  const see = (name: string) => (event: { attempt: number }) => void seen.push(`${name} ${event.attempt}`);
  const { client } = fakeClient([refusal(500, 'INTERNAL_ERROR'), refusal(404, 'NOT_FOUND')], {
    hooks: { onRequest: see('request'), onResponse: see('response'), onRetry: see('retry'), onError: see('error') },
  });
  await expect(client.me.get()).rejects.toThrow();
  expect(seen).toEqual(['request 1', 'response 1', 'retry 1', 'request 2', 'response 2', 'error 2']);
});

test.each([
  [{ logLevel: 'error' }, ['failed']],
  [{ logLevel: 'warn' }, ['retry', 'failed']],
  [{ logLevel: 'off' }, []],
  [{}, ['request', 'response', 'retry', 'request', 'response', 'failed']],
] as const)('%j logs %j', async (options, lines) => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const log = vi.fn();
  const { client } = fakeClient([refusal(500, 'INTERNAL_ERROR'), refusal(404, 'NOT_FOUND')], {
    ...options,
    logger: { debug: log, warn: log, error: log },
  });
  await expect(client.me.get()).rejects.toThrow();
  expect(log.mock.calls.map(([message]) => message)).toEqual(lines);
});

/** As users create it. */
const byDefault = { logLevel: undefined };

test('TOP_LOG logs to the console, and without it no refusal is logged', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  await expect(fakeClient([refusal(404, 'NOT_FOUND')], byDefault).client.me.get()).rejects.toThrow();
  expect(log).not.toHaveBeenCalled();
  vi.stubEnv('TOP_LOG', 'error');
  await expect(fakeClient([refusal(404, 'NOT_FOUND')], byDefault).client.me.get()).rejects.toThrow();
  expect(log).toHaveBeenCalledOnce();
  vi.stubEnv('TOP_LOG', 'loud');
  expect(() => fakeClient([], byDefault)).toThrow(/off, error, warn, debug/);
});

test('a client that has had no answer warns once that the base URL may be wrong, before a wait goes on', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const refused = networkFailure('ECONNREFUSED');
  const accepted = answer(202, { command_id: 'c1', status: 'ACCEPTED' });
  const final = answer(200, { command_id: 'c1', status: 'SUCCEEDED', completed_at: '2026-01-31T09:30:00.000Z' });
  const script = () => [refused, refused, refused, refused, accepted, refused, final.clone()];
  const reboot = { vendor: 'vendor_a', device_id: 'd', command_type: 'reboot', payload: {} };
  await fakeClient(script(), byDefault).client.commands.createAndWait(reboot);
  expect(warn.mock.calls.map(([message]) => message)).toEqual([
    'commands.create: no answer from https://platform.test: socket: ECONNREFUSED. Is baseUrl right?',
  ]);
});

test('a client that was answered, or has a log level, does not warn of the base URL', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const refused = networkFailure('ECONNREFUSED');
  const { client } = fakeClient([answer(200, {}), refused, answer(200, {})], byDefault);
  await client.me.get();
  await client.me.get();
  await fakeClient([refused, answer(200, {})], { logLevel: 'off' }).client.me.get();
  await fakeClient([refused, answer(200, {})], { logLevel: 'error' }).client.me.get();
  expect(warn).not.toHaveBeenCalled();
});
