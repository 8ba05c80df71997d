import { PlatformEvent } from '@tenant-open-platform/contract';
import { type Answer, createTenant, signedRequest, type TestTenant } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { completed, newCommand } from '../../../test/commands.js';

const EVENTS = '/api/v1/open/events';

const read = ({ reader }: TestTenant, query = '') =>
  signedRequest(reader, 'GET', query ? `${EVENTS}?${query}` : EVENTS);

const summary = ({ event_type, data }: PlatformEvent) => `${event_type} ${data.command_id}`;

/** A tenant with commands that came one after the other and are completed. */
async function withCommands(count: number) {
  const tenant = await createTenant();
  const ids: string[] = [];
  for (let command = 0; command < count; command++) {
    const id = await newCommand(tenant.operator);
    await completed(tenant.reader, id);
    ids.push(id);
  }
  return { tenant, ids, log: ids.flatMap((id) => [`command.accepted ${id}`, `command.completed ${id}`]) };
}

test('the log is read oldest first, page by page, and its cursor leads on when something new comes', async () => {
  const { tenant, log } = await withCommands(3);
  const seen: string[] = [];
  let cursor = '';
  for (;;) {
    const { status, body } = await read(tenant, `limit=2${cursor && `&cursor=${cursor}`}`);
    expect([status, typeof body.next_cursor]).toEqual([200, 'string']);
    for (const event of body.items) expect(PlatformEvent.parse(event)).toEqual(event);
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

test('an empty log has a cursor to begin with', async () => {
  const tenant = await createTenant();
  const { body } = await read(tenant);
  expect(body.items).toEqual([]);
  const id = await newCommand(tenant.operator);
  const next: Answer = await read(tenant, `cursor=${body.next_cursor}&wait_seconds=30&limit=1`);
  expect(next.body.items.map(summary)).toEqual([`command.accepted ${id}`]);
});

test('a request that waits is answered by the next event, and after the wait with none', async () => {
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

test('a waiting request that filters is answered by an event that fits alone', async () => {
  const { tenant } = await withCommands(1);
  const filter = 'event_type=command.completed';
  const { next_cursor } = (await read(tenant, filter)).body;
  const waiting = read(tenant, `${filter}&cursor=${next_cursor}&wait_seconds=30`);
  const id = await newCommand(tenant.operator);
  expect((await waiting).body.items.map(summary)).toEqual([`command.completed ${id}`]);
});

test('each filter leaves out what it does not name', async () => {
  const { tenant, ids } = await withCommands(2);
  const [first, second] = ids;
  const found = async (query: string) => (await read(tenant, query)).body.items.map(summary);
  expect(await found('event_type=command.accepted')).toEqual(ids.map((id) => `command.accepted ${id}`));
  expect(await found(`command_id=${first}`)).toEqual([`command.accepted ${first}`, `command.completed ${first}`]);
  expect(await found(`command_id=${second}&event_type=command.completed`)).toEqual([`command.completed ${second}`]);
});

test('a hundred requests of a tenant wait at a node for what comes; one more is refused, and asks without waiting', async () => {
  const tenant = await createTenant();
  const waiting = Array.from({ length: 101 }, () => read(tenant, 'wait_seconds=30&limit=1'));
  const first = await Promise.race(waiting);
  expect([first.status, first.body.code, first.headers['retry-after']]).toEqual([429, 'RATE_LIMITED', '1']);
  expect((await read(tenant)).status).toBe(200);
  await newCommand(tenant.operator);
  const answers = await Promise.all(waiting);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
});
