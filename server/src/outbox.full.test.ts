import { createAccount, createUser } from '@nats-io/nkeys';
import { signedRequest } from '@tenant-open-platform/testing';
import type postgres from 'postgres';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { COMMANDS, newCommand } from '../test/commands.js';
import { type PrivatePlatform, startPrivatePlatform } from '../test/private-platform.js';
import { startTenantAdapter } from '../test/start-tenant-adapter.js';

const soon = { timeout: 30_000, interval: 50 };

let platform: PrivatePlatform;
let adapter: ReturnType<typeof startTenantAdapter>;

beforeAll(async () => {
  platform = await startPrivatePlatform();
  const { admin, client } = platform;
  const body = {
    bus_user: 'demo-adapter',
    bus_account_public_key: createAccount().getPublicKey(),
    bus_user_public_key: createUser().getPublicKey(),
    principal_type: 'SERVICE',
  };
  const target = '/api/v1/platform/tenants/demo/bus/principals';
  expect((await signedRequest(admin, 'POST', target, { body })).status).toBe(201);
  adapter = startTenantAdapter(client, 'demo', 'vendor_a');
});

afterAll(async () => {
  await adapter?.stop();
  await platform?.stop();
});

const send = (fields: object = {}) => newCommand(platform.demo, { timeout_seconds: 300, ...fields });

async function expectSuccess(id: string): Promise<void> {
  const { body } = await signedRequest(platform.demo, 'GET', `${COMMANDS}/${id}?wait_seconds=30`);
  expect(body.status).toBe('SUCCEEDED');
}

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

const expectNoBacklog = async () =>
  expect([await metric('top_outbox_unpublished'), await metric('top_outbox_oldest_unpublished_seconds')]).toEqual([
    0, 0,
  ]);

type Parked = { subject: string; reason: string; body: Buffer };

const parked = () =>
  asSystem((tx) => tx<Parked[]>`select subject, reason, body from parked_messages order by parked_at`);

test('the metrics tell how much waits to be published, and for how long', async () => {
  await expectSuccess(await send());
  await vi.waitFor(expectNoBacklog, soon);
  await platform.nats.suspend();
  const ids = [await send(), await send(), await send()];
  expect(await metric('top_outbox_unpublished')).toBe(3);
  await asSystem(
    (tx) => tx`update outbox set created_at = now() - interval '1 hour' where fact_id = ${ids[0] as string}`,
  );
  expect(await metric('top_outbox_oldest_unpublished_seconds')).toBeGreaterThanOrEqual(3600);
  await platform.nats.resume();
  for (const id of ids) await expectSuccess(id);
  await vi.waitFor(expectNoBacklog, soon);
});

test('what the bus did not take is published again, and counted', async () => {
  const repeated = () => metric('top_bus_publish_failures_total{outcome="REPEATED"}').catch(() => 0);
  const before = await repeated();
  await platform.streams.delete('TOP_EVENTS');
  await expectSuccess(await send());
  await vi.waitFor(expectNoBacklog, soon);
  expect(await repeated()).toBeGreaterThan(before);
});

test('a scrape is answered while Postgres is away, without what is not known then', async () => {
  await platform.postgres.suspend();
  const answer = await fetch(`${platform.server().baseUrl}/metrics`);
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringMatching(/^top_outbox_unpublished nan$/im)]);
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
])('a message larger %s is parked with its reason, and those behind it are sent', async (_, narrow, widen, reason) => {
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
  expect(await metric('top_bus_publish_failures_total{outcome="PARKED"}')).toBe(before.length + 1);

  await widen();
  // It is under way for the platform: as soon as the bus can take it an operator sends it again.
  const { stdout } = await platform.run('outbox', 'republish', '--since', new Date(Date.now() - 60_000).toISOString());
  expect(stdout).toMatch(/^Republished .* messages\.\n$/);
  await expectSuccess(large);
});

test('a row that was published 7 days ago, and a message parked 30 days ago, are deleted; younger ones stay', async () => {
  const ids: string[] = [];
  for (const _ of Array(5)) ids.push(await send());
  for (const id of ids) await expectSuccess(id);
  await vi.waitFor(expectNoBacklog, soon);
  const [old, young, ...rest] = ids as [string, string];
  await asSystem((tx) => tx`update outbox set published_at = now() - interval '8 days' where fact_id = ${old}`);
  await asSystem((tx) => tx`update outbox set published_at = now() - interval '6 days' where fact_id = ${young}`);
  await asSystem(
    (tx) => tx`
      insert into parked_messages (parked_message_id, parked_at, subject, reason, body)
      select gen_random_uuid(), now() - make_interval(days => days), 'retention', days::text, ''
      from unnest(array[29, 31, 90]) as days`,
  );
  const left = async () => {
    const rows = await asSystem(
      (tx) => tx<{ fact_id: string }[]>`select fact_id from outbox where fact_id in ${tx(ids)} order by tx`,
    );
    return {
      outbox: [...new Set(rows.map(({ fact_id }) => fact_id))],
      parked: (await parked()).flatMap(({ subject, reason }) => (subject === 'retention' ? reason : [])),
    };
  };
  expect((await left()).outbox).toHaveLength(5);
  await platform.restart();
  await vi.waitFor(async () => expect(await left()).toEqual({ outbox: [young, ...rest], parked: ['29'] }), soon);
});
