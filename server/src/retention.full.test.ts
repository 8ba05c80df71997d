import { signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { COMMANDS, newCommand } from '../test/support/commands.js';
import { startIdlePlatform } from '../test/support/idle-platform.js';
import { ID_OF_N, multiply } from '../test/support/multiply.js';
import { openPool, openSession } from '../test/support/open-pool.js';
import { purgeRound } from '../test/support/owned-slots.js';
import { type Purge, purgeByAge } from './foundation/database/purge-by-age.js';
import { newId } from './foundation/ids.js';
import { auditEvents, idempotentAnswers } from './gateway/tables.js';
import { purgeParkedMessages } from './pipeline/bus/parked-messages.js';
import { purgeCommands, purgeDeviceRequests } from './pipeline/purge-facts.js';

/** More than two batches. Their ids are of 2026-01-01. */
const OLD = 2_500;
/** This many days ago is after that day. */
const KEPT_DAYS = 100;

const idle = await startIdlePlatform();
const owner = openSession(idle.superuserUrl);
const database = openPool(idle.databaseUrl);

/** One pass over the table. Returns how many rows it deleted, and checks that no statement deleted many. */
async function pass(purge: Purge): Promise<number> {
  let total = 0;
  for (;;) {
    const { removed, hasMore } = await purgeRound(database, purge);
    expect(removed).toBeLessThanOrEqual(1_000);
    total += removed;
    if (!hasMore) return total;
  }
}

const ended = { status: "'SUCCEEDED'", completed_at: 'now()' };
const publishAll = () => owner`update slots set published_seq = (select coalesce(max(seq), 0) from events)`;

/** Old ended commands, each with its two events. */
async function insertOldCommands(): Promise<void> {
  const sample = await newCommand(idle.demo, {}, idle.demo.base_url);
  await multiply(owner, 'commands', OLD, { command_id: ID_OF_N, idempotency_key: "'old-' || n", ...ended });
  await owner`
    insert into events (tenant_id, command_id, event_type, event_id)
    select tenant_id, command_id, type, gen_random_uuid()
    from commands, unnest(array['command.accepted', 'command.completed']::event_type[]) as type
    where command_id <> ${sample} order by command_id, type`;
}

const read = async (target: string) =>
  (await signedRequest(idle.demo, 'GET', target, { node: idle.demo.base_url })).body;
const readEvents = (query: string) => read(`/api/v1/open/events?${query}`);

test('ended commands are deleted with their events; young, open and unpublished commands stay', async () => {
  await insertOldCommands();
  const cursor = (await readEvents('limit=7')).next_cursor;
  const key = 'old-1';
  const body = { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {}, idempotency_key: key };
  const create = () => signedRequest(idle.demo, 'POST', COMMANDS, { body, node: idle.demo.base_url });
  const before = await create();
  expect(before.headers['idempotent-replayed']).toBe('true');

  expect(await pass(purgeCommands(KEPT_DAYS))).toBe(0);
  await publishAll();
  expect(await pass(purgeCommands(3_650))).toBe(0);
  await owner`update commands set completed_at = null, status = 'DISPATCHED' where idempotency_key = 'old-2'`;
  expect(await pass(purgeCommands(KEPT_DAYS))).toBe(OLD - 1);

  const kept = await owner<{ events: number; key: string }[]>`
    select idempotency_key like 'old-%' as is_old, status,
      (select count(*)::int from events where events.command_id = commands.command_id) as events
    from commands order by command_id`;
  expect(kept).toEqual([
    { is_old: true, status: 'DISPATCHED', events: 2 },
    { is_old: false, status: 'ACCEPTED', events: 0 },
  ]);

  // A reader whose cursor points to a deleted event continues with the next existing one.
  const { items, next_cursor } = await readEvents(`cursor=${cursor}`);
  expect(items).toHaveLength(2);
  expect((await readEvents(`cursor=${next_cursor}`)).items).toEqual([]);

  const after = await create();
  expect([after.status, after.headers['idempotent-replayed']]).toEqual([202, undefined]);
  expect(after.body.command_id).not.toBe(before.body.command_id);
  expect((await read(`${COMMANDS}/${before.body.command_id}`)).code).toBe('NOT_FOUND');
});

test('device requests are deleted once they were replied to or have expired', async () => {
  await owner`
    insert into device_requests (
      tenant_id, device_request_id, vendor, device_id, request_type, payload, dedupe_id, status, received_at, expires_at
    )
    select ${idle.demo.tenant_id}, gen_random_uuid(), 'vendor_a', 'd-1', 'ask', '{}', 'sample', 'EXPIRED', now(), now()`;
  await owner`update device_requests set device_request_id = ${firstOfNow()}`;
  await multiply(owner, 'device_requests', OLD, {
    device_request_id: ID_OF_N,
    dedupe_id: "'old-' || n",
    status: "case n when 1 then 'PENDING' else 'EXPIRED' end",
  });
  expect(await pass(purgeDeviceRequests(KEPT_DAYS))).toBe(OLD - 1);
  const kept = await owner`select status from device_requests order by device_request_id`;
  expect(kept).toEqual([{ status: 'PENDING' }, { status: 'EXPIRED' }]);
});

test('old entries of the audit log are deleted in every tenant', async () => {
  const body = { tenant_id: 'audited', name: 'Audited' };
  await signedRequest(idle.admin, 'POST', '/api/v1/platform/tenants', { body, node: idle.admin.base_url });
  const countAll = () => owner<{ entries: number }[]>`select count(*)::int as entries from audit_events`;
  const before = await countAll();
  for (const tenant of ['demo', 'platform']) {
    await multiply(owner, 'audit_events', OLD, {
      tenant_id: `'${tenant}'`,
      audit_event_id: ID_OF_N,
      occurred_at: "'2026-01-01'",
    });
  }
  expect(await pass(purgeByAge({ id: auditEvents.auditEventId, keptDays: KEPT_DAYS }))).toBe(2 * OLD);
  expect(await countAll()).toEqual(before);
  expect(before[0]?.entries).toBeGreaterThan(0);
});

/** The answers of idempotency keys: their keys are how many hours ago they were stored. */
async function storeAnswers(...hours: number[]): Promise<void> {
  await owner`delete from idempotent_answers`;
  for (const hoursAgo of hours) {
    await owner`
      insert into idempotent_answers (tenant_id, answer_id, client_id, operation, idempotency_key)
      values ('demo', ${newId(Date.now() - hoursAgo * 3_600_000)}, 'c', 'credentials.create', ${hoursAgo})`;
  }
}
const keptAnswers = () => owner`select idempotency_key from idempotent_answers`;

test('answers of idempotency keys are deleted after 24 hours', async () => {
  await storeAnswers(23, 25, 90);
  expect(await pass(purgeByAge({ id: idempotentAnswers.answerId, keptDays: 1 }))).toBe(2);
  expect(await keptAnswers()).toEqual([{ idempotency_key: '23' }]);
});

test('messages parked long ago are deleted, and younger ones stay', async () => {
  await owner`
    insert into parked_messages (parked_message_id, parked_at, subject, reason, body)
    select gen_random_uuid(), now() - make_interval(days => days), '', days::text, ''
    from unnest(array[29, 31, 90]) as days`;
  expect(await pass(purgeParkedMessages(30))).toBe(2);
  expect(await owner`select reason from parked_messages`).toEqual([{ reason: '29' }]);
});

test('a tenant keeps its newest 10,000 parked messages, and other tenants keep theirs', async () => {
  await owner`delete from parked_messages`;
  await park('platform', 5, 1);
  await park('demo', 12_500, 1);
  expect(await pass(purgeParkedMessages(30))).toBe(2_500);
  expect(await keptOf('demo')).toEqual({ messages: 10_000, oldest: 10_000 });
  expect(await keptOf('platform')).toEqual({ messages: 5, oldest: 5 });
  expect(await pass(purgeParkedMessages(30))).toBe(0);
});

test('a tenant keeps its newest 64 MiB of parked messages', async () => {
  await owner`delete from parked_messages`;
  await park('demo', 2_400, 65_536);
  const purge = purgeParkedMessages(30);
  expect(await pass(purge)).toBe(2_400 - 1_024);
  expect(await keptOf('demo')).toEqual({ messages: 1_024, oldest: 1_024 });
  expect(await pass(purge)).toBe(0);
});

/** Its reason is the place of a message: 1 for the newest. */
const park = (tenantId: string, count: number, bytes: number) => owner`
  insert into parked_messages (tenant_id, parked_message_id, subject, reason, body)
  select ${tenantId}, ${owner.unsafe(ID_OF_N)}, '', n::text, decode(repeat('00', ${bytes}::int), 'hex')
  from generate_series(1, ${count}::int) as n`;

async function keptOf(tenantId: string) {
  const [kept] = await owner`
    select count(*)::int as messages, max(reason::int) as oldest from parked_messages where tenant_id = ${tenantId}`;
  return kept;
}

test('a worker deletes expired rows as configured, and counts them', async () => {
  await owner`delete from events`;
  await owner`delete from commands`;
  await insertOldCommands();
  await publishAll();
  await storeAnswers(23, 25);
  const worker = await idle.startBeside({ ROLE: 'worker', COMMAND_RETENTION_DAYS: String(KEPT_DAYS) });
  try {
    const removed = async () => {
      const metrics = await (await fetch(`${worker.baseUrl}/metrics`)).text();
      return /^top_rows_removed_total\{table="commands"\} (\d+)$/m.exec(metrics)?.[1];
    };
    await expect.poll(removed, { timeout: 60_000, interval: 200 }).toBe(String(OLD));
    await expect.poll(keptAnswers, { timeout: 60_000, interval: 200 }).toEqual([{ idempotency_key: '23' }]);
  } finally {
    await worker.stop();
  }
});

/** An id of the current time. */
const firstOfNow = () => `${Date.now().toString(16).padStart(12, '0')}700080000000000000000`.slice(0, 32);
