import { randomUUID } from 'node:crypto';
import { PlatformEvent } from '@tenant-open-platform/contract';
import { CommandMessage, DeviceReplyMessage, subjects } from '@tenant-open-platform/contract/bus';
import { type Answer, signedRequest } from '@tenant-open-platform/testing';
import { pino } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { z } from 'zod';
import { COMMANDS, newCommand } from '../../../test/support/commands.js';
import { newPrincipal, registerEventReader } from '../../../test/support/new-principal.js';
import { openSession } from '../../../test/support/open-pool.js';
import { startPrivatePlatform } from '../../../test/support/private-platform.js';
import { silent } from '../../../test/support/silent.js';
import { startTenantAdapter } from '../../../test/support/start-tenant-adapter.js';
import { storedWork } from '../../../test/support/stored.js';
import { untilServed } from '../../../test/support/until-served.js';
import type { StreamName } from '../bus/bus.js';
import { natsBus } from '../bus/nats-bus.js';
import { republishedEvents } from '../event-log.js';
import { type RepublishedPages, republish } from './republish.js';

vi.setConfig({ testTimeout: 180_000 });

const soon = { timeout: 60_000, interval: 50 };
const LONG = { timeout_seconds: 300 };
const demo = 'demo';
/** A republish reads pages of this many messages. */
const PAGE = 256;

const platform = await startPrivatePlatform();
const startedAt = new Date(Date.now() - 60_000).toISOString();
await administer('POST', `/api/v1/platform/tenants/${demo}/bus/principals`, newPrincipal());
await registerEventReader(platform.admin);

async function administer(method: string, target: string, body: object): Promise<Answer['body']> {
  const answer = await untilServed(() => signedRequest(platform.admin, method, target, { body }));
  if (answer.status >= 300) throw new Error(`${method} ${target} answered ${answer.status}: ${answer.raw}`);
  return answer.body;
}

function adapter(tenantId = demo) {
  const started = startTenantAdapter(platform.client, tenantId, 'vendor_a');
  onTestFinished(() => started.stop());
  return started;
}

const send = (fields: object = LONG) => newCommand(platform.demo, fields);

const sendMany = (count: number, fields: object = LONG): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, () => send(fields)));

async function read(path: string): Promise<Answer['body']> {
  const { status, body, raw } = await untilServed(() => signedRequest(platform.demo, 'GET', path));
  expect(status, raw).toBe(200);
  return body;
}

const statusOf = async (id: string): Promise<string> => (await read(`${COMMANDS}/${id}`)).status;

/** The final status of the command. */
async function endOf(id: string): Promise<string> {
  for (;;) {
    const { completed_at, status } = await read(`${COMMANDS}/${id}?wait_seconds=30`);
    if (completed_at !== null) return status;
  }
}

async function expectSuccess(ids: string[]): Promise<void> {
  expect(new Set(await Promise.all(ids.map(endOf)))).toEqual(new Set(['SUCCEEDED']));
}

/** The ids of the tenant's whole event log. */
async function loggedIds(): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const { items, next_cursor } = await read(`/api/v1/open/events?limit=500${cursor}`);
    if (items.length === 0) return ids;
    ids.push(...items.map(({ event_id }: Answer['body']) => event_id));
    cursor = `&cursor=${next_cursor}`;
  }
}

/** All messages of a stream, oldest first. Each matches its schema exactly. */
async function held<Schema extends z.ZodType>(stream: StreamName, schema: Schema): Promise<z.infer<Schema>[]> {
  const { messages } = (await platform.streams.info(stream)).state;
  if (messages === 0) return [];
  const held: z.infer<Schema>[] = [];
  const consumer = await platform.client.consumers.get(stream);
  for await (const message of await consumer.fetch({ max_messages: messages, expires: 30_000 })) {
    const body = message.json();
    expect(schema.parse(body)).toEqual(body);
    held.push(body as z.infer<Schema>);
  }
  expect(held).toHaveLength(messages);
  return held;
}

/** Sent-Again of all messages of a stream; '' without it. */
async function heldHeaders(stream: StreamName): Promise<string[]> {
  const { messages } = (await platform.streams.info(stream)).state;
  const found: string[] = [];
  const consumer = await platform.client.consumers.get(stream);
  for await (const { headers } of await consumer.fetch({ max_messages: messages, expires: 30_000 })) {
    found.push(headers?.get('Sent-Again') ?? '');
  }
  return found;
}

const heldEventIds = async () =>
  (await held('TOP_EVENTS', PlatformEvent)).flatMap(({ tenant_id, event_id }) => (tenant_id === demo ? event_id : []));
const heldCommandIds = async () => (await held('TOP_COMMANDS', CommandMessage)).map(({ command_id }) => command_id);

/** The stream has each event of the log once, and no other. */
async function expectStreamIsLog(): Promise<void> {
  // First what costs little: the rest reads everything.
  expect(await storedWork(platform.postgres.url)).toMatchObject({ outbox: 0, unpublished_events: 0 });
  expect((await heldEventIds()).sort()).toEqual((await loggedIds()).sort());
}

/** From now on the relay publishes none of these commands again. */
const untilOnBus = (ids: string[]) =>
  vi.waitFor(async () => {
    expect((await storedWork(platform.postgres.url)).outbox).toBe(0);
    expect(await heldCommandIds()).toEqual(expect.arrayContaining(ids));
  }, soon);

async function runRepublish(...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await platform.run('outbox', 'republish', ...args);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^Republished [0-9]+ messages\.\n$/);
  return stdout.trimEnd();
}

test('a deleted stream of events has the same ids again after a republish, while commands go on', async () => {
  adapter();
  await expectSuccess(await sendMany(PAGE / 2 + 10));
  await vi.waitFor(expectStreamIsLog, soon);
  const before = await heldEventIds();
  expect(before.length).toBeGreaterThan(PAGE);

  let isOver = false;
  const meanwhile: string[] = [];
  const traffic = (async () => {
    while (!isOver) meanwhile.push(await send());
  })();
  await platform.streams.delete('TOP_EVENTS');
  await vi.waitFor(
    async () => expect((await platform.streams.info('TOP_EVENTS')).state.messages).toBeGreaterThan(0),
    soon,
  );
  expect(await heldEventIds()).not.toEqual(expect.arrayContaining(before));
  await runRepublish('--since', startedAt);
  const again = new Set(before);
  expect((await heldEventIds()).filter((id) => again.has(id))).toEqual(before);
  isOver = true;
  await traffic;

  expect(meanwhile.length).toBeGreaterThan(0);
  await expectSuccess(meanwhile);
  await vi.waitFor(expectStreamIsLog, soon);
});

test('a deleted stream of commands: open commands are sent again in order, and ended ones are not', async () => {
  const first = adapter();
  await expectSuccess(await sendMany(20));
  await first.stop();
  const overdue = await sendMany(3, { timeout_seconds: 20 });
  const underWay: string[] = [];
  while (underWay.length < 30) underWay.push(await send());
  await untilOnBus(underWay);
  // Not all: on a slow machine the relay publishes a command again.
  expect(await heldHeaders('TOP_COMMANDS')).toContain('');
  for (const id of overdue) expect(await endOf(id)).toBe('TIMED_OUT');

  await platform.streams.delete('TOP_COMMANDS');
  await runRepublish('--since', startedAt);
  expect(await heldCommandIds()).toEqual(underWay);
  // NATS counts their delivery as the first one: the header tells that an adapter may have begun them.
  expect(new Set(await heldHeaders('TOP_COMMANDS'))).toEqual(new Set(['true']));

  const second = adapter();
  await expectSuccess(underWay);
  // An adapter that is silent for six seconds gets a command again.
  expect([...new Set(second.received)]).toEqual(underWay);
  await expectSuccess(await sendMany(5));
});

test('a command past its deadline is not sent again, even if the sweeper has not ended it yet', async () => {
  const overdue = await send({ timeout_seconds: 20 });
  const underWay = await send();
  await untilOnBus([overdue, underWay]);
  await platform.database.sql.begin(async (tx) => {
    await tx`set local role top_system`;
    // The sweeper skips locked rows.
    await tx`select from commands where tenant_id = ${demo} and command_id = ${overdue} for no key update`;
    const isOverdue = async () => {
      const [row] = await tx`
        select clock_timestamp() > deadline_at as is_overdue from commands
        where tenant_id = ${demo} and command_id = ${overdue}`;
      return row?.is_overdue;
    };
    await expect.poll(isOverdue, soon).toBe(true);
    await platform.streams.delete('TOP_COMMANDS');
    await runRepublish('--since', startedAt);
    expect([await statusOf(overdue), await heldCommandIds()]).toEqual(['DISPATCHED', [underWay]]);
  });
  adapter();
  await expectSuccess([underWay]);
  expect(await endOf(overdue)).toBe('TIMED_OUT');
});

test('republishing within ten minutes to intact streams changes nothing', async () => {
  const reader = adapter();
  const since = new Date().toISOString();
  await expectSuccess(await sendMany(5));
  await vi.waitFor(expectStreamIsLog, soon);
  const sequences = () =>
    Promise.all(
      (['TOP_EVENTS', 'TOP_COMMANDS'] as const).map(
        async (stream) => (await platform.streams.info(stream)).state.last_seq,
      ),
    );
  const before = await sequences();
  const received = () => new Set(reader.received).size;
  const receivedBefore = received();
  const said = await runRepublish('--since', since);
  expect(Number(/Republished ([0-9]+) messages/.exec(said)?.[1])).toBeGreaterThanOrEqual(10);
  expect([await sequences(), received()]).toEqual([before, receivedBefore]);
});

test('--tenant republishes only messages of that tenant', async () => {
  adapter();
  const tenantId = `tenant-${randomUUID().slice(0, 8)}`;
  await administer('POST', '/api/v1/platform/tenants', { tenant_id: tenantId, name: 'Other' });
  const base = `/api/v1/platform/tenants/${tenantId}`;
  const { secret, client_id } = await administer('POST', `${base}/credentials`, { client_id: tenantId, name: 'Other' });
  await administer('POST', `${base}/role-bindings`, { client_id, role: 'integration_operator' });
  await registerEventReader(platform.admin, tenantId);
  const operator = { ...platform.demo, tenant_id: tenantId, client_id, secret };
  const commandId = await newCommand(operator, LONG);
  await expectSuccess(await sendMany(1));
  await vi.waitFor(expectStreamIsLog, soon);

  await platform.streams.delete('TOP_EVENTS');
  expect(await runRepublish('--since', startedAt, '--tenant', tenantId)).toBe('Republished 2 messages.');
  const found = await held('TOP_EVENTS', PlatformEvent);
  expect(found.map(({ tenant_id, data }) => [tenant_id, data.command_id])).toEqual([[tenantId, commandId]]);
  await runRepublish('--since', startedAt);
});

test('--since leaves out events that were published before; all commands under way are published', async () => {
  adapter();
  await expectSuccess(await sendMany(3));
  await vi.waitFor(expectStreamIsLog, soon);
  const since = new Date().toISOString();
  await expectSuccess(await sendMany(4));
  await vi.waitFor(expectStreamIsLog, soon);
  const [underWay] = await openSession(platform.postgres.superuserUrl)`
    select count(*)::int from commands where status = 'DISPATCHED' and deadline_at > now()`;
  expect(await runRepublish('--since', since)).toBe(`Republished ${8 + underWay?.count} messages.`);
});

test('replies are published again, except those whose device no longer waits', async () => {
  await administer('PUT', `/api/v1/platform/tenants/${demo}/roles/replier`, { scopes: ['open:device-request:create'] });
  const binding = { client_id: platform.demo.client_id, role: 'replier' };
  await administer('POST', `/api/v1/platform/tenants/${demo}/role-bindings`, binding);
  const reply = async () => {
    const dedupe_id = randomUUID();
    const asked = { device_id: dedupe_id, request_type: 'help', payload: {}, dedupe_id };
    await platform.client.publish(subjects.deviceRequest(demo, 'vendor_a'), JSON.stringify(asked), {
      msgID: dedupe_id,
    });
    const { items } = await read(`/api/v1/open/device-requests?device_id=${dedupe_id}&wait_seconds=30`);
    const id: string = items[0].device_request_id;
    const body = { outcome: 'SUCCESS', payload: { version: '1' } };
    const path = `/api/v1/open/device-requests/${id}/reply`;
    expect((await signedRequest(platform.demo, 'POST', path, { body })).status).toBe(200);
    return id;
  };
  const [gone, waiting] = [await reply(), await reply()];
  const heldIds = async () => (await held('TOP_REPLIES', DeviceReplyMessage)).map((held) => held.device_request_id);
  await vi.waitFor(async () => expect(await heldIds()).toEqual([gone, waiting]), soon);
  await platform.database.sql.begin(async (tx) => {
    await tx`set local role top_system`;
    await tx`update device_requests set expires_at = now() where device_request_id = ${gone}`;
  });

  await platform.streams.delete('TOP_REPLIES');
  await runRepublish('--since', startedAt);
  expect(await heldIds()).toEqual([waiting]);
});

test.each([
  ['an unknown tenant', ['--since', '2026-01-31T09:30:00Z', '--tenant', 'nobody'], 'there is no tenant nobody'],
  ['an instant in the future', ['--since', '2999-01-31T09:30:00Z'], '--since lies in the future'],
])('refuses %s in one line', async (_, args, problem) => {
  const { exitCode, stdout, stderr } = await platform.run('outbox', 'republish', ...args);
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^outbox republish: .*\n$/);
  expect(stderr).toContain(problem);
});

test('if NATS goes away meanwhile, reports the progress and how to continue', async () => {
  const { database, nats } = platform;
  const bus = await natsBus({ url: nats.url }, pino({ level: 'silent' }));
  onTestFinished(() => bus.close());
  const publisher = { ...silent(), database, bus };
  const goAway = (pages: RepublishedPages): RepublishedPages =>
    async function* untilNatsGoes(of, range) {
      let count = 0;
      for await (const page of pages(of, range)) {
        if (count++ === 1) await nats.suspend();
        yield page;
      }
    };
  const range = { since: startedAt, until: new Date().toISOString() };
  const failed = republish(publisher, range, [goAway(republishedEvents)]).then(() => 'done', String);
  const said = /^StartupError: .* after 256 messages: continue with --since (\S+Z)\. Reason: .+$/.exec(await failed);
  await nats.resume();
  await vi.waitFor(() => expect(bus.unreadyReason()).toBeNull(), soon);
  const { messages: all } = await vi.waitFor(() => republish(publisher, range, [republishedEvents]), soon);
  const { messages: rest } = await republish(publisher, { ...range, since: said?.[1] ?? '' });
  // Events logged at the same instant as the last republished one are published again.
  expect(rest).toBeGreaterThanOrEqual(all - PAGE);
  expect(rest).toBeLessThan(all);
});

test('the events of all pages are published again in the order of the log', async () => {
  await vi.waitFor(expectStreamIsLog, soon);
  const inOrder = await platform.database.sql.begin(async (tx) => {
    await tx`set local role top_system`;
    return tx<{ event_id: string }[]>`select event_id from events where tenant_id = ${demo} order by seq`;
  });
  expect(inOrder.length).toBeGreaterThan(PAGE);
  await platform.streams.delete('TOP_EVENTS');
  await runRepublish('--since', startedAt);
  expect(await heldEventIds()).toEqual(inOrder.map(({ event_id }) => event_id));
});

test('if all streams are deleted while it serves, it recreates them and the adapters’ durables, and carries commands', async () => {
  const reader = adapter();
  await expectSuccess([await send()]);
  for (const stream of ['TOP_COMMANDS', 'TOP_REPLIES', 'TOP_UPDATES', 'TOP_EVENTS'])
    await platform.streams.delete(stream);
  const id = await send();
  await expectSuccess([id]);
  expect(reader.received).toContain(id);
});
