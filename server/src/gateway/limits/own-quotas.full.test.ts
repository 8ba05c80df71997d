import {
  type Answer,
  createCredential,
  createTenant,
  type Profile,
  platform,
  signedRequest,
  type TestTenant,
} from '@tenant-open-platform/testing';
import { beforeEach, expect, test } from 'vitest';
import { COMMANDS } from '../../../test/support/commands.js';
import { unique } from '../../../test/support/unique.js';

const ME = '/api/v1/open/me';
/** Of the platforms of the tests, and ten times as many for a tenant. */
const CONFIGURED = 1_000_000;

let tenant: TestTenant;
let caller: Profile;

beforeEach(async () => {
  tenant = await createTenant();
  caller = await createCredential(tenant.tenant_id, { role: 'integration_operator' });
});

const ofTenant = () => `/api/v1/platform/tenants/${tenant.tenant_id}`;

async function setQuota(target: string, requests_per_minute: number | null): Promise<void> {
  const answer = await signedRequest(platform().admin, 'PUT', target, { body: { requests_per_minute } });
  expect([answer.status, answer.body.requests_per_minute]).toEqual([200, requests_per_minute]);
}
const setOwn = (quota: number | null) => setQuota(`${ofTenant()}/credentials/${caller.client_id}`, quota);
const setOfTenant = (quota: number | null) => setQuota(ofTenant(), quota);

const ask = (node?: string, who = caller) => signedRequest(who, 'GET', ME, node ? { node } : {});

function expectRefused({ status, headers, body }: Answer, quota: string, limit: number): void {
  expect([status, body.code, body.metadata]).toEqual([429, 'RATE_LIMITED', { quota, limit }]);
  expect(headers['ratelimit-policy']).toBe(`"${quota}";q=${limit};w=60`);
}

test('a quota of a credential applies on every node from the next request on: lower, higher, and as configured again', async () => {
  for (const node of platform().nodes) {
    await setOwn(2);
    expect([(await ask(node)).status, (await ask(node)).status]).toEqual([200, 200]);
    expectRefused(await ask(node), 'credential', 2);
    await setOwn(4);
    expect((await ask(node)).status).toBe(200);
    expectRefused(await ask(node), 'credential', 4);
    await setOwn(null);
    expect((await ask(node)).status).toBe(200);
    await setOwn(1);
    expectRefused(await ask(node), 'credential', 1);
  }
});

test('a quota of a tenant applies to all its credentials together, and no credential can be raised above it', async () => {
  const [node] = platform().nodes;
  const second = await createCredential(tenant.tenant_id);
  await setOfTenant(3);
  await setOwn(1_000);
  expect((await ask(node)).body.limits).toMatchObject({ requests_per_minute: 3, requests_per_minute_per_tenant: 3 });
  expect([(await ask(node)).status, (await ask(node, second)).status]).toEqual([200, 200]);
  expectRefused(await ask(node), 'tenant', 3);
  expectRefused(await ask(node, second), 'tenant', 3);
  await setOfTenant(null);
  expect((await ask(node)).body.limits).toMatchObject({
    requests_per_minute: 1_000,
    requests_per_minute_per_tenant: 10 * CONFIGURED,
  });
});

test('commands count too: above the quota nothing is stored, and after it is raised they are accepted', async () => {
  const [node] = platform().nodes;
  const send = (key: string) => {
    const command = { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {} };
    return signedRequest(caller, 'POST', COMMANDS, {
      body: { ...command, idempotency_key: key },
      ...(node && { node }),
    });
  };
  const keys = [unique('key'), unique('key'), unique('key')] as const;
  await setOwn(1);
  expect((await send(keys[0])).status).toBe(202);
  expectRefused(await send(keys[1]), 'credential', 1);
  await setOwn(10);
  expect((await send(keys[2])).status).toBe(202);
  const { body } = await signedRequest(tenant.reader, 'GET', COMMANDS);
  const stored = body.items.map(({ idempotency_key }: { idempotency_key: string }) => idempotency_key);
  expect(stored.toSorted()).toEqual([keys[0], keys[2]].toSorted());
});

test('a tenant or credential is created with its quota, shown, and changed only to a quota that is allowed', async () => {
  const tenantId = unique('quota');
  const created = await signedRequest(platform().admin, 'POST', '/api/v1/platform/tenants', {
    body: { tenant_id: tenantId, name: 'Quota', requests_per_minute: 500 },
  });
  expect([created.status, created.body.requests_per_minute]).toEqual([201, 500]);
  const { client_id } = await createCredential(tenantId, { requests_per_minute: 50 });
  const target = `/api/v1/platform/tenants/${tenantId}/credentials/${client_id}`;
  const credential = await signedRequest(platform().admin, 'GET', target);
  expect(credential.body.requests_per_minute).toBe(50);
  const other = await signedRequest(platform().admin, 'PUT', target, { body: { name: 'Renamed' } });
  expect([other.status, other.body.requests_per_minute]).toEqual([200, 50]);
  for (const requests_per_minute of [0, -1, 1.5, 1_000_000_001, '5']) {
    const refused = await signedRequest(platform().admin, 'PUT', target, { body: { requests_per_minute } });
    expect([refused.status, refused.body.code]).toEqual([400, 'VALIDATION_FAILED']);
  }
  const byTenant = await signedRequest(tenant.admin, 'PUT', ofTenant(), { body: { requests_per_minute: 5 } });
  expect([byTenant.status, byTenant.body.code]).toEqual([403, 'FORBIDDEN']);
});
