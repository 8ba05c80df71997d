import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { durables, subjects } from '@tenant-open-platform/contract/bus';
import { type Answer, type Profile, signedRequest } from '@tenant-open-platform/testing';
import { postgresBinaries } from '@tenant-open-platform/testing/private-postgres';
import { getTableName } from 'drizzle-orm';
import type postgres from 'postgres';
import { describe, expect, test, vi } from 'vitest';
import { newCommand } from '../../../test/support/commands.js';
import { startIdlePlatform } from '../../../test/support/idle-platform.js';
import { isAccepted, startLoad } from '../../../test/support/load.js';
import { ID_OF_N, multiply } from '../../../test/support/multiply.js';
import { newObjectCredential, newObjectResource } from '../../../test/support/new-object.js';
import { newPrincipal } from '../../../test/support/new-principal.js';
import { openPool, openSession } from '../../../test/support/open-pool.js';
import { everySlot } from '../../../test/support/owned-slots.js';
import { startPrivatePlatform } from '../../../test/support/private-platform.js';
import { silent } from '../../../test/support/silent.js';
import { untilServed } from '../../../test/support/until-served.js';
import { inProcessBus } from '../../pipeline/bus/in-process-bus.js';
import { purgeTenants } from './purge-tenants.js';
import { tenantTables } from './tenant-tables.js';

const COMMANDS = 100_000;
/** The relay publishes them meanwhile. */
const EVENTS = 5_000;
const TENANT = 'initech';
const TARGET = `/api/v1/platform/tenants/${TENANT}`;

/** A part of every name, key and payload of the tenant. */
const MARKER = 'zq7marker';

let operator: Profile;
let principalId: string;

const platform = await startPrivatePlatform();
const owner = openSession(platform.postgres.superuserUrl, { max: 2 });

async function call(caller: Profile, method: string, target: string, body?: object): Promise<Answer['body']> {
  const headers = { 'Idempotency-Key': randomUUID() };
  const answer = await untilServed(() =>
    signedRequest(caller, method, target, { node: platform.server().baseUrl, headers, ...(body && { body }) }),
  );
  if (answer.status >= 300) throw new Error(`${method} ${target} answered ${answer.status}: ${answer.raw}`);
  return answer.body;
}

const administer = (method: string, target: string, body?: object) => call(platform.admin, method, target, body);

async function newProfile(role: string): Promise<Profile> {
  const client_id = `${MARKER}-${role}`;
  const { secret } = await administer('POST', `${TARGET}/credentials`, { client_id, name: MARKER });
  await administer('POST', `${TARGET}/role-bindings`, { client_id, role });
  return { ...platform.demo, tenant_id: TENANT, client_id, secret };
}

/** Rows in every table and messages on every stream. */
async function fillTenant(): Promise<void> {
  await administer('POST', '/api/v1/platform/tenants', { tenant_id: TENANT, name: `Initech ${MARKER}` });
  const admin = await newProfile('tenant_admin');
  operator = await newProfile('integration_operator');
  await administer('PUT', `${TARGET}/roles/${MARKER}`, { scopes: ['open:event:read'] });
  await administer('POST', `${TARGET}/policies`, { client_id: operator.client_id, scope: 'open:event:read' });
  const principal = newPrincipal({ bus_user: MARKER, principal_type: 'CLIENT' });
  principalId = (await call(admin, 'POST', `${TARGET}/bus/principals`, principal)).principal_id;
  const adapter = newPrincipal({ bus_user: MARKER, bus_account_public_key: principal.bus_account_public_key });
  await call(admin, 'POST', `${TARGET}/bus/principals`, adapter);
  const endpoints = '/api/v1/open/callbacks/endpoints';
  const url = `https://hooks.acme.example/${MARKER}`;
  const { endpoint_id } = await call(admin, 'POST', endpoints, { name: MARKER, url });
  await call(admin, 'POST', `${endpoints}/${endpoint_id}/subscriptions`, { event_type: 'command.completed' });
  const stored = newObjectCredential({ name: MARKER });
  const { credential_id } = await call(admin, 'POST', '/api/v1/open/objects/credentials', stored);
  const resource = newObjectResource(credential_id, { name: MARKER });
  const { resource_id } = await call(admin, 'POST', '/api/v1/open/objects/resources', resource);
  const presigned = { operation: 'DOWNLOAD', resource_id, object_key: `${MARKER}.bin` };
  await call(operator, 'POST', '/api/v1/open/objects/presign', presigned);
  const fields = { device_id: MARKER, timeout_seconds: 300 };
  const command_id = await newCommand(operator, fields, platform.server().baseUrl);
  await vi.waitFor(
    async () => expect((await owner`select from events where command_id = ${command_id}`).length).toBe(1),
    { timeout: 60_000, interval: 100 },
  );
  for (const tenantId of [TENANT, 'platform']) {
    await owner`
      insert into parked_messages (tenant_id, parked_message_id, subject, reason, body)
      values (${tenantId}, ${randomUUID()}, ${`tenants.${TENANT}.command-updates.vendor_a`}, 'r', ${Buffer.from(MARKER)})`;
  }
  await owner`
    insert into device_requests (
      tenant_id, device_request_id, vendor, device_id, request_type, payload, dedupe_id, status, received_at, expires_at
    )
    values (${TENANT}, ${randomUUID()}, 'vendor_a', ${MARKER}, 'ask', '{}', 'd', 'PENDING', now(), now() + interval '1 day')`;
  await owner`
    insert into command_figures (tenant_id, hour, reason, is_other, vendor, status, minute, total, classes, numbers)
    values (${TENANT}, now(), ${MARKER}, false, 'vendor_a', 'FAILED', 1, 1, '{1}', '{1}')`;
  await owner`
    insert into event_log_origins (tenant_id, position, cursor_key_sealed, generations, from_seq, to_seq, shift)
    values (${TENANT}, 0, ${Buffer.from(MARKER)}, '[]', 0, 1, 2)`;
  // A disabled tenant gets no new durables.
  await vi.waitFor(() => platform.client.consumers.get('TOP_EVENTS', durables.events(TENANT, principalId)), {
    timeout: 60_000,
    interval: 100,
  });
  await administer('PUT', TARGET, { status: 'DISABLED' });
  await multiply(
    owner,
    'commands',
    COMMANDS,
    {
      command_id: ID_OF_N,
      idempotency_key: `'${MARKER}-' || n`,
      payload: `json_build_object('note', '${MARKER}')`,
      status: "'SUCCEEDED'",
      completed_at: 'now()',
    },
    `tenant_id = '${TENANT}'`,
  );
  await owner`
    insert into events (tenant_id, command_id, event_type, event_id)
    select tenant_id, command_id, 'command.accepted', gen_random_uuid() from commands
    where tenant_id = ${TENANT} and command_id <> ${command_id} limit ${EVENTS}`;
  await owner`
    insert into outbox (tenant_id, kind, fact_id)
    select tenant_id, 'COMMAND_ACCEPTED', command_id from commands where tenant_id = ${TENANT} limit 1000`;
}

/** Until the returned function is called, the deletion does not end: it waits for a lock of this command. */
async function holdLastCommand(): Promise<() => Promise<unknown>> {
  const session = openSession(platform.postgres.superuserUrl);
  await session`begin`;
  await session`
    select from commands where tenant_id = ${TENANT} order by command_id desc limit 1 for key share`;
  return () => session`commit`;
}

/** The rows of the tenant in each table that has some. */
async function rowsOfTenant(): Promise<Record<string, number>> {
  const counts = tenantTables.map(async (table) => {
    const name = getTableName(table);
    const [row] = await owner`select count(*)::int as count from ${owner(name)} where tenant_id = ${TENANT}`;
    return [name, Number(row?.count)] as const;
  });
  return Object.fromEntries((await Promise.all(counts)).filter(([, count]) => count > 0));
}

/** The lines of a whole dump that contain one of the texts, as text or in hex, by table. */
function dumped(texts: string[]): Record<string, string[]> {
  const program = join(postgresBinaries(), 'pg_dump');
  const dump = execFileSync(program, ['--data-only', platform.postgres.superuserUrl], {
    encoding: 'utf8',
    maxBuffer: 1_000_000_000,
  });
  const wanted = texts.flatMap((text) => [text, Buffer.from(text).toString('hex')]);
  const found: Record<string, string[]> = {};
  let table = '';
  for (const line of dump.split('\n')) {
    table = /^COPY public\.(\w+)/.exec(line)?.[1] ?? table;
    if (wanted.some((text) => line.includes(text))) found[table] = [...(found[table] ?? []), line];
  }
  return found;
}

const deletion = async () =>
  (await administer('GET', TARGET)) as { status: string; deletion: { rows_deleted: number } };

test('every table with a tenant_id is emptied by a deletion, except the tenants and their taken names', async () => {
  const rows = await owner<{ name: string }[]>`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'tenant_id' order by 1`;
  const emptied = tenantTables.map(getTableName);
  expect(rows.map(({ name }) => name)).toEqual([...emptied, 'taken_names', 'tenants'].sort());
});

test('100,000 commands are deleted through a kill -9 while another tenant works, and a dump shows nothing of the tenant', {
  timeout: 480_000,
}, async () => {
  await fillTenant();
  // The relay may have emptied the outbox already.
  const filled = tenantTables.map(getTableName).filter((name) => name !== 'outbox');
  expect(Object.keys(await rowsOfTenant())).toEqual(expect.arrayContaining(filled));
  const durable = { stream: 'TOP_EVENTS', name: durables.events(TENANT, principalId) };
  const streams = ['TOP_COMMANDS', 'TOP_REPLIES', 'TOP_EVENTS'];
  const waiting = { note: MARKER };
  for (const subject of [
    subjects.command(TENANT, 'vendor_a'),
    subjects.deviceReply(TENANT, 'vendor_a'),
    subjects.event(TENANT, 'command.completed'),
  ]) {
    await platform.client.publish(subject, JSON.stringify(waiting));
  }
  const load = startLoad(platform.demo, () => platform.server().baseUrl, { writers: 2, readers: 1, restMs: 50 });
  const letGo = await holdLastCommand();

  await administer('DELETE', `${TARGET}?confirm=${TENANT}`);
  await vi.waitFor(async () => expect((await deletion()).deletion.rows_deleted).toBeGreaterThan(10_000), {
    timeout: 120_000,
    interval: 20,
  });
  const { process } = platform.server();
  const closed = once(process, 'close');
  process.kill('SIGKILL');
  await closed;
  const left = await rowsOfTenant();
  expect(left.commands).toBeGreaterThan(0);
  await letGo();
  await platform.restart();
  await vi.waitFor(async () => expect((await deletion()).status).toBe('DELETED'), {
    timeout: 240_000,
    interval: 250,
  });
  const sent = await load.stop();

  expect(await rowsOfTenant()).toEqual({});
  expect((await deletion()).deletion.rows_deleted).toBeGreaterThan(COMMANDS + EVENTS);
  expect(Object.keys(dumped([MARKER, 'Initech']))).toEqual(['taken_names']);
  // The last estimate of waits may name any tenant.
  const { slots: _, ...named } = dumped([TENANT]);
  expect(Object.keys(named).sort()).toEqual(['audit_events', 'taken_names', 'tenants']);
  expect(named.audit_events).toHaveLength(1);
  expect(named.audit_events?.[0]).toContain('tenants.delete');
  expect(named.taken_names?.map((line) => line.split('\t')[0])).toEqual(['CLIENT_ID', 'CLIENT_ID']);

  for (const name of streams) {
    const { state } = await platform.streams.info(name, { subjects_filter: `tenants.${TENANT}.>` });
    expect([name, state.subjects ?? {}]).toEqual([name, {}]);
  }
  await expect(platform.client.consumers.get(durable.stream, durable.name)).rejects.toThrow();

  const accepted = sent.filter(isAccepted);
  expect(accepted.length).toBeGreaterThan(0);
  const kept = await owner`
    select idempotency_key as key from commands where tenant_id = ${platform.demo.tenant_id as string}`;
  expect(kept.map(({ key }) => key)).toEqual(expect.arrayContaining(accepted.map((one) => one.idempotencyKey)));
});

test('a late message of an adapter brings nothing of the tenant back', async () => {
  const subject = subjects.commandUpdate(TENANT, 'vendor_a');
  const late = { command_id: randomUUID(), device_execution_status: 'SUCCEEDED', result: { note: MARKER } };
  await platform.client.publish(subject, JSON.stringify(late), { msgID: randomUUID() });
  await vi.waitFor(
    async () => {
      const { state } = await platform.streams.info('TOP_UPDATES', { subjects_filter: subject });
      expect(state.subjects ?? {}).toEqual({});
    },
    { timeout: 60_000, interval: 100 },
  );
  expect(await rowsOfTenant()).toEqual({});
  expect(dumped([MARKER])).toHaveProperty('taken_names');
  expect(Object.keys(dumped([MARKER]))).toEqual(['taken_names']);
});

describe('round by round', async () => {
  const idle = await startIdlePlatform();
  const superuser = openSession(idle.superuserUrl, { max: 2 });
  const database = openPool(idle.databaseUrl);

  /** One round of a process that has just been started: it knows nothing of earlier rounds. */
  const round = () => purgeTenants(everySlot(database), inProcessBus(), silent().now);

  const roundsUntil = (isReached: (done: Awaited<ReturnType<typeof round>>) => Promise<boolean>) =>
    vi.waitUntil(async () => isReached(await round()), { timeout: 60_000, interval: 10 });

  const isDeleted = async (tenantId: string) => (await ask('GET', `/${tenantId}`)).status === 'DELETED';

  const ask = async (method: string, target: string, body?: object) => {
    const path = `/api/v1/platform/tenants${target}`;
    const answer = await signedRequest(idle.admin, method, path, { node: idle.admin.base_url, ...(body && { body }) });
    expect(answer.status, answer.raw).toBeLessThan(300);
    return answer.body;
  };

  async function disabledTenant(tenantId: string): Promise<void> {
    await ask('POST', '', { tenant_id: tenantId, name: 'Umbrella' });
    await ask('PUT', `/${tenantId}`, { status: 'DISABLED' });
  }

  const addDeviceRequests = (sql: postgres.Sql, tenantId: string, count: number) => sql`
    insert into device_requests (
      tenant_id, device_request_id, vendor, device_id, request_type, payload, dedupe_id, status, received_at, expires_at
    )
    select ${tenantId}, gen_random_uuid(), 'vendor_a', 'd', 'ask', '{}', gen_random_uuid()::text, 'EXPIRED', now(), now()
    from generate_series(1, ${count}::int)`;

  test('each round goes on where the last one ended, and passes go on until one of them finds nothing', async () => {
    await disabledTenant('umbrella');
    await addDeviceRequests(superuser, 'umbrella', 2_500);
    await ask('DELETE', '/umbrella?confirm=umbrella');
    const rounds: number[] = [];
    await roundsUntil(async ({ table, removed }) => {
      if (table === 'device_requests') rounds.push(removed);
      return table === 'audit_events';
    });
    // As by a transaction that had begun before the deletion.
    await addDeviceRequests(superuser, 'umbrella', 1);
    await roundsUntil(async ({ table, removed }) => {
      if (table === 'device_requests') rounds.push(removed);
      return isDeleted('umbrella');
    });
    expect(await superuser`select from device_requests where tenant_id = 'umbrella'`).toHaveLength(0);
    expect(rounds).toEqual([1_000, 1_000, 500, 1, 0]);
  });

  test('the early parked messages of a tenant are deleted, and none of a tenant whose id only begins like its own', async () => {
    await disabledTenant('hooli');
    const [own, foreign] = ['hooli', 'hooli-2'].map((id) => subjects.commandUpdate(id, 'vendor_a')) as [string, string];
    for (const subject of [own, foreign]) {
      await superuser`
        insert into parked_messages (tenant_id, parked_message_id, subject, reason, body)
        values ('platform', ${randomUUID()}, ${subject}, 'r', '')`;
    }
    await ask('DELETE', '/hooli?confirm=hooli');
    await roundsUntil(() => isDeleted('hooli'));
    const left = await superuser`select subject from parked_messages where subject in ${superuser([own, foreign])}`;
    expect(left).toEqual([{ subject: foreign }]);
  });

  test('a pass begins when every transaction that was under way at the deletion has ended', async () => {
    await disabledTenant('weyland');
    await superuser.begin(async (tx) => {
      await tx`select pg_current_xact_id()`;
      await ask('DELETE', '/weyland?confirm=weyland');
      expect(await round()).toEqual({ hasMore: false, removed: 0 });
      await addDeviceRequests(tx as unknown as postgres.Sql, 'weyland', 1);
    });
    await roundsUntil(() => isDeleted('weyland'));
    expect(await superuser`select from device_requests where tenant_id = 'weyland'`).toHaveLength(0);
  });
});
