import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answer, fakeClient, networkFailure, refusal } from '../../test/fake-fetch.js';

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const fails = (client: ReturnType<typeof fakeClient>['client']) => client.me.get().catch(() => {});

test('while the platform is down, a client soon sends each call only once', async () => {
  const { client, fetch } = fakeClient(Array.from({ length: 300 }, () => networkFailure('ECONNREFUSED', 'connect')));
  for (let call = 0; call < 100; call += 1) await fails(client);
  // Without a budget it would be 300.
  expect(fetch.sent.length).toBe(130);
});

test('successful calls earn the next retries', async () => {
  const down = Array.from({ length: 50 }, () => networkFailure('ECONNREFUSED', 'connect'));
  const up = Array.from({ length: 10 }, () => answer(200, {}));
  const { client, fetch } = fakeClient([...down, ...up, networkFailure('ECONNREFUSED', 'connect'), answer(200, {})]);
  for (let call = 0; call < 20; call += 1) await fails(client);
  expect(fetch.sent.length).toBe(50);
  for (let call = 0; call < 10; call += 1) await client.me.get();
  expect(await client.me.get()).toEqual({ request_id: 'r1' });
});

test('a used-up quota delays the next calls before they are refused', async () => {
  const delays: number[] = [];
  const { setTimeout: real } = globalThis;
  const { client, fetch } = fakeClient([
    answer(200, {}, { RateLimit: '"credential";r=0;t=3, "tenant";r=50;t=60' }),
    answer(200, {}),
  ]);
  await client.me.get();
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms: number) => {
    delays.push(ms);
    return real(run, ms < 10_000 ? 0 : ms);
  }) as typeof setTimeout);
  await client.me.get();
  expect(delays[0]).toBeGreaterThan(2_000);
  expect(delays[0]).toBeLessThanOrEqual(3_000);
  expect(fetch.sent).toHaveLength(2);
});

test('a quota that is used up beyond the deadline delays nothing: the platform decides', async () => {
  const { client } = fakeClient([
    refusal(429, 'RATE_LIMITED', {}, { RateLimit: '"tenant";r=0;t=3600', 'Retry-After': '3600' }),
    answer(200, { done: true }),
  ]);
  await expect(client.me.get()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect(await client.me.get()).toEqual({ request_id: 'r1', done: true });
});
