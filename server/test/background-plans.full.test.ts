import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { newKeyring, startNode } from '@tenant-open-platform/testing';
import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { purgeByAge } from '../src/foundation/database/purge-by-age.js';
import { asAllTenants, asTenant } from '../src/foundation/database/row-level-security.js';
import { planSettings } from '../src/foundation/database/session-settings.js';
import { statementNames } from '../src/foundation/database/statement.js';
import { analyzeGrownTables } from '../src/foundation/database/vacuum-and-analyze.js';
import { newId } from '../src/foundation/ids.js';
import { parseKeyring } from '../src/foundation/secrets/keyring.js';
import { localSignals, type Signals } from '../src/foundation/signals/signals.js';
import { allSlots } from '../src/foundation/slots.js';
import { purgeNonces } from '../src/gateway/auth/admission.js';
import { createLastUses } from '../src/gateway/auth/last-uses.js';
import { auditEvents, idempotentAnswers } from '../src/gateway/tables.js';
import { FLEET_DURABLE, storeCommandReads } from '../src/pipeline/adapter-reads.js';
import { createWaits, readBacklog } from '../src/pipeline/backlog.js';
import type { Bus } from '../src/pipeline/bus/bus.js';
import { inProcessBus } from '../src/pipeline/bus/in-process-bus.js';
import {
  parkMessage,
  purgeParkedMessages,
  replaceParkedCopy,
  retriedMessageId,
} from '../src/pipeline/bus/parked-messages.js';
import { commandCatalog } from '../src/pipeline/catalog.js';
import { createDeviceRequestReceiver, sweepDeviceRequests } from '../src/pipeline/device-requests.js';
import { positionBefore, readEvents, republishedEvents } from '../src/pipeline/event-log.js';
import { createContinuation, tagOf } from '../src/pipeline/events.js';
import { rollUpFigures } from '../src/pipeline/figures.js';
import { createMovedCursors } from '../src/pipeline/moved-cursors.js';
import { createDispatch, republishedCommands } from '../src/pipeline/outbox/dispatch.js';
import {
  deleteRows,
  queueAsLogged,
  takeRows,
  takeRowsFrom,
  takeUnloggedRows,
} from '../src/pipeline/outbox/take-rows.js';
import { mayHaveOpenCommands } from '../src/pipeline/overdue-commands.js';
import { readPlatformState } from '../src/pipeline/platform-state.js';
import { provideNow } from '../src/pipeline/provision-durables.js';
import { purgeCommands, purgeDeviceRequests } from '../src/pipeline/purge-facts.js';
import { createCommandReporter } from '../src/pipeline/reports.js';
import { asOwner, releaseSlots, renewSlots } from '../src/pipeline/slots/slot-owner.js';
import type { OutboxRow } from '../src/pipeline/tables.js';
import { readChanges } from '../src/pipeline/wait-for.js';
import { compareWithBus } from '../src/pipeline/witness.js';
import { readMarkedCommands } from '../src/pipeline/write-transitions.js';
import { objectGrants } from '../src/resources/tables.js';
import { purgeTenants } from '../src/resources/tenants/purge-tenants.js';
import { newCommand } from './support/commands.js';
import { ID_OF_N, multiply } from './support/multiply.js';
import { openPool } from './support/open-pool.js';
import { everySlot, purgeRound, sweeperOfEverySlot } from './support/owned-slots.js';
import { type Explained, indexesRead, rowsRead, startExplainedPostgres, wholeTablesRead } from './support/plans.js';
import { silent } from './support/silent.js';

/** Waiting work in every table, and a connection whose plans were made while the tables were empty. */
const ROWS = 200_000;
/** The backlog metrics count up to 10,000 rows and 10,000 events. No other statement reads more. */
const ROWS_READ = 21_000;

const readerOfEvents = newId();
const postgres = await startExplainedPostgres();
const server = await startNode({
  DATABASE_URL: postgres.url,
  ROLE: 'api',
});
const { demo } = server;
const samples = await createSamples(server.baseUrl);
await server.stop();
const database = openPool(postgres.url, { max: 1, connection: planSettings });
for (let round = 0; round < 6; round++) await work();
await fill(samples);

/** One row of each table, which is then multiplied. Its id says when: a random one may look old enough to be purged. */
async function createSamples(node: string): Promise<string> {
  const id = await newCommand(demo, { timeout_seconds: 300 }, node);
  const { owner } = postgres;
  const { tenant_id } = demo;
  await owner`
    insert into device_requests (
      tenant_id, device_request_id, vendor, device_id, request_type, payload, dedupe_id, status, received_at, expires_at
    )
    values (${tenant_id}, ${newId()}, 'vendor_a', 'd-1', 'ask', '{}', 'd', 'PENDING', now(), now() + interval '1 day')`;
  await owner`
    insert into events (tenant_id, command_id, event_type, event_id)
    values (${tenant_id}, ${id}, 'command.accepted', ${newId()})`;
  // Its events are published.
  await owner`
    insert into bus_principals (
      tenant_id, principal_id, bus_user, bus_account_public_key, bus_user_public_key, principal_type, status
    )
    values (${tenant_id}, ${readerOfEvents}, 'u', 'a', 'k', 'CLIENT', 'ACTIVE')`;
  await owner`
    insert into audit_events (tenant_id, audit_event_id, client_id, operation, target, changes, outcome, request_id)
    values (${tenant_id}, ${newId()}, 'c', 'tenants.update', 't', '{}', 'DONE', 'r')`;
  await owner`
    insert into command_figures (tenant_id, hour, reason, is_other, vendor, status, minute, total, classes, numbers)
    values (${tenant_id}, now(), '', false, 'vendor_a', 'FAILED', 1, 1, '{1}', '{1}')`;
  await owner`insert into parked_messages (parked_message_id, subject, reason, body) values (${newId()}, 's', 'r', '')`;
  await owner`
    insert into object_grants (tenant_id, presign_id, resource_id, operation, key, client_id, request_id, expires_at)
    values (${tenant_id}, ${newId()}, ${newId()}, 'DOWNLOAD', 'k', 'c', 'r', now())`;
  await owner`
    insert into idempotent_answers (tenant_id, answer_id, client_id, operation, idempotency_key)
    values (${tenant_id}, ${newId()}, 'c', 'tenants.create', 'k')`;
  return id;
}

async function fill(id: string): Promise<void> {
  const { owner } = postgres;
  const isSample = `command_id = '${id}'`;
  // All are overdue, with deadlines within the last 15 minutes.
  const overdue = { deadline_at: "now() - n * interval '4 milliseconds'", status: "'DISPATCHED'" };
  await multiply(owner, 'commands', ROWS, { command_id: ID_OF_N, idempotency_key: "'k-' || n", ...overdue }, isSample);
  await multiply(owner, 'events', ROWS, { command_id: ID_OF_N, event_id: ID_OF_N }, isSample);
  await multiply(owner, 'bus_principals', ROWS, { principal_id: ID_OF_N, principal_type: "'SERVICE'" });
  await multiply(owner, 'outbox', ROWS, { fact_id: ID_OF_N });
  const ago = "now() - interval '500 days'";
  await multiply(owner, 'device_requests', ROWS, {
    device_request_id: ID_OF_N,
    dedupe_id: "'d-' || n",
    expires_at: 'now()',
  });
  await multiply(owner, 'audit_events', ROWS, { audit_event_id: ID_OF_N, occurred_at: ago });
  await multiply(owner, 'parked_messages', ROWS, { parked_message_id: ID_OF_N, parked_at: ago });
  await multiply(owner, 'object_grants', ROWS, { presign_id: ID_OF_N, granted_at: ago });
  await multiply(owner, 'idempotent_answers', ROWS, { answer_id: ID_OF_N, idempotency_key: "'k-' || n" });
  await multiply(owner, 'credentials', ROWS, { client_id: "'c-' || n" });
  await multiply(owner, 'command_figures', ROWS, { hour: "now() - n * interval '1 minute'", minute: '1' });
  await multiply(owner, 'nonces', ROWS, { nonce_hash: "decode(md5(n::text), 'hex')", expires_at: ago });
}

const large = [
  'credentials',
  'commands',
  'events',
  'bus_principals',
  'outbox',
  'device_requests',
  'audit_events',
  'parked_messages',
  'object_grants',
  'idempotent_answers',
  'command_figures',
  'nonces',
];

/** One round of every background task. */
async function work(): Promise<void> {
  await workOfPipeline();
  const lastUses = createLastUses(database);
  const used = { tenant_id: demo.tenant_id, version: 1, used_at: new Date() };
  for (const client_id of [demo.client_id, 'c-1', 'c-2']) lastUses.note({ ...used, client_id });
  await lastUses.store(0);
  for (const purge of [
    purgeNonces(),
    purgeByAge({ id: objectGrants.presignId, keptDays: 90 }),
    purgeCommands(100),
    purgeDeviceRequests(100),
    purgeByAge({ id: auditEvents.auditEventId, keptDays: 100 }),
    purgeByAge({ id: idempotentAnswers.answerId, keptDays: 1 }),
  ]) {
    await purgeRound(database, purge);
  }
  await purgeTenant();
}

/** Each statement of the pipeline. The first row stays in the outbox, as the sample of the others. */
async function workOfPipeline(): Promise<void> {
  const signals = localSignals();
  await relayOnce(signals);
  await createWaits(database).refresh();
  await readBacklog(database);
  await readPlatformState(database, signals);
  await purgeRound(database, rollUpFigures());
  await readEvents(
    database,
    allSlots.map((slot) => ({ slot, seq: '0' })),
    256,
  );
  const keyring = { ...parseKeyring(newKeyring(), 'the test'), cursorKey: Buffer.alloc(32) };
  const { tenant_id: tenantId } = demo;
  await createMovedCursors(keyring)('x'.repeat(22), {
    tenantId,
    asTenant: (work) => asAllTenants(database, work),
  });
  await asAllTenants(database, (tx) => positionBefore(tx, '2026-01-01T00:00:00Z', demo.tenant_id));
  const range = { since: '2026-01-01T00:00:00Z', until: new Date().toISOString(), tenantId: demo.tenant_id };
  for (const pages of [republishedCommands, republishedEvents]) await pages(database, range).next();
  await readChanges(database, [`events ${demo.tenant_id}`, `device-requests ${demo.tenant_id}`]);
  const options = { ...silent(), database, signals, bus: inProcessBus(), intervalMs: 500, thoroughEveryMs: 0 };
  const sweep = sweeperOfEverySlot(options);
  for (let round = 0; round < 3; round++) await sweep();
  await mayHaveOpenCommands(database, silent().now());
  // Nothing was due then, so the sweep stores its mark.
  expect(await sweeperOfEverySlot({ ...options, now: () => '2026-01-01T00:00:00Z' })()).toBe(0);
  const reads = new Map([`${demo.tenant_id}+vendor_a`, FLEET_DURABLE].map((durable) => [durable, new Date()]));
  await storeCommandReads(everySlot(database).transaction, { commandReads: async () => reads });
  await receiveDeviceRequest(signals);
  await sweepDeviceRequests(everySlot(database).transaction, signals, silent().now);
  // Another reason each time: an unchanged one is not stored.
  const refuse: Bus['provide'] = async (durables) => durables.map((durable) => ({ durable, reason: newId() }));
  const principal = { tenantId: demo.tenant_id, principalId: readerOfEvents };
  expect(await provideNow(database, { provide: refuse }, principal)).toContain('NATS refuses the durable');
  await commandCatalog(database).read([{ vendor: 'vendor_a', command_type: 'reboot' }]);
  await park();
}

/** What the bus and a cursor know of a history that this database has never had. */
async function learnOfRestore(): Promise<void> {
  await database.generations.look();
  const known = { id: database.generations.current().id, shared_until: 5 };
  const lost = newId();
  const witness = { id: lost, number: 9, generations: [{ id: lost, shared_until: null }, known] };
  const bus = { witness: { read: async () => JSON.stringify(witness), write: async () => {} } };
  await compareWithBus({ ...silent(), database, bus })();
  await createContinuation(database)({ generation: tagOf(lost), seq: '8'.repeat(18) });
}

async function relayOnce(signals: Signals): Promise<void> {
  const { owned, isWhole } = await renewSlots(database, { worker: 'test', canPublish: true, known: [] });
  if (!isWhole) throw new Error('Another node relays.');
  const leftOut = { inFlight: ['0'], paused: ['paused'], slots: allSlots };
  const report = createCommandReporter(database, signals, silent().metrics);
  let last: OutboxRow | undefined;
  await asOwner(database, 'test', owned, async (tx) => {
    const { rows } = await takeRows(tx, { after: '', ...leftOut });
    const position = String(Number(rows[0]?.position) - 1);
    await takeRowsFrom(tx, new Map([[demo.tenant_id, position]]), leftOut);
    await createDispatch({ ...silent(), signals }).prepare(tx, rows);
    last = rows.slice(1).at(-1);
    await deleteRows(tx, rows.slice(1));
    const unlogged = await takeUnloggedRows(tx, '', allSlots);
    await queueAsLogged(tx, unlogged.rows.slice(1));
  });
  await releaseSlots(database, 'test', owned);
  if (!last) return;
  const { tenant_id: tenantId, fact_id: command_id } = last;
  for (const device_execution_status of ['SUCCEEDED', 'FAILED'] as const) {
    const update = { command_id, device_execution_status };
    await report({ tenantId, vendor: 'vendor_a', sentAt: new Date(), update });
  }
  // As a report of a command that is not dispatched yet.
  await asAllTenants(database, (tx) => readMarkedCommands(tx, [{ tenant_id: tenantId, command_id }]));
}

/** The request of the samples again. */
async function receiveDeviceRequest(signals: Signals): Promise<void> {
  const message = { device_id: 'd-1', request_type: 'ask', payload: {}, dedupe_id: 'd' };
  const received = { tenantId: demo.tenant_id, vendor: 'vendor_a', ageMs: 0, message };
  expect(await createDeviceRequestReceiver(database, signals)(received)).toMatch(/RECEIVED|REPEATED/);
}

async function park(): Promise<void> {
  const message = { subject: 'tenants.demo.command-updates.vendor_a', body: Buffer.from('{}') };
  await asAllTenants(database, (tx) => parkMessage(tx, message, 'Not valid.'));
  const again = { id: '', messageId: retriedMessageId(newId()), ...message, attempt: 1, waitingBehind: 0 };
  const delivery = { ...again, sentAt: new Date(), age: async () => 0 };
  await replaceParkedCopy(database, delivery, { reason: 'Not valid.' });
  await replaceParkedCopy(database, delivery, null);
  // With 3,650 days nothing is expired, so it looks for tenants beyond their limit.
  for (const keptDays of [30, 3_650]) await purgeRound(database, purgeParkedMessages(keptDays));
}

/** One round of each step of the deletion of a tenant. */
async function purgeTenant(): Promise<void> {
  const { owner } = postgres;
  const purge = () => purgeTenants(everySlot(database), inProcessBus(), silent().now);
  for (let step = 0, table: string | undefined = ''; table !== undefined; step++) {
    const work = { step, after: null, rows_in_pass: 1, transaction: '1', since: new Date(0).toISOString() };
    const deletion = JSON.stringify({ requested_at: '', rows_deleted: 0, finished_at: null, work });
    await owner`
      insert into tenants (tenant_id, name, status, deletion) values ('former', 'Former', 'DELETING', ${deletion}::text::jsonb)
      on conflict (tenant_id) do update set deletion = excluded.deletion`;
    await owner`
      insert into credentials (
        tenant_id, client_id, name, status, allowed_clock_skew_seconds, replay_window_seconds, secret_version,
        secret_sealed
      )
      values ('former', 'former', 'Former', 'ACTIVE', 300, 300, 1, '') on conflict do nothing`;
    ({ table } = await purge());
  }
}

async function costly() {
  const plans = await postgres.plansOf(work);
  expect(plans.length).toBeGreaterThan(30);
  return plans
    .map((plan) => ({
      query: nameIn(plan) ?? plan['Query Text'].replace(/\s+/g, ' ').slice(-600),
      wholeTables: wholeTablesRead(plan, large),
      indexes: indexesRead(plan),
      rows: rowsRead(plan),
    }))
    .filter(({ wholeTables, rows }) => wholeTables.length > 0 || rows > ROWS_READ);
}

test('a round of background work reads a bounded number of waiting rows, in tables that were never analyzed', async () => {
  expect(await costly()).toEqual([]);
});

/** Names that the statements of the pipeline have when Postgres gets them. */
const nameIn = ({ 'Query Text': query }: Explained) => /^\/\* (.+?) \*\//.exec(query)?.[1];
/** The builder quotes each name. Postgres itself checks foreign keys. */
const isBuilt = ({ 'Query Text': query }: Explained) => /^(select|insert|update|delete)[^"]+"|FROM ONLY/.test(query);

/** Functions of the database name the schema. */
const isInFunction = ({ 'Query Text': query }: Explained) => /\b(public\.|pg_advisory_xact_lock)/.test(query);

test('each statement of the pipeline is among them, and each has a name', async () => {
  const pipeline = join(import.meta.dirname, '../src/pipeline');
  for (const file of readdirSync(pipeline, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.ts') && !file.endsWith('.test.ts')) await import(join(pipeline, file));
  }
  const plans = await postgres.plansOf(workOfPipeline);
  const rarePlans = await postgres.plansOf(learnOfRestore);
  expect([...new Set([...plans, ...rarePlans].map(nameIn))].filter((name) => name !== undefined).toSorted()).toEqual(
    [...statementNames].toSorted(),
  );
  const others = plans.filter((plan) => !nameIn(plan) && !isBuilt(plan) && !isInFunction(plan));
  expect(others.map((plan) => plan['Query Text'])).toEqual([]);
  expect(plans.some((plan) => plan['Query Text'].includes('insert into public.events'))).toBe(true);
});

test('also with statistics', async () => {
  await postgres.owner`analyze`;
  expect(await costly()).toEqual([]);
});

/** Queues: they grow, are emptied, and are vacuumed while they are nearly empty. */
const queues = ['outbox', 'nonces', 'parked_messages'];

test('also with statistics from a time when the queues were nearly empty', async () => {
  const { owner } = postgres;
  // As vacuum leaves them: many pages with one row in all of them.
  await owner`update pg_class set reltuples = 1 where relname in ${owner(queues)}`;
  expect(await costly()).toEqual([]);
});

test('tables that have grown since they were nearly empty are analyzed, each once', async () => {
  const { owner } = postgres;
  await owner`update pg_class set reltuples = 1 where relname in ${owner(large)}`;
  expect(await analyzeGrownTables(owner)).toEqual(large.toSorted());
  expect(await analyzeGrownTables(owner)).toEqual([]);
  expect(await costly()).toEqual([]);
});

const prepared = async () => Number((await database.sql`select count(*) from pg_prepared_statements`)[0]?.count);

test('further rounds prepare no further statements: Postgres keeps each one as long as its connection', async () => {
  await work();
  const before = await prepared();
  expect(before).toBeGreaterThan(30);
  await work();
  expect(await prepared()).toBe(before);
});

test('of the statements of tenants, whose texts are many, 200 are prepared', async () => {
  const before = await prepared();
  await asTenant(database, 'platform', async (tx) => {
    for (let text = 0; text < 500; text++) await tx.execute(sql`select ${'x'}::text, ${sql.raw(`${text}`)}`);
  });
  const added = (await prepared()) - before;
  expect(added).toBeGreaterThan(100);
  expect(added).toBeLessThanOrEqual(200);
});
