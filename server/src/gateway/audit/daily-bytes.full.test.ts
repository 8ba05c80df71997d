import {
  type Answer,
  createCredential,
  createTenant,
  type Profile,
  platform,
  signedRequest,
  startNode,
  type TestTenant,
  usePlatform,
} from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, test } from 'vitest';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { openSession } from '../../../test/support/open-pool.js';
import { unique } from '../../../test/support/unique.js';

const LIMIT = 131_072;
/** A change is much smaller, so each node goes beyond the limit by less than this. */
const LARGEST_CHANGE = 24_576;
/** Of a tenant, they would be refused: a change of a credential with its answer counts as more than 1,500 bytes. */
const OPERATORS_CHANGES = Math.ceil(LIMIT / 1_500);

const database = await ownPostgres();
const sql = openSession(database.superuserUrl);
const environment = { DATABASE_URL: database.url, CHANGE_BYTES_PER_DAY_PER_TENANT: String(LIMIT) };
const nodes = [await startNode(environment), await startNode(environment)] as const;
const { admin, demo } = nodes[0];
usePlatform({ nodes: nodes.map(({ baseUrl }) => baseUrl), admin, demo, databaseUrl: database.url, natsUrl: null });

const pathOf = ({ tenant_id }: Pick<TestTenant, 'tenant_id'>) => `/api/v1/platform/tenants/${tenant_id}`;

/** An update of an endpoint that the audit log and the stored answers keep whole. */
const URL_BYTES = 1_900;
const newBody = () => ({ name: unique('endpoint'), url: `https://hooks.acme.example/${'a'.repeat(URL_BYTES)}` });

const create = (caller: Profile, { key = unique('key'), node = 0, body = newBody() } = {}) =>
  signedRequest(caller, 'POST', '/api/v1/open/callbacks/endpoints', {
    body,
    headers: { 'Idempotency-Key': key },
    node: platform().nodes[node] as string,
  });

const change = (caller: Profile, endpointId: string, node: number) =>
  signedRequest(caller, 'PUT', `/api/v1/open/callbacks/endpoints/${endpointId}`, {
    body: newBody(),
    headers: { 'Idempotency-Key': unique('key') },
    node: platform().nodes[node] as string,
  });

/** Sends changes to both nodes at once until each of them refuses one. Returns the refusals. */
async function fillDay(caller: Profile, endpointId: string): Promise<Answer[]> {
  const untilRefused = async (node: number) => {
    for (let sent = 0; sent < 100; sent++) {
      const answer = await change(caller, endpointId, node);
      if (answer.status !== 200) return answer;
    }
    throw new Error('No change was refused.');
  };
  return Promise.all([untilRefused(0), untilRefused(1)]);
}

async function keptOf({ tenant_id }: TestTenant): Promise<{ rows: number; bytes: number }> {
  const [kept] = await sql<{ rows: number; bytes: number }[]>`
    select count(*)::int as rows, sum(bytes)::int as bytes from (
      select octet_length(events::text) as bytes from audit_events as events
      where tenant_id = ${tenant_id} and client_id <> ${platform().admin.client_id}
      union all
      select octet_length(answer_sealed) from idempotent_answers
      where tenant_id = ${tenant_id} and client_id <> ${platform().admin.client_id}
    ) as kept`;
  return kept as { rows: number; bytes: number };
}

async function newTenant() {
  const tenant = await createTenant();
  const { admin } = tenant;
  const first = { key: unique('key'), body: newBody() };
  const answer = await create(admin, first);
  expect(answer.status).toBe(201);
  return { tenant, admin, first, answer, endpointId: answer.body.endpoint_id as string };
}

test('the changes of a tenant add at most the bytes of a day to the audit log and the stored answers', async () => {
  const { tenant, admin, endpointId } = await newTenant();
  const refusals = await fillDay(admin, endpointId);
  for (const refusal of refusals) {
    expectRefusal(refusal, 'RATE_LIMITED');
    expect(refusal.body.metadata).toEqual({ quota: 'change_bytes', limit: LIMIT });
    const seconds = Number(refusal.headers['retry-after']);
    // The date of an answer may be a moment older than the answer.
    const tomorrow = new Date(Date.parse(String(refusal.headers.date)) + seconds * 1_000).toISOString();
    expect(seconds).toBeLessThanOrEqual(86_400);
    expect(tomorrow).toMatch(/T(23:59:5|00:00:0)/);
  }
  const kept = await keptOf(tenant);
  expect(kept.bytes).toBeGreaterThan(LIMIT / 2);
  expect(kept.bytes).toBeLessThan(LIMIT + nodes.length * LARGEST_CHANGE);
  for (const node of [0, 1]) expectRefusal(await create(admin, { node }), 'RATE_LIMITED');
  expect(await keptOf(tenant)).toEqual(kept);
});

test('a tenant whose day is full gets stored answers again, reads, and takes permissions away', async () => {
  const { tenant, admin, first, answer, endpointId } = await newTenant();
  const { reader, operator } = tenant;
  const grant = async (scope: string) => {
    const body = { client_id: reader.client_id, scope };
    const policy = await signedRequest(admin, 'POST', `${pathOf(tenant)}/policies`, { body });
    expect(policy.status).toBe(201);
    return policy.body.policy_id;
  };
  await grant('open:command:create');
  const policyId = await grant('open:command:cancel');
  await fillDay(admin, endpointId);
  const again = await create(admin, first);
  expect([again.status, again.body.secret, again.headers['idempotent-replayed']]).toEqual([
    201,
    answer.body.secret,
    'true',
  ]);
  const revoked = [
    `role-bindings/${operator.client_id}/integration_operator`,
    `policies?client_id=${reader.client_id}&scope=open:command:create`,
    `policies/${policyId}`,
  ];
  for (const path of revoked) {
    const { status, raw } = await signedRequest(admin, 'DELETE', `${pathOf(tenant)}/${path}`);
    expect(status, raw).toBe(200);
  }
  expectRefusal(await signedRequest(operator, 'GET', '/api/v1/open/downlink/commands'), 'FORBIDDEN');
  const leaked = `${pathOf(tenant)}/credentials/${reader.client_id}`;
  const update = (body: object) => signedRequest(admin, 'PUT', leaked, { body });
  expectRefusal(await update({ status: 'DISABLED', name: 'Leaked' }), 'RATE_LIMITED');
  expect((await update({ status: 'DISABLED' })).status).toBe(200);
  expectRefusal(await signedRequest(reader, 'GET', '/api/v1/open/downlink/commands'), 'UNAUTHENTICATED');
  for (const status of ['DISABLED', 'ACTIVE']) expectRefusal(await update({ status }), 'RATE_LIMITED');
});

test('the operator changes and disables a tenant whose day is full, and other tenants are not refused', async () => {
  const { tenant, admin, endpointId } = await newTenant();
  await fillDay(admin, endpointId);
  const put = (path: string, status: string) =>
    signedRequest(platform().admin, 'PUT', `${pathOf(tenant)}${path}`, { body: { status } });
  expect((await put(`/credentials/${tenant.reader.client_id}`, 'DISABLED')).status).toBe(200);
  expect((await put('', 'DISABLED')).status).toBe(200);
  expectRefusal(await create(admin), 'UNAUTHENTICATED');
  expect((await create((await createTenant()).admin)).status).toBe(201);
});

test("the operator's changes have no limit", async () => {
  const { tenant_id, reader } = await createTenant();
  const target = `${pathOf({ tenant_id })}/credentials/${reader.client_id}`;
  for (let sent = 0; sent < OPERATORS_CHANGES; sent++) {
    const headers = { 'Idempotency-Key': unique('key') };
    const body = { name: unique('name') };
    expect((await signedRequest(platform().admin, 'PUT', target, { body, headers })).status).toBe(200);
  }
});

test('on the next day the tenant changes again', async () => {
  const { tenant, admin, endpointId } = await newTenant();
  await fillDay(admin, endpointId);
  await sql`update audit_bytes set day = day - 1 where tenant_id = ${tenant.tenant_id}`;
  expect((await create(admin)).status).toBe(201);
  const [row] = await sql`
    select bytes < ${LARGEST_CHANGE} as is_new from audit_bytes where tenant_id = ${tenant.tenant_id}`;
  expect(row?.is_new).toBe(true);
});

test('refused requests are recorded up to the bytes of a day, and use up nothing of what changes may add', async () => {
  const { tenant, admin } = await newTenant();
  const denied = async () => {
    const [row] = await sql<{ entries: number }[]>`
      select count(*)::int as entries from audit_events where tenant_id = ${tenant.tenant_id} and outcome = 'DENIED'`;
    return row?.entries ?? 0;
  };
  const ask = async (caller: Profile) =>
    expectRefusal(await signedRequest(caller, 'PUT', pathOf(tenant), { body: { name: 'Mine' } }), 'FORBIDDEN');
  const callers = [tenant.reader, await createCredential(tenant.tenant_id), await createCredential(tenant.tenant_id)];
  await ask(tenant.reader);
  expect(await denied()).toBe(1);
  for (const caller of callers) for (let sent = 0; sent < 60; sent++) await ask(caller);
  const recorded = await denied();
  expect(recorded).toBeGreaterThan(60);
  expect(recorded).toBeLessThan(callers.length * 60);
  expect((await create(admin)).status).toBe(201);
});

test('a caller sees the limit', async () => {
  const { body } = await signedRequest((await createTenant()).reader, 'GET', '/api/v1/open/me');
  expect(body.limits.change_bytes_per_day).toBe(LIMIT);
});
