import { atEnd, signedRequest } from '@tenant-open-platform/testing';
import type postgres from 'postgres';
import { expect, test, vi } from 'vitest';
import { completed, newCommand } from '../../../test/support/commands.js';
import { newPrincipal, registerEventReader } from '../../../test/support/new-principal.js';
import { openSession } from '../../../test/support/open-pool.js';
import { startPrivatePlatform } from '../../../test/support/private-platform.js';
import { startTenantAdapter } from '../../../test/support/start-tenant-adapter.js';

const soon = { timeout: 60_000, interval: 50 };

const platform = await startPrivatePlatform();
const { admin, client } = platform;
const target = '/api/v1/platform/tenants/demo/bus/principals';
expect((await signedRequest(admin, 'POST', target, { body: newPrincipal() })).status).toBe(201);
await registerEventReader(admin);
const adapter = startTenantAdapter(client, 'demo', 'vendor_a');

atEnd(adapter.stop);

const send = (fields: object = {}) => newCommand(platform.demo, { timeout_seconds: 300, ...fields });

const expectSuccess = async (id: string) => expect((await completed(platform.demo, id)).status).toBe('SUCCEEDED');

const asSystem = <Row extends object>(work: (tx: postgres.TransactionSql) => Promise<Row[]>) =>
  platform.database.sql.begin(async (tx) => {
    await tx`set local role top_system`;
    return work(tx);
  });

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${platform.server().baseUrl}/metrics`)).text();
  const line = text.split('\n').find((line) => line.startsWith(`${name} `));
  if (line === undefined) throw new Error(`There is no metric ${name}.`);
  return Number(line.split(' ').at(-1));
}

const expectNoBacklog = async () => {
  expect([await metric('top_outbox_unpublished'), await metric('top_outbox_oldest_unpublished_seconds')]).toEqual([
    0, 0,
  ]);
  expect([await metric('top_events_unpublished'), await metric('top_events_oldest_unpublished_seconds')]).toEqual([
    0, 0,
  ]);
};

type Parked = { subject: string; reason: string; body: Buffer };

const parked = () =>
  asSystem((tx) => tx<Parked[]>`select subject, reason, body from parked_messages order by parked_at`);

test('the metrics report how much waits to be published, and how long it has waited', async () => {
  await expectSuccess(await send());
  await vi.waitFor(expectNoBacklog, soon);
  await platform.nats.suspend();
  const ids = [await send(), await send(), await send()];
  await vi.waitFor(async () => expect(await metric('top_outbox_unpublished')).toBe(3), soon);
  await vi.waitFor(async () => expect(await metric('top_events_unpublished')).toBe(3), soon);
  const superuser = openSession(platform.postgres.superuserUrl);
  await superuser`update outbox set created_at = now() - interval '1 hour' where fact_id = ${ids[0] as string}`;
  await superuser`update events set logged_at = now() - interval '2 hours' where command_id = ${ids[0] as string}`;
  await superuser.end();
  // Readings of the backlog are cached for a moment.
  await vi.waitFor(async () => {
    expect(await metric('top_outbox_oldest_unpublished_seconds')).toBeGreaterThanOrEqual(3600);
    expect(await metric('top_events_oldest_unpublished_seconds')).toBeGreaterThanOrEqual(7200);
  }, soon);
  await platform.nats.resume();
  for (const id of ids) await expectSuccess(id);
  await vi.waitFor(expectNoBacklog, soon);
});

test('messages that the bus did not accept are published again, and counted', async () => {
  const repeated = () => metric('top_bus_publish_failures_total{outcome="REPEATED"}').catch(() => 0);
  const before = await repeated();
  // Every minute the platform recreates missing streams, perhaps before it publishes.
  const refusedOnce = async () => {
    await platform.streams.delete('TOP_EVENTS');
    await expectSuccess(await send());
    await vi.waitFor(async () => expect(await repeated()).toBeGreaterThan(before), { timeout: 10_000, interval: 50 });
  };
  await vi.waitFor(refusedOnce, { timeout: 90_000, interval: 50 });
  await vi.waitFor(expectNoBacklog, soon);
});

test('a scrape is answered while Postgres is down, without the values that it then cannot read', async () => {
  await platform.postgres.suspend();
  // Readings of the backlog are cached for a moment.
  await vi.waitFor(async () => {
    const answer = await fetch(`${platform.server().baseUrl}/metrics`);
    expect([answer.status, await answer.text()]).toEqual([
      200,
      expect.stringMatching(/^top_outbox_unpublished nan$/im),
    ]);
  }, soon);
  await platform.postgres.resume();
  await vi.waitFor(expectNoBacklog, soon);
});

const LARGE = { command_type: 'update_firmware', payload: { version: `1.0.${'1'.repeat(20_000)}` } };

test.each([
  [
    'than the stream keeps',
    () => platform.streams.update('TOP_COMMANDS', { max_msg_size: 8_192 }),
    () => platform.streams.update('TOP_COMMANDS', { max_msg_size: -1 }),
    'message size exceeds maximum allowed',
  ],
  [
    'than nats-server carries',
    () => platform.nats.reconfigure('max_payload: 8192'),
    () => platform.nats.reconfigure(''),
    'max_payload size exceeded',
  ],
])(
  'a command larger %s is parked and ends FAILED with the reason, and the commands behind it are sent',
  async (_, narrow, widen, reason) => {
    await narrow();
    const before = await parked();
    const large = await send(LARGE);
    const small = [await send(), await send()];
    for (const id of small) await expectSuccess(id);
    await vi.waitFor(expectNoBacklog, soon);
    const [message, ...others] = (await parked()).slice(before.length);
    expect(others).toEqual([]);
    expect(message?.subject).toBe('tenants.demo.commands.vendor_a');
    expect(message?.reason).toContain(reason);
    expect(message?.body.toString('utf8')).toContain(large);
    expect(adapter.received).not.toContain(large);
    const refused = () => metric('top_bus_publish_failures_total{outcome="PARKED"}');
    await vi.waitFor(async () => expect(await refused()).toBe(before.length + 1), soon);

    await widen();

    expect(await completed(platform.demo, large)).toMatchObject({
      status: 'FAILED',
      adapter_status: 'FAILED',
      device_execution_status: 'NOT_STARTED',
      status_reason: { code: 'BUS_REFUSED', message: expect.stringContaining(reason) },
    });
    const events = `/api/v1/open/events?command_id=${large}`;
    const { items } = (await signedRequest(platform.demo, 'GET', events)).body;
    expect(items.map(({ event_type }: { event_type: string }) => event_type)).toEqual([
      'command.accepted',
      'command.completed',
    ]);
  },
);
