import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { atEnd, newKeyring, type Profile, signedRequest, temporaryFolder } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { move, runMove, startCell, startEmbeddedCell } from '../../../test/support/cells.js';
import { COMMANDS, newCommand } from '../../../test/support/commands.js';
import { holdTable } from '../../../test/support/hold-table.js';
import { newPrincipal } from '../../../test/support/new-principal.js';
import { openPool } from '../../../test/support/open-pool.js';
import { asIngest, asTenant } from '../../foundation/database/row-level-security.js';

const [a, b] = await Promise.all([startCell(), startCell()]);
const to = ['--to-url', b.baseUrl];
const soon = { timeout: 50_000, interval: 50 };
const FROZEN = 'nothing is under way';
const ME = '/api/v1/open/me';

async function newTenant(tenantId: string) {
  await a.call('POST', 'platform/tenants', { tenant_id: tenantId, name: tenantId });
  return a.newProfile(tenantId, 'integration_operator');
}

const lineOf = async (run: ReturnType<typeof runMove>) => {
  const { exitCode, stderr } = await run;
  const lines = stderr.split('\n').filter((line) => line !== '' && !/^\d{4}-/.test(line));
  return [exitCode, lines.length, lines[0]];
};
const refuses = (text: string) => [1, 1, expect.stringContaining(text)];

test('refuses in one line what cannot move', async () => {
  await newTenant('known');
  const command = (args: string[]) => lineOf(runMove(a, b, args));
  expect(await command(['unknown', ...to])).toEqual(refuses('the source has no tenant unknown'));
  expect(await command(['platform', ...to])).toEqual(refuses('the tenant platform belongs to its platform'));
  expect(await command(['demo', ...to])).toEqual(refuses('the target has a tenant demo already (ACTIVE)'));
  expect(await command(['known'])).toEqual([1, expect.any(Number), expect.stringContaining('--to-url must be')]);
  expect(await lineOf(runMove(a, a, ['known', '--to-url', a.baseUrl]))).toEqual(refuses('are the same database'));
  const otherKeyring = { ...b, environment: { ...b.environment, KEYRING: newKeyring() } };
  expect(await lineOf(runMove(a, otherKeyring, ['known', ...to]))).toEqual(refuses('The keyring is not the one'));
  expect((await runMove(a, b, ['known', '--undo'])).stdout).toContain('known is not moving');
  expect((await a.call('GET', 'platform/tenants/known')).status).toBe('ACTIVE');
});

test('a source with the embedded database and a nats-server needs NATS_URL: messages of the tenant may wait there', async () => {
  const { call, environment } = await startEmbeddedCell();
  await call('POST', 'platform/tenants', { tenant_id: 'unheard', name: 'unheard' });
  const { DATA_DIR = '' } = environment;
  expect(await runMove({ environment: { DATA_DIR } }, b, ['unheard', ...to])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/^move-tenant: NATS_URL of the source is missing/),
  });
  expect((await call('GET', 'platform/tenants/unheard')).status).toBe('ACTIVE');
});

test('refuses in one line a tenant whose names or catalog the target cannot take', async () => {
  await newTenant('named');
  await a.newProfile('named', 'integration_reader', 'shared-name');
  const neighbour = await b.newProfile('demo', 'integration_reader', 'SHARED-name');
  const principal = newPrincipal();
  const { principal_id } = await a.call('POST', 'platform/tenants/named/bus/principals', principal);
  await b.call('POST', 'platform/tenants/demo/bus/principals', principal);
  const run = () => lineOf(runMove(a, b, ['named', ...to, '--plan']));
  const [account, user] = [principal.bus_account_public_key, principal.bus_user_public_key];
  expect(await run()).toEqual(
    refuses(
      `BUS_ACCOUNT_KEY ${account}, BUS_USER_KEY ${user}, CLIENT_ID shared-name. A name cannot be changed: create`,
    ),
  );
  // As the line says.
  await a.call('POST', 'platform/tenants/named/bus/principals', newPrincipal());
  await a.call('PUT', `platform/tenants/named/bus/principals/${principal_id}`, { status: 'DELETED' });
  const instead = await a.newProfile('named', 'integration_reader', 'other-name');
  await a.call('PUT', 'platform/tenants/named/credentials/shared-name', { status: 'DELETED' });
  await b.owner`update command_types set enabled = false where vendor = 'vendor_a' and command_type = 'reboot'`;
  expect(await run()).toEqual(refuses('the target lacks, or has disabled, vendor_a/reboot'));
  await b.owner`update command_types set enabled = true, payload_schema = '{}' where vendor = 'vendor_a' and command_type = 'reboot'`;
  expect(await run()).toEqual(refuses('another payload schema for vendor_a/reboot'));
  await b.owner`
    update command_types set payload_schema = '{"type":"object","additionalProperties":false}'
    where vendor = 'vendor_a' and command_type = 'reboot'`;
  expect((await runMove(a, b, ['named', ...to, '--plan'])).stdout).toMatch(/^named can move\. Nothing has changed/);
  expect((await a.call('GET', 'platform/tenants/named')).status).toBe('ACTIVE');

  await move(a, b, 'named');
  const meOf = async (caller: Profile) =>
    (await signedRequest(caller, 'GET', '/api/v1/open/me', { node: b.baseUrl })).body.tenant_id;
  // What the tenant has deleted moves too, and takes nothing from the neighbour, who has the name there.
  expect(await b.call('GET', 'platform/tenants/named/credentials/shared-name')).toMatchObject({ status: 'DELETED' });
  expect([await meOf(instead), await meOf(neighbour)]).toEqual(['named', 'demo']);
});

test('a second command for a tenant ends in one line, and the first one goes on', async () => {
  const operator = await newTenant('twice');
  // The open command keeps the first one waiting, until the test reports its outcome: no adapter serves it.
  const command_id = await newCommand(operator, { vendor: 'vendor_b', command_type: 'lock', timeout_seconds: 120 });
  let second: ReturnType<typeof lineOf> | undefined;
  const first = await runMove(a, b, ['twice', ...to], 'waiting for 1 open commands until 20', async () => {
    second = lineOf(runMove(a, b, ['twice', ...to]));
    await second;
    const { publish } = await connectTo(a.nats.url);
    const report = { command_id, device_execution_status: 'SUCCEEDED' };
    await publish('tenants.twice.command-updates.vendor_b', JSON.stringify(report));
  });
  expect(await second).toEqual(refuses('Another command is moving twice now'));
  expect(first.exitCode).toBe(0);
});

test('a move that has begun goes to its first address only', async () => {
  await newTenant('elsewhere');
  await runMove(a, b, ['elsewhere', ...to], 'closed');
  const other = await lineOf(runMove(a, b, ['elsewhere', '--to-url', 'https://cell-c.example.com']));
  expect(other).toEqual(refuses(`The tenant is moving to ${b.baseUrl}. Name that address, or undo the move.`));
  await move(a, b, 'elsewhere');
});

test('refuses a database that lacks a migration', async () => {
  await newTenant('older');
  const [last] = await b.owner`
    delete from drizzle.__drizzle_migrations where id = (select max(id) from drizzle.__drizzle_migrations) returning *`;
  onTestFinished(async () => void (await b.owner`insert into drizzle.__drizzle_migrations ${b.owner(last ?? {})}`));
  expect(await lineOf(runMove(a, b, ['older', ...to]))).toEqual(refuses('A database lacks migrations ('));
  expect((await a.call('GET', 'platform/tenants/older')).status).toBe('ACTIVE');
});

test('while a tenant moves nothing changes it: neither its own requests, nor those of administrators, nor requests that were admitted before', async () => {
  const operator = await newTenant('closed');
  const id = await newCommand(operator, { vendor: 'vendor_b', command_type: 'lock', timeout_seconds: 1 });
  await runMove(a, b, ['closed', ...to], FROZEN);
  const command = {
    vendor: 'vendor_a',
    device_id: 'd',
    command_type: 'reboot',
    payload: {},
    idempotency_key: randomUUID(),
  };
  const own = await signedRequest(operator, 'POST', COMMANDS, { body: command, node: a.baseUrl });
  const moving = [503, 'TENANT_MOVING', '2'];
  expect([own.status, own.body.code, own.headers['retry-after']]).toEqual(moving);
  const role = { body: { scopes: ['open:event:read'] }, node: a.baseUrl };
  const byAdmin = await signedRequest(a.admin, 'PUT', '/api/v1/platform/tenants/closed/roles/r', role);
  expect([byAdmin.status, byAdmin.body.code, byAdmin.headers['retry-after']]).toEqual(moving);
  expect(await a.call('GET', 'platform/tenants/closed')).toMatchObject({ status: 'MOVING', moved_to: null });

  const database = openPool(a.postgres.url);
  const admitted = {
    ...{ position: 0, tenant_id: 'closed', client_id: operator.client_id, ...command, revision: 1, timeout_seconds: 5 },
    ...{ request_id: 'r', command_id_tail: '7000800000000000000f' },
  };
  expect(await asIngest(database, [admitted], true)).toMatchObject([{ outcome: 'TENANT_AWAY', command_id: null }]);
  const late = asTenant(database, 'closed', (tx) => tx.execute(`update credentials set name = 'x'`));
  await expect(late).rejects.toMatchObject({ code: 'TENANT_MOVING' });

  const undone = await runMove(a, b, ['closed', '--undo']);
  expect(undone.exitCode).toBe(0);
  expect(await a.call('GET', 'platform/tenants/closed')).toMatchObject({ status: 'ACTIVE' });
  expect((await a.owner`select name from credentials where tenant_id = 'closed'`)[0]).toEqual({
    name: 'integration_operator',
  });
  expect(await a.owner`select command_id from commands where tenant_id = 'closed'`).toEqual([{ command_id: id }]);
});

test('while a tenant moves, an administrator reads its bus principals in both cells, so its adapters stay connected; not those of a disabled tenant', async () => {
  const open = async (cell: typeof a, tenantId: string) => {
    const path = `/api/v1/platform/tenants/${tenantId}/bus/principals`;
    const { status, body } = await signedRequest(cell.admin, 'GET', path, { node: cell.baseUrl });
    return [status, body.items?.length];
  };
  for (const [tenantId, status] of [
    ['bound', 'ACTIVE'],
    ['unbound', 'DISABLED'],
  ] as const) {
    await newTenant(tenantId);
    await a.call('POST', `platform/tenants/${tenantId}/bus/principals`, newPrincipal());
    await a.call('PUT', `platform/tenants/${tenantId}`, { status });
    await runMove(a, b, [tenantId, ...to], 'verified');
  }
  for (const cell of [a, b]) {
    expect(await open(cell, 'bound')).toEqual([200, 1]);
    expect(await open(cell, 'unbound')).toEqual([503, undefined]);
  }
  const late = { node: a.baseUrl, body: newPrincipal() };
  const written = await signedRequest(a.admin, 'POST', '/api/v1/platform/tenants/bound/bus/principals', late);
  expect([written.status, written.body.code]).toEqual([503, 'TENANT_MOVING']);
  for (const tenantId of ['bound', 'unbound']) await runMove(a, b, [tenantId, '--undo']);
});

test('a tenant with a secret that does not open stays open, and moves once it is rotated', async () => {
  await newTenant('damaged');
  const path = 'platform/tenants/damaged/credentials';
  await a.call('POST', path, { client_id: 'damaged-secret', name: 'Backend' });
  await a.owner`
    update credentials set secret_sealed = set_byte(secret_sealed, 29, get_byte(secret_sealed, 29) # 1)
    where client_id = 'damaged-secret'`;
  const refused = refuses('the secret of credentials damaged-secret does not open');
  expect(await lineOf(runMove(a, b, ['damaged', ...to, '--plan']))).toEqual(refused);
  expect(await lineOf(runMove(a, b, ['damaged', ...to]))).toEqual(refused);
  expect((await a.call('GET', 'platform/tenants/damaged')).status).toBe('ACTIVE');
  await a.call('PUT', `${path}/damaged-secret`, { rotate_secret: true });
  await move(a, b, 'damaged');
});

test('the command of --switch runs before the target opens; the tenant moves only if it succeeds', async () => {
  const operator = await newTenant('switched');
  const log = join(temporaryFolder(), 'log');
  const meIn = async ({ baseUrl: node }: typeof a) => (await signedRequest(operator, 'GET', ME, { node })).status;
  const run = (command: string, act = async () => {}) =>
    runMove(a, b, ['switched', ...to, '--switch', command], `running ${command}`, act);
  const refused = await run(`echo refused >> ${log}; exit 3`);
  expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('--switch ended with exit code 3')]);
  expect(refused.stderr).not.toContain('switching:');
  expect([await meIn(a), await meIn(b)]).toEqual([503, 503]);
  const gate = join(temporaryFolder(), 'gate');
  const moved = await run(`echo begun >> ${log}; until [ -e ${gate} ]; do sleep 0.05; done`, async () => {
    await vi.waitFor(() => expect(readFileSync(log, 'utf8')).toBe('refused\nbegun\n'), soon);
    expect([await meIn(a), await meIn(b)]).toEqual([503, 503]);
    writeFileSync(gate, '');
  });
  expect([moved.exitCode, moved.stdout]).toEqual([0, expect.stringContaining('has moved')]);
  expect([await meIn(a), await meIn(b)]).toEqual([503, 200]);
});

test('a tenant whose move was given up before it closed stays open; the next command goes on with what was copied', async () => {
  const operator = await newTenant('resumed');
  await newCommand(operator, { vendor: 'vendor_b', command_type: 'lock', timeout_seconds: 1 });
  await runMove(a, b, ['resumed', ...to], 'rows of commands');
  const meIn = async ({ baseUrl: node }: typeof a) => (await signedRequest(operator, 'GET', ME, { node })).status;
  expect([await meIn(a), await meIn(b)]).toEqual([200, 503]);
  const { stderr } = await move(a, b, 'resumed');
  expect(stderr).toContain('copied 0 rows of credentials');
  expect([await meIn(a), await meIn(b)]).toEqual([503, 200]);
});

test('a move is seen from outside: a code, a counter, a line a minute, and since when the tenant is closed', async () => {
  const operator = await newTenant('seen');
  const metrics = async (cell: typeof a) => (await fetch(`${cell.baseUrl}/metrics`)).text();
  const refused = async () => Number(/^top_requests_of_moving_tenants_total (\d+)$/m.exec(await metrics(a))?.[1]);
  const closedSince = async (cell: typeof a) =>
    /^top_tenant_closed_since_seconds\{tenant_id="seen"\} (\S+)$/m.exec(await metrics(cell))?.[1];
  const before = await refused();
  expect(await closedSince(a)).toBeUndefined();

  const begunAt = Date.now() / 1_000;
  await runMove(a, b, ['seen', ...to], FROZEN);
  const since = await vi.waitFor(async () => (await closedSince(a)) ?? Promise.reject(new Error('It is open.')), soon);
  expect(Number(since)).toBeGreaterThan(begunAt);
  expect(Number(since)).toBeLessThan(Date.now() / 1_000);
  expect(await closedSince(b)).toBeUndefined();
  const me = () => signedRequest(operator, 'GET', '/api/v1/open/me', { node: a.baseUrl });
  const role = { body: { scopes: ['open:event:read'] }, node: a.baseUrl };
  const byAdmin = () => signedRequest(a.admin, 'PUT', '/api/v1/platform/tenants/seen/roles/r', role);
  for (const call of [me, byAdmin, me])
    expect(await call()).toMatchObject({ status: 503, body: { code: 'TENANT_MOVING' } });
  await vi.waitFor(async () => expect(await refused()).toBe(before + 3), soon);
  // What counts failures does not count them: a planned move fires no alert.
  expect(await metrics(a)).not.toMatch(/^top_request_duration_seconds_count\{operation="me.get",status="503"\}/m);
  const lines = a
    .stderr()
    .split('\n')
    .filter((line) => line.includes('the tenant moves'));
  const named = lines.map((line) => JSON.parse(line).tenant_id);
  expect(named.filter((tenant) => ['seen', 'platform'].includes(tenant))).toEqual(['seen']);

  await move(a, b, 'seen');
  await vi.waitFor(async () => expect(await closedSince(a)).toBeUndefined(), soon);
  expect(await closedSince(b)).toBeUndefined();
  expect(await me()).toMatchObject({ status: 503, body: { code: 'TENANT_MOVING' } });
});

test('a database that fails in the middle ends the command in one line, and the same command goes on', async () => {
  await newTenant('broken');
  for (const cell of [b, a]) {
    // The command cannot end before the database fails.
    const held = await holdTable(b.postgres, 'audit_events', 'share row exclusive', '');
    const { exitCode, stderr } = await runMove(a, b, ['broken', ...to], FROZEN, async () => {
      await cell.postgres.kill();
      await held.release().catch(() => {});
    });
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringMatching(/The database of the (source|target) failed\. .* run the same command again/),
    ]);
    await cell.postgres.resume();
    await vi.waitFor(() => cell.call('GET', 'platform/tenants/demo'), soon);
  }
  await move(a, b, 'broken');
  expect((await b.call('GET', 'platform/tenants/broken')).status).toBe('ACTIVE');
});

test('late reports and requests of devices wait while rows are copied; they are taken if the move is undone, and parked for tenant platform if it ends', async () => {
  const operator = await newTenant('bus');
  const client = await connectTo(a.nats.url);
  const command_id = await newCommand(operator, { vendor: 'vendor_b', command_type: 'lock', timeout_seconds: 1 });
  const lateReport = { command_id, device_execution_status: 'SUCCEEDED' };
  const request = (dedupe_id: string) => ({ dedupe_id, device_id: 'd', request_type: 'ask', payload: {} });
  const send = async (dedupe: string) => {
    await client.publish('tenants.bus.command-updates.vendor_b', JSON.stringify(lateReport));
    await client.publish('tenants.bus.device-requests.vendor_b', JSON.stringify(request(dedupe)));
  };
  const read = () => a.owner`
    select (select late_result is not null from commands where tenant_id = 'bus') as is_reported,
      (select count(*)::int from device_requests where tenant_id = 'bus') as requests,
      (select count(*)::int from parked_messages where subject like 'tenants.bus.%') as parked`;

  await runMove(a, b, ['bus', ...to], FROZEN);
  await send('first');
  await tries(2);
  expect(await read()).toEqual([{ is_reported: false, requests: 0, parked: 0 }]);
  await runMove(a, b, ['bus', '--undo']);
  await vi.waitFor(async () => expect(await read()).toEqual([{ is_reported: true, requests: 1, parked: 0 }]), soon);
  await vi.waitFor(async () => expect((await b.call('GET', 'platform/tenants/bus')).status).toBe('DELETED'), soon);

  await runMove(a, b, ['bus', ...to], FROZEN);
  await send('second');
  await move(a, b, 'bus');
  const parked = () => a.owner`
    select tenant_id, subject from parked_messages where subject like 'tenants.bus.%' order by subject`;
  await vi.waitFor(
    async () =>
      expect(await parked()).toEqual([
        { tenant_id: 'platform', subject: 'tenants.bus.command-updates.vendor_b' },
        { tenant_id: 'platform', subject: 'tenants.bus.device-requests.vendor_b' },
      ]),
    soon,
  );
  const [copied] =
    await b.owner`select (select count(*)::int from device_requests where tenant_id = 'bus') as requests`;
  expect(copied).toEqual({ requests: 1 });

  /** Until the consumers of the platform have tried so many messages again. */
  async function tries(count: number): Promise<void> {
    const streams = (await jetstreamManager(client.connection)).consumers;
    await vi.waitFor(async () => {
      const again: number[] = [];
      for await (const { num_redelivered } of streams.list('TOP_UPDATES')) again.push(num_redelivered);
      expect(again.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(count);
    }, soon);
  }
});

async function connectTo(url: string) {
  const connection = await connect({ servers: url });
  atEnd(() => connection.close());
  const client = jetstream(connection, { timeout: 60_000 });
  return { connection, publish: (subject: string, body: string) => client.publish(subject, body) };
}
