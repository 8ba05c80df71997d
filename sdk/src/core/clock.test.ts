import { afterEach, expect, test, vi } from 'vitest';
import { answer, fakeClient, refusal, type Step } from '../../test/fake-fetch.js';
import { Clock } from './clock.js';

const SKEW_S = 300;

afterEach(() => {
  vi.useRealTimers();
});

/** Answers like a server whose clock is `aheadS` seconds ahead of the local one. */
const serverAhead =
  (aheadS: number): Step =>
  async ({ headers }) => {
    const serverNowS = Date.now() / 1000 + aheadS;
    const isFresh = Math.abs(Number(headers['X-Api-Timestamp']) - serverNowS) <= SKEW_S;
    const metadata = { server_time: new Date(serverNowS * 1000).toISOString(), allowed_clock_skew_seconds: SKEW_S };
    return isFresh ? answer(200, { done: true }) : refusal(401, 'CLOCK_SKEW', { metadata });
  };

test.each([3600, -3600])(
  'a clock that is wrong by %i seconds is corrected once, for all later calls',
  async (aheadS) => {
    const { client, fetch } = fakeClient(Array(4).fill(serverAhead(aheadS)), { maxRetries: 0 });
    for (let call = 0; call < 3; call += 1) expect(await client.me.get()).toEqual({ request_id: 'r1', done: true });
    expect(fetch.sent).toHaveLength(4);
  },
);

test('a request without effect may be retried for every operation', async () => {
  const { client } = fakeClient(Array(2).fill(serverAhead(3600)));
  expect(await client.tenants.create({ tenant_id: 'a', name: 'A' })).toEqual({ request_id: 'r1', done: true });
});

test('parallel calls with a wrong clock all succeed, each with one more request', async () => {
  const { client, fetch } = fakeClient(Array(101).fill(serverAhead(7200)));
  await Promise.all(Array.from({ length: 50 }, () => client.me.get()));
  expect(fetch.sent).toHaveLength(100);
  await client.me.get();
  expect(fetch.sent).toHaveLength(101);
});

test('a refusal that arrives after the correction does not undo it', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = serverAhead(7200);
  const late: Step = async (sent, init) => {
    const reply = typeof server === 'function' ? await server(sent, init) : server;
    await held;
    return reply as Response;
  };
  const { client, fetch } = fakeClient([late, ...Array(4).fill(server)]);
  const first = client.me.get();
  await client.me.get();
  release();
  expect(await first).toEqual({ request_id: 'r1', done: true });
  await client.me.get();
  expect(fetch.sent).toHaveLength(5);
});

test('a clock that is set right later is corrected again', async () => {
  let aheadS = 3600;
  const server: Step = (sent, init) => (serverAhead(aheadS) as Exclude<Step, Error | Response>)(sent, init);
  const { client, fetch } = fakeClient(Array(4).fill(server));
  await client.me.get();
  aheadS = 0;
  expect(await client.me.get()).toEqual({ request_id: 'r1', done: true });
  expect(fetch.sent).toHaveLength(4);
});

test('a server that also refuses the corrected time is not asked a third time', async () => {
  const metadata = { server_time: '2020-01-01T00:00:00.000Z' };
  const { client, fetch } = fakeClient([1, 2].map(() => refusal(401, 'CLOCK_SKEW', { metadata })));
  await expect(client.me.get()).rejects.toMatchObject({ code: 'CLOCK_SKEW', attempts: 2 });
  expect(fetch.sent).toHaveLength(2);
});

test('a refusal without a server time is passed to the caller', async () => {
  const { client, fetch } = fakeClient([refusal(401, 'CLOCK_SKEW')]);
  await expect(client.me.get()).rejects.toMatchObject({ code: 'CLOCK_SKEW' });
  expect(fetch.sent).toHaveLength(1);
});

test('assumes the server time to be in the middle of sending and receiving', () => {
  vi.useFakeTimers({ now: 1_000_000 });
  const clock = new Clock();
  const signed = clock.read();
  vi.advanceTimersByTime(10_000);
  clock.correct(signed, 5_000_000);
  expect(clock.read().atMs).toBe(5_005_000);
});
