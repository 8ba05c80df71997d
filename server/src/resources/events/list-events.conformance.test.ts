import { PlatformEvent } from '@tenant-open-platform/contract';
import {
  type Answer,
  createTenant,
  nextMillisecond,
  signedRequest,
  type TestTenant,
} from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { completed, newCommand } from '../../../test/support/commands.js';
import { expectRefusal } from '../../../test/support/expect-refusal.js';

const EVENTS = '/api/v1/open/events';

const read = ({ reader }: TestTenant, query = '') =>
  signedRequest(reader, 'GET', query ? `${EVENTS}?${query}` : EVENTS);

const summary = ({ event_type, data }: PlatformEvent) => `${event_type} ${data.command_id}`;

/** A tenant with completed commands that were created one after the other. */
async function withCommands(count: number) {
  const tenant = await createTenant();
  const ids: string[] = [];
  for (let command = 0; command < count; command++) {
    const id = await newCommand(tenant.operator);
    await completed(tenant.reader, id);
    await nextMillisecond();
    ids.push(id);
  }
  return { tenant, ids, log: ids.flatMap((id) => [`command.accepted ${id}`, `command.completed ${id}`]) };
}

test('the log is read oldest first, page by page, and its cursor leads to new events', async () => {
  const { tenant, log } = await withCommands(3);
  const seen: string[] = [];
  let cursor = '';
  for (;;) {
    const { status, body } = await read(tenant, `limit=2${cursor && `&cursor=${cursor}`}`);
    expect([status, typeof body.next_cursor]).toEqual([200, 'string']);
    for (const { cursor: _, ...event } of body.items) expect(PlatformEvent.parse(event)).toEqual(event);
    seen.push(...body.items.map(summary));
    cursor = body.next_cursor;
    if (body.items.length === 0) break;
  }
  expect(seen).toEqual(log);

  const id = await newCommand(tenant.operator);
  await completed(tenant.reader, id);
  const { body } = await read(tenant, `cursor=${cursor}`);
  expect(body.items.map(summary)).toEqual([`command.accepted ${id}`, `command.completed ${id}`]);
});

test('an empty log has a cursor to start from', async () => {
  const tenant = await createTenant();
  const { body } = await read(tenant);
  expect(body.items).toEqual([]);
  const id = await newCommand(tenant.operator);
  const next: Answer = await read(tenant, `cursor=${body.next_cursor}&wait_seconds=30&limit=1`);
  expect(next.body.items.map(summary)).toEqual([`command.accepted ${id}`]);
});

test('a waiting request is answered by the next event, or without one at the end of the wait', async () => {
  const { tenant } = await withCommands(1);
  const { next_cursor } = (await read(tenant)).body;
  const startedAt = performance.now();
  const idle = (await read(tenant, `cursor=${next_cursor}&wait_seconds=1`)).body;
  expect(performance.now() - startedAt).toBeGreaterThan(990);
  expect([idle.items, idle.next_cursor]).toEqual([[], next_cursor]);

  const waiting = read(tenant, `cursor=${next_cursor}&wait_seconds=30`);
  const id = await newCommand(tenant.operator, { device_id: 'offline-1' });
  expect((await waiting).body.items.map(summary)).toEqual([`command.accepted ${id}`]);
});

test('a waiting request with a filter is answered only by an event that matches', async () => {
  const { tenant } = await withCommands(1);
  const filter = 'event_type=command.completed';
  const { next_cursor } = (await read(tenant, filter)).body;
  const waiting = read(tenant, `${filter}&cursor=${next_cursor}&wait_seconds=30`);
  const id = await newCommand(tenant.operator);
  expect((await waiting).body.items.map(summary)).toEqual([`command.completed ${id}`]);
});

test('each filter leaves out events that do not match', async () => {
  const { tenant, ids } = await withCommands(2);
  const [first, second] = ids;
  const found = async (query: string) => (await read(tenant, query)).body.items.map(summary);
  expect(await found('event_type=command.accepted')).toEqual(ids.map((id) => `command.accepted ${id}`));
  expect(await found(`command_id=${first}`)).toEqual([`command.accepted ${first}`, `command.completed ${first}`]);
  expect(await found(`command_id=${second}&event_type=command.completed`)).toEqual([`command.completed ${second}`]);
});

test('a hundred waiting requests of a tenant are all answered by the next event', async () => {
  const tenant = await createTenant();
  const { next_cursor } = (await read(tenant)).body;
  const waiting = Array.from({ length: 100 }, () => read(tenant, `cursor=${next_cursor}&wait_seconds=30&limit=1`));
  const id = await newCommand(tenant.operator);
  for (const { body } of await Promise.all(waiting))
    expect(body.items.map(summary)).toEqual([`command.accepted ${id}`]);
});

test('from=now returns no events, and its cursor leads only to later ones', async () => {
  const { tenant } = await withCommands(1);
  const now = (await read(tenant, 'from=now&wait_seconds=30')).body;
  expect([now.items, typeof now.next_cursor]).toEqual([[], 'string']);
  const id = await newCommand(tenant.operator);
  const next = (await read(tenant, `cursor=${now.next_cursor}&wait_seconds=30&limit=1`)).body;
  expect(next.items.map(summary)).toEqual([`command.accepted ${id}`]);
});

test('an instant starts with the first event that was logged then or later', async () => {
  const { tenant, log } = await withCommands(3);
  const { items } = (await read(tenant)).body;
  const instant = items[2].occurred_at;
  const found = (await read(tenant, `from=${instant}`)).body.items.map(summary);
  expect(found).toEqual(log.slice(2));
  expect((await read(tenant, 'from=2000-01-01T00:00:00Z')).body.items.map(summary)).toEqual(log);
  expect((await read(tenant, 'from=2999-01-01T00:00:00Z')).body.items).toEqual([]);
});

test('newest first shows the same log from its end, page by page', async () => {
  const { tenant, log } = await withCommands(3);
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await read(tenant, `order=desc&limit=2&wait_seconds=30${cursor && `&cursor=${cursor}`}`);
    if (body.items.length === 0) break;
    seen.push(...body.items.map(summary));
    cursor = body.next_cursor;
  }
  expect(seen).toEqual(log.toReversed());
});

test('events are filtered by the time at which they occurred, in both orders', async () => {
  const { tenant, log } = await withCommands(3);
  const { items } = (await read(tenant)).body;
  const [after, before] = [items[1].occurred_at, items[4].occurred_at];
  const expected = log.filter((_, index) => items[index].occurred_at >= after && items[index].occurred_at < before);
  const found = async (query: string) => (await read(tenant, query)).body.items.map(summary);
  const range = `occurred_after=${after}&occurred_before=${before}`;
  expect(await found(range)).toEqual(expected);
  expect(await found(`${range}&order=desc`)).toEqual(expected.toReversed());
});

test('an event that occurred before occurred_after is left out, although it is logged later', async () => {
  const { tenant } = await withCommands(3);
  const { items } = (await read(tenant)).body;
  for (const { occurred_at } of items) {
    const after = new Date(Date.parse(occurred_at) + 1).toISOString();
    const later = items.filter((item: PlatformEvent) => item.occurred_at >= after).map(summary);
    expect((await read(tenant, `occurred_after=${after}`)).body.items.map(summary)).toEqual(later);
  }
});

test('the cursor of each event leads to the events after it', async () => {
  const { tenant, log } = await withCommands(2);
  const { items } = (await read(tenant)).body;
  for (const [index, { cursor }] of items.entries()) {
    expect((await read(tenant, `cursor=${cursor}`)).body.items.map(summary)).toEqual(log.slice(index + 1));
  }
});

test.each(['from=now&order=desc', 'from=yesterday', 'order=up'])('refuses %s', async (query) => {
  const { tenant } = await withCommands(0);
  expectRefusal(await read(tenant, query), 'VALIDATION_FAILED');
});

const partsOf = (cursor: string): string[] => JSON.parse(Buffer.from(cursor, 'base64url').toString());

test('a cursor does not show how many events the platform has, and one with a plain number is refused', async () => {
  const [{ tenant }, other] = await Promise.all([withCommands(2), withCommands(1)]);
  const { items, next_cursor } = (await read(tenant)).body;
  const beginning = (await read(await createTenant())).body.next_cursor;
  for (const cursor of [...items.map((item: { cursor: string }) => item.cursor), next_cursor, beginning]) {
    expect(partsOf(cursor)).toEqual([expect.any(String), expect.stringMatching(/^[\w-]{22}$/)]);
  }
  const [binding] = partsOf(next_cursor);
  const [, position] = partsOf((await read(other.tenant)).body.next_cursor);
  for (const forged of ['1', '0', '999999', position]) {
    const cursor = Buffer.from(JSON.stringify([binding, forged])).toString('base64url');
    const answer = await read(tenant, `cursor=${cursor}`);
    expectRefusal(answer, 'INVALID_CURSOR');
    expect(answer.body.message).toMatch(/omit the cursor to start again.*`from`/);
  }
});
