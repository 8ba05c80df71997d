import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { type Answer, createTenant, signedRequest, type TestTenant, usePlatform } from '@tenant-open-platform/testing';
import { postgresBinaries } from '@tenant-open-platform/testing/private-postgres';
import { pino } from 'pino';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newCommand } from '../../../../test/support/commands.js';
import { expectRefusal } from '../../../../test/support/expect-refusal.js';
import { ID_OF_N, multiply } from '../../../../test/support/multiply.js';
import { createCatalogIds, createIds, type Ids } from '../../../../test/support/operation-ids.js';
import { type PrivatePlatform, startPrivatePlatform } from '../../../../test/support/private-platform.js';
import { unique } from '../../../../test/support/unique.js';
import type { Bus } from '../../../platform/bus/bus.js';
import { natsBus } from '../../../platform/bus/nats-bus.js';
import { startSimulatedFleet } from '../../../simulated-fleet.js';

const COMMANDS = 20_000;

let platform: PrivatePlatform;
let bus: Bus;
let owner: postgres.Sql;
let doomed: TestTenant;
let other: TestTenant;
let ids: Ids;
let target: string;

const use = () =>
  usePlatform({
    nodes: [platform.server().baseUrl],
    admin: platform.admin,
    demo: platform.demo,
    databaseUrl: platform.postgres.url,
    natsUrl: platform.nats.url,
  });

beforeAll(async () => {
  platform = await startPrivatePlatform();
  use();
  owner = postgres(platform.postgres.superuserUrl, { max: 1, onnotice: () => {} });
  bus = await natsBus({ url: platform.nats.url }, pino({ level: 'silent' }));
  await startSimulatedFleet(bus);
  await createCatalogIds();
  [doomed, other] = [await createTenant(), await createTenant()];
  target = `/api/v1/platform/tenants/${doomed.tenant_id}`;
  ids = await createIds(doomed);
  const presign = { operation: 'DOWNLOAD', resource_id: ids.resource_id, object_key: 'pump-7.bin' };
  await signedRequest(doomed.operator, 'POST', '/api/v1/open/objects/presign', { body: presign });
  await vi.waitFor(async () => expect(await subjectsOf(doomed.tenant_id)).not.toEqual([]), { timeout: 30_000 });
  const like = `tenant_id = '${doomed.tenant_id}'`;
  const copies = { command_id: ID_OF_N, idempotency_key: "'k-' || n" };
  await multiply(owner, 'commands', COMMANDS, copies, `${like} and completed_at is not null`);
  await multiply(owner, 'events', COMMANDS, { command_id: ID_OF_N, event_id: ID_OF_N }, like);
}, 180_000);

afterAll(async () => {
  await owner?.end();
  await bus?.close();
  await platform?.stop();
});

const admin = (method: string, path: string, body?: object): Promise<Answer> =>
  signedRequest(platform.admin, method, path, { ...(body && { body }) } as never);

/** The subjects and durables of the tenant on all streams. */
async function subjectsOf(tenantId: string): Promise<string[]> {
  const connection = await connect({ servers: platform.nats.url.replace('nats://', '') });
  const { streams, consumers } = await jetstreamManager(connection);
  const found: string[] = [];
  for (const stream of ['TOP_COMMANDS', 'TOP_REPLIES', 'TOP_UPDATES', 'TOP_EVENTS']) {
    const { state } = await streams.info(stream, { subjects_filter: `tenants.${tenantId}.>` });
    found.push(...Object.keys(state.subjects ?? {}));
    for await (const { name } of consumers.list(stream)) if (name.startsWith(`${tenantId}+`)) found.push(name);
  }
  await connection.close();
  return found;
}

/** The lines of a full dump that contain one of these texts, each behind the name of its table. */
function dumpedLines(texts: readonly string[]): string[] {
  const program = join(postgresBinaries(), 'pg_dump');
  const dump = execFileSync(program, ['--data-only', platform.postgres.superuserUrl], {
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  let table = '';
  return dump.split('\n').flatMap((line) => {
    table = /^COPY public\.(\w+)/.exec(line)?.[1] ?? table;
    return texts.some((text) => line.includes(text)) ? [`${table}: ${line}`] : [];
  });
}

test('a tenant is deleted only if it is DISABLED and named twice, and tenant platform never', async () => {
  expectRefusal(await admin('DELETE', `${target}?confirm=${doomed.tenant_id}`), 'TENANT_NOT_DISABLED');
  expect((await admin('PUT', target, { status: 'DISABLED' })).status).toBe(200);
  expectRefusal(await admin('DELETE', target), 'VALIDATION_FAILED');
  expectRefusal(await admin('DELETE', `${target}?confirm=${other.tenant_id}`), 'VALIDATION_FAILED');
  const platformTenant = '/api/v1/platform/tenants/platform?confirm=platform';
  expectRefusal(await admin('DELETE', platformTenant), 'TENANT_ID_RESERVED');
  expect((await admin('GET', target)).body).toMatchObject({ status: 'DISABLED', deletion: null });
});

test('all of a tenant goes while another is served, over a crash in the middle; a dump holds what is promised', {
  timeout: 300_000,
}, async () => {
  const [principals] = await owner<{ keys: string[] }[]>`
    select array_agg(bus_user_public_key) as keys from bus_principals where tenant_id = ${doomed.tenant_id}`;
  const clients = await owner<{ client_id: string; number: string }[]>`
    select client_id, number from credentials where tenant_id = ${doomed.tenant_id}`;
  const answer = await admin('DELETE', `${target}?confirm=${doomed.tenant_id}`);
  expect([answer.status, answer.body.status]).toEqual([202, 'DELETING']);
  expectRefusal(await admin('PUT', target, { status: 'ACTIVE' }), 'TENANT_DELETED');
  const credential = { client_id: unique('client'), name: 'Too late' };
  expectRefusal(await admin('POST', `${target}/credentials`, credential), 'TENANT_DELETED');

  const deletion = async () => (await admin('GET', target)).body;
  let rows = 0;
  await vi.waitFor(
    async () => {
      rows = (await deletion()).deletion.deleted_rows;
      expect(rows).toBeGreaterThan(1_000);
    },
    { timeout: 60_000, interval: 20 },
  );
  expect(rows).toBeLessThan(2 * COMMANDS);
  const { process } = platform.server();
  const closed = once(process, 'close');
  process.kill('SIGKILL');
  await closed;
  await platform.restart();
  use();

  let isOver = false;
  const serving = (async () => {
    let served = 0;
    for (; !isOver; served++) await newCommand(other.operator, { device_id: 'ok-1' });
    return served;
  })();
  await vi.waitFor(async () => expect((await deletion()).status).toBe('DELETED'), { timeout: 200_000, interval: 250 });
  isOver = true;
  expect(await serving).toBeGreaterThan(10);

  expect((await deletion()).name).toBe(doomed.tenant_id);
  expect((await deletion()).deletion.deleted_rows).toBeGreaterThan(2 * COMMANDS);
  const names = [doomed.tenant_id, ...clients.map(({ client_id }) => client_id)];
  const left = dumpedLines([
    ...names,
    ...(principals?.keys ?? []),
    ...Object.values(ids).filter((id) => /^[0-9a-f]{8}-/.test(id)),
  ]);
  const tables = left.map((line) => line.split(':', 1)[0]).sort();
  expect(tables).toEqual(['audit_events', ...clients.map(() => 'taken_names'), 'tenants']);
  expect(left.find((line) => line.startsWith('audit_events'))).toContain('tenants.delete');
  const [nonces] = await owner`
    select count(*)::int as count from nonces
    where credential_number = any (${clients.map(({ number }) => number)}::bigint[])`;
  expect(nonces?.count).toBe(0);
  expect(await subjectsOf(doomed.tenant_id)).toEqual([]);
  expectRefusal(
    await admin('POST', '/api/v1/platform/tenants', { tenant_id: doomed.tenant_id, name: 'Again' }),
    'TENANT_ALREADY_EXISTS',
  );
});

test('the other tenant has lost nothing', async () => {
  const [counted] = await owner<{ commands: number; credentials: number }[]>`
    select (select count(*)::int from commands where tenant_id = ${other.tenant_id}) as commands,
      (select count(*)::int from credentials where tenant_id = ${other.tenant_id}) as credentials`;
  expect(counted?.credentials).toBe(3);
  expect(counted?.commands).toBeGreaterThan(10);
});
