import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answer, fakeClient, networkFailure, refusal, type Step, silence } from '../../test/fake-fetch.js';

const page = (ids: string[], next_cursor: string | null) =>
  answer(200, { items: ids.map((id) => ({ event_id: id, cursor: `c-${id}` })), next_cursor, request_id: 'r' });
const queries = ({ sent }: { sent: { url: string }[] }) => sent.map(({ url }) => new URL(url).search);

async function take<T>(items: AsyncIterable<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  for await (const item of items) if (taken.push(item) === count) break;
  return taken;
}

beforeEach(() => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

test.each([
  ['now', 'wait_seconds=30&from=now'],
  ['beginning', 'wait_seconds=30'],
  [new Date('2026-01-31T09:30:00Z'), 'wait_seconds=30&from=2026-01-31T09%3A30%3A00.000Z'],
  ['c-saved', 'wait_seconds=30&cursor=c-saved'],
])('events are followed from %s', async (from, query) => {
  const { client, fetch } = fakeClient([page(['a', 'b'], 'c-b'), page(['c'], 'c-c')]);
  const events = await take(client.events.follow({ from }), 3);
  expect(events.map(({ event_id, cursor }) => [event_id, cursor])).toEqual([
    ['a', 'c-a'],
    ['b', 'c-b'],
    ['c', 'c-c'],
  ]);
  expect(queries(fetch)).toEqual([`?${query}`, '?wait_seconds=30&cursor=c-b']);
});

test('device requests are followed from the oldest PENDING one, and from the cursor of the last one', async () => {
  const { client, fetch } = fakeClient([page([], null), page(['a'], null), page(['b'], null)]);
  await take(client.deviceRequests.follow({ vendor: 'vendor_a' }), 2);
  const filters = '?vendor=vendor_a&status=PENDING&order=asc&wait_seconds=30';
  expect(queries(fetch)).toEqual([filters, filters, `${filters}&cursor=c-a`]);
});

const outage = (): Step[] => [
  networkFailure('ECONNREFUSED', 'connect'),
  networkFailure('ECONNRESET'),
  new Response('<h1>Bad Gateway</h1>', { status: 502 }),
  refusal(503, 'SERVICE_UNAVAILABLE'),
  refusal(429, 'RATE_LIMITED'),
];

test('continues through an outage with the same cursor', async () => {
  const steps = [...outage(), ...outage(), page(['a'], 'c-a'), ...outage(), ...outage(), page(['b'], 'c-b')];
  const { client, fetch } = fakeClient(steps);
  const events = await take(client.events.follow({ from: 'now' }), 2);
  expect(events.map(({ event_id }) => event_id)).toEqual(['a', 'b']);
  expect(queries(fetch).slice(-11)).toEqual(Array(11).fill('?wait_seconds=30&cursor=c-a'));
});

test.each([
  [403, 'FORBIDDEN'],
  [400, 'INVALID_CURSOR'],
])('a refusal ends it: %i %s', async (status, code) => {
  const { client } = fakeClient([page(['a'], 'c-a'), refusal(status, code)]);
  await expect(take(client.events.follow({ from: 'now' }), 2)).rejects.toMatchObject({ code });
});

test('an abort ends it with the reason of the signal', async () => {
  const stopping = new AbortController();
  const { client } = fakeClient([page(['a'], 'c-a'), silence]);
  const events = client.events.follow({ from: 'now', signal: stopping.signal });
  await events.next();
  const next = events.next();
  stopping.abort('done');
  await expect(next).rejects.toBe('done');
});

test('an abort ends it within a page', async () => {
  const stopping = new AbortController();
  const { client } = fakeClient([page(['a', 'b', 'c'], 'c-c')]);
  const events = client.events.follow({ from: 'now', signal: stopping.signal });
  await events.next();
  stopping.abort('done');
  await expect(events.next()).rejects.toBe('done');
});

test('an empty cursor is refused: it does not mean the beginning', async () => {
  const { client, fetch } = fakeClient([]);
  await expect(client.events.follow({ from: '' }).next()).rejects.toMatchObject({ name: 'InvalidArgumentError' });
  expect(fetch.sent).toEqual([]);
});

/** The delays between requests. Delays of up to 10 seconds pass at once. */
function watchDelays(): number[] {
  const delays: number[] = [];
  const { setTimeout: real } = globalThis;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms: number) => {
    if (ms > 0 && ms <= 10_000) delays.push(ms);
    return real(run, ms <= 10_000 ? 0 : ms);
  }) as typeof setTimeout);
  return delays;
}

test('a platform that does not wait is not polled in a hot loop', async () => {
  const stopping = new AbortController();
  const stop: Step = () => {
    stopping.abort('done');
    return new Promise(() => {});
  };
  const { client } = fakeClient([...Array.from({ length: 6 }, () => page([], 'c')), stop]);
  const delays = watchDelays();
  vi.spyOn(performance, 'now').mockReturnValue(0);
  await expect(client.events.follow({ from: 'now', signal: stopping.signal }).next()).rejects.toBe('done');
  expect(delays).toEqual([1000, 1000, 1000, 1000, 1000]);
});

test('a Retry-After of a maintenance page pauses it for 30 seconds and not for an hour', async () => {
  const { client, fetch } = fakeClient([refusal(503, 'LATER', {}, { 'Retry-After': '99999999' })]);
  const timers = vi.spyOn(globalThis, 'setTimeout');
  const stopping = new AbortController();
  const next = client.events.follow({ from: 'now', signal: stopping.signal }).next();
  await expect.poll(() => timers.mock.calls.map(([, ms]) => ms)).toContain(30_000);
  stopping.abort('done');
  await expect(next).rejects.toBe('done');
  expect(fetch.sent).toHaveLength(1);
});

test('a page with items whose cursor does not advance ends it with an error', async () => {
  const { client } = fakeClient([page(['a'], 'c-a'), page(['b'], 'c-a')]);
  await expect(take(client.events.follow({ from: 'now' }), 9)).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER' });
});
