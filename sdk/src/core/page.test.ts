import { expect, test, vi } from 'vitest';
import { answer, fakeClient, networkFailure, refusal } from '../../test/fake-fetch.js';
import type { TenantOpenPlatform } from '../index.js';

const page = (items: string[], next_cursor: string | null) =>
  answer(200, { items: items.map((tenant_id) => ({ tenant_id })), next_cursor, request_id: 'r' });
const threePages = () => [page(['a', 'b'], 'c1'), page(['c', 'd'], 'c2'), page(['e'], null)];
const queries = ({ sent }: { sent: { url: string }[] }) => sent.map(({ url }) => new URL(url).search);

async function collect<T>(items: AsyncIterable<T>, max = Number.POSITIVE_INFINITY): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) if (collected.push(item) >= max) break;
  return collected;
}

test('an awaited list is its first page', async () => {
  const { client, fetch } = fakeClient(threePages());
  const { items, next_cursor } = await client.tenants.list({ limit: 2 });
  expect([items, next_cursor]).toEqual([[{ tenant_id: 'a' }, { tenant_id: 'b' }], 'c1']);
  expect(queries(fetch)).toEqual(['?limit=2']);
});

test('an iterated list returns the items of all pages, with the same filters', async () => {
  const { client, fetch } = fakeClient(threePages());
  const items = await collect(client.tenants.list({ limit: 2 }));
  expect(items.map(({ tenant_id }) => tenant_id).join('')).toBe('abcde');
  expect(queries(fetch)).toEqual(['?limit=2', '?limit=2&cursor=c1', '?limit=2&cursor=c2']);
});

test('a filter takes one value or several', async () => {
  for (const [status, query] of [
    ['FAILED', '?status=FAILED'],
    [['FAILED', 'TIMED_OUT'], '?status=FAILED%2CTIMED_OUT'],
  ] as const) {
    const { client, fetch } = fakeClient([page([], null)]);
    await client.commands.list({ status: typeof status === 'string' ? status : [...status] });
    expect(queries(fetch)).toEqual([query]);
  }
  const { client } = fakeClient([]);
  await expect(client.commands.list({ status: [] })).rejects.toThrow('status is empty: leave it out');
});

test('continues from a given cursor', async () => {
  const { client, fetch } = fakeClient(threePages().slice(1));
  await collect(client.tenants.list({ cursor: 'c1' }));
  expect(queries(fetch)).toEqual(['?cursor=c1', '?cursor=c2']);
});

test('fetches no unneeded page', async () => {
  const iterated = fakeClient(threePages());
  expect(await collect(iterated.client.tenants.list(), 2)).toHaveLength(2);
  expect(iterated.fetch.sent).toHaveLength(1);

  const collected = fakeClient(threePages());
  expect(await collected.client.tenants.list().toArray({ max: 4 })).toHaveLength(4);
  expect(collected.fetch.sent).toHaveLength(2);
});

test('toArray returns at most max items, and all without it', async () => {
  expect(await fakeClient(threePages()).client.tenants.list().toArray({ max: 3 })).toHaveLength(3);
  expect(await fakeClient(threePages()).client.tenants.list().toArray({ max: 0 })).toEqual([]);
  expect(await fakeClient(threePages()).client.tenants.list().toArray()).toHaveLength(5);
});

test('toArray rejects with the failure of the first page, even if max is 0', async () => {
  const { client } = fakeClient([refusal(403, 'FORBIDDEN')]);
  await expect(client.tenants.list().toArray({ max: 0 })).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

test('an empty page in the middle does not end the list', async () => {
  const { client } = fakeClient([page([], 'c1'), page(['a'], null)]);
  expect(await collect(client.tenants.list())).toEqual([{ tenant_id: 'a' }]);
});

test('the bare array of credentials is presented as a page', async () => {
  const { client, fetch } = fakeClient([
    answer(200, [{ client_id: 'a' }], { 'X-Next-Cursor': 'c1', 'X-Request-Id': 'r7' }),
    answer(200, [{ client_id: 'b' }], { 'X-Request-Id': 'r8' }),
  ]);
  const list = client.credentials.list('acme', { limit: 1 });
  expect(await list).toEqual({ items: [{ client_id: 'a' }], next_cursor: 'c1', request_id: 'r7' });
  expect((await list.withResponse()).data).toEqual(await list);
  expect(await list.toArray()).toEqual([{ client_id: 'a' }, { client_id: 'b' }]);
  expect(queries(fetch)).toEqual(['?limit=1', '?limit=1&cursor=c1']);
});

test('a failure of a later page reaches the loop', async () => {
  const { client } = fakeClient([page(['a'], 'c1'), refusal(400, 'INVALID_CURSOR')]);
  await expect(collect(client.tenants.list())).rejects.toMatchObject({ code: 'INVALID_CURSOR' });
});

const eventPage = (ids: string[], next_cursor: string) =>
  answer(200, { items: ids.map((event_id) => ({ event_id })), next_cursor, request_id: 'r' });

test('device requests, oldest first, end like events: with an empty page that repeats the cursor', async () => {
  const requestPage = (ids: string[], next_cursor: string | null) =>
    answer(200, { items: ids.map((device_request_id) => ({ device_request_id })), next_cursor, request_id: 'r' });
  const asc = fakeClient([requestPage(['a'], 'c1'), requestPage(['b'], 'c2'), requestPage([], 'c2')]);
  expect(await collect(asc.client.deviceRequests.list({ order: 'asc' }))).toHaveLength(2);
  expect(queries(asc.fetch)).toEqual(['?order=asc', '?order=asc&cursor=c1', '?order=asc&cursor=c2']);
  const desc = fakeClient([requestPage(['a'], 'c1'), requestPage([], null)]);
  expect(await collect(desc.client.deviceRequests.list())).toHaveLength(1);
});

test('the pages after that of from=now are asked for without it', async () => {
  const { client, fetch } = fakeClient([eventPage([], 'c1'), eventPage(['a'], 'c2'), eventPage([], 'c2')]);
  expect(await collect(client.events.list({ from: 'now' }))).toHaveLength(1);
  expect(queries(fetch)).toEqual(['?from=now', '?cursor=c1', '?cursor=c2']);
});

test('the event log, which always has a cursor, ends when there is nothing new', async () => {
  const script = () => [eventPage(['a', 'b'], 'c1'), eventPage(['c'], 'c2'), eventPage([], 'c2')];
  const { client, fetch } = fakeClient(script());
  expect(await collect(client.events.list({ limit: 2 }))).toHaveLength(3);
  expect(queries(fetch)).toEqual(['?limit=2', '?limit=2&cursor=c1', '?limit=2&cursor=c2']);
  expect(await fakeClient(script()).client.events.list().toArray()).toHaveLength(3);
});

test('the event log is followed with wait_seconds, even if nothing is new for a while', async () => {
  const { client, fetch } = fakeClient([eventPage(['a'], 'c1'), eventPage([], 'c1'), eventPage(['b'], 'c2')]);
  expect(await collect(client.events.list({ wait_seconds: 30 }), 2)).toHaveLength(2);
  expect(queries(fetch).slice(1)).toEqual(['?wait_seconds=30&cursor=c1', '?wait_seconds=30&cursor=c1']);
});

test('an iteration goes on through an outage that outlives the retries of a call, each item once', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const outage = Array.from({ length: 8 }, () => networkFailure('ECONNREFUSED', 'connect'));
  const { client, fetch } = fakeClient([
    answer(200, { items: [{ command_id: 'a' }], next_cursor: 'n', request_id: 'r' }),
    ...outage,
    answer(200, { items: [{ command_id: 'b' }], next_cursor: null, request_id: 'r' }),
  ]);
  expect(await client.commands.list().toArray()).toEqual([{ command_id: 'a' }, { command_id: 'b' }]);
  expect(fetch.sent).toHaveLength(outage.length + 2);
  vi.restoreAllMocks();
});

test('an iteration without retries ends at the first failure', async () => {
  const { client } = fakeClient([
    answer(200, { items: [{ command_id: 'a' }], next_cursor: 'n', request_id: 'r' }),
    networkFailure('ECONNREFUSED', 'connect'),
  ]);
  await expect(client.commands.list({}, { maxRetries: 0 }).toArray()).rejects.toMatchObject({
    name: 'ConnectionError',
  });
});

const anyLists: [string, (client: TenantOpenPlatform) => AsyncIterable<unknown>][] = [
  ['tenants', (client) => client.tenants.list()],
  ['a tenant export', (client) => client.tenants.export('acme')],
  ['events', (client) => client.events.list()],
  ['events that are waited for', (client) => client.events.list({ wait_seconds: 1 })],
  ['device requests, oldest first', (client) => client.deviceRequests.list({ order: 'asc' })],
];

/** The items that came before the iteration ended with this error, and how many pages were asked for. */
async function walk(list: (client: TenantOpenPlatform) => AsyncIterable<unknown>, second: Response) {
  const { client, fetch } = fakeClient([page(['a'], 'c1'), second]);
  const came: unknown[] = [];
  const walking = (async () => {
    for await (const item of list(client)) came.push(item);
  })();
  const code = await walking.then(
    () => 'complete',
    (error) => error.code,
  );
  return { code, items: came.length, pages: fetch.sent.length };
}

test.each(anyLists)(
  '%s whose next cursor is refused end with that error, after the items that came',
  async (_, list) => {
    const refused = refusal(400, 'INVALID_CURSOR');
    expect(await walk(list, refused)).toEqual({ code: 'INVALID_CURSOR', items: 1, pages: 2 });
  },
);

test.each(anyLists)('%s without a next cursor end with an error: no page is read again', async (_, list) => {
  for (const lost of [{}, { next_cursor: '' }, { next_cursor: 7 }]) {
    const second = answer(200, { items: [{ tenant_id: 'b' }], ...lost });
    expect(await walk(list, second)).toEqual({ code: 'UNEXPECTED_ANSWER', items: 2, pages: 2 });
  }
});

test.each(anyLists.slice(2))(
  '%s end with an error at a cursor that is null, which they never have',
  async (_, list) => {
    expect(await walk(list, page(['b'], null))).toEqual({ code: 'UNEXPECTED_ANSWER', items: 2, pages: 2 });
  },
);

test('a credential list whose cursor a proxy has removed ends with an error', async () => {
  const Link = '</api/v1/platform/tenants/acme/credentials?limit=1&cursor=c1>; rel="next"';
  const { client } = fakeClient([answer(200, [{ client_id: 'a' }], { Link })]);
  await expect(client.credentials.list('acme', { limit: 1 }).toArray()).rejects.toMatchObject({
    code: 'UNEXPECTED_ANSWER',
  });
});

test.each([
  ['the cursor that was sent', ['c1', 'c1']],
  ['an earlier cursor', ['c1', 'c2', 'c3', 'c1', 'c2', 'c3', 'c1', 'c2', 'c3']],
])('a list whose answers repeat %s ends with an error', async (_, cursors) => {
  for (const items of [['a'], []]) {
    const { client } = fakeClient(cursors.map((cursor) => page(items, cursor)));
    await expect(client.tenants.list().toArray()).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER' });
  }
});

test('an event log that is waited for and repeats a cursor after events ends with an error', async () => {
  const { client } = fakeClient([eventPage(['a'], 'c1'), eventPage(['b'], 'c1')]);
  await expect(client.events.list({ wait_seconds: 30 }).toArray()).rejects.toMatchObject({ code: 'UNEXPECTED_ANSWER' });
});
