import { builtInRoles, scopes } from '@tenant-open-platform/contract';
import {
  createCredential,
  createTenant,
  type Profile,
  platform,
  signedRequest,
  type TestTenant,
} from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';

const tenant = await createTenant();

const pathOf = (role: string, { tenant_id } = tenant) => `/api/v1/platform/tenants/${tenant_id}/roles/${role}`;
const bindings = () => `/api/v1/platform/tenants/${tenant.tenant_id}/role-bindings`;

const put = (role: string, scopes: string[], caller: Profile = tenant.admin) =>
  signedRequest(caller, 'PUT', pathOf(role), { body: { scopes } });

const remove = (role: string, caller: Profile = tenant.admin) => signedRequest(caller, 'DELETE', pathOf(role));

const bind = (client_id: string, role: string) =>
  signedRequest(tenant.admin, 'POST', bindings(), { body: { client_id, role } });

const scopesOf = async (caller: Profile) => (await signedRequest(caller, 'GET', '/api/v1/open/me')).body.scopes;

async function rolesOf({ tenant_id, admin }: TestTenant, limit = 100): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for (let cursor = ''; ; ) {
    const target = `/api/v1/platform/tenants/${tenant_id}/roles?limit=${limit}${cursor}`;
    const { body } = await signedRequest(admin, 'GET', target);
    items.push(...body.items);
    if (body.next_cursor === null) return items;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

test('a custom role grants exactly its scopes, from the very next request on, to every credential bound to it', async () => {
  const profile = await createCredential(tenant.tenant_id);
  const made = await put('repliers', ['open:device-request:create', 'open:device-request:read']);
  expect([made.status, made.body]).toEqual([
    200,
    {
      role: 'repliers',
      scopes: ['open:device-request:read', 'open:device-request:create'],
      built_in: false,
      request_id: made.headers['x-request-id'],
    },
  ]);
  expect((await bind(profile.client_id, 'repliers')).status).toBe(201);
  const readCatalog = async () => (await signedRequest(profile, 'GET', '/api/v1/open/catalog')).status;
  expect([await readCatalog(), await scopesOf(profile)]).toEqual([
    403,
    ['open:device-request:read', 'open:device-request:create'],
  ]);
  expect((await put('repliers', ['open:catalog:read'])).status).toBe(200);
  expect([await readCatalog(), await scopesOf(profile)]).toEqual([200, ['open:catalog:read']]);
  expect((await put('repliers', [])).status).toBe(200);
  expect([await readCatalog(), await scopesOf(profile)]).toEqual([403, []]);
});

test('a role can be deleted once no credential is bound to it', async () => {
  const { client_id } = await createCredential(tenant.tenant_id);
  await put('temporary', ['open:catalog:read']);
  await bind(client_id, 'temporary');
  expect((await remove('temporary')).body.code).toBe('ROLE_IN_USE');
  expect((await signedRequest(tenant.admin, 'DELETE', `${bindings()}/${client_id}/temporary`)).status).toBe(200);
  const deleted = await remove('temporary');
  expect([deleted.status, deleted.body]).toEqual([
    200,
    { role: 'temporary', deleted: true, request_id: deleted.headers['x-request-id'] },
  ]);
  expect((await remove('temporary')).body.code).toBe('NOT_FOUND');
  const bound = await bind(client_id, 'temporary');
  expect([bound.body.code, bound.body.details[0].location]).toEqual(['NOT_FOUND', 'body/role']);
});

test('a role deleted and bound concurrently leaves no binding to a missing role', async () => {
  for (let round = 0; round < 10; round++) {
    const role = `contested-${round}`;
    const { client_id } = await createCredential(tenant.tenant_id);
    await put(role, ['open:catalog:read']);
    const [deleted, bound] = await Promise.all([remove(role), bind(client_id, role)]);
    const outcome = [deleted.body.code ?? deleted.status, bound.body.code ?? bound.status];
    expect([
      [200, 'NOT_FOUND'],
      ['ROLE_IN_USE', 201],
    ]).toContainEqual(outcome);
  }
});

test('of 20 concurrent replacements one wins as a whole', async () => {
  const open = scopes.filter((scope) => scope.startsWith('open:'));
  const asked = Array.from({ length: 20 }, (_, index) => open.filter((_scope, at) => (at + index) % 3 === 0));
  const answers = await Promise.all(asked.map((names) => put('raced', names)));
  expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
  const raced = (await rolesOf(tenant)).find(({ role }) => role === 'raced');
  expect(asked).toContainEqual(raced?.scopes);
});

test.each(Object.keys(builtInRoles))('the built-in role %s can be neither replaced nor deleted', async (role) => {
  // A caller without the granted scopes gets 403.
  const code = role === 'platform_admin' ? 'FORBIDDEN' : 'ROLE_BUILT_IN';
  expect((await put(role, [])).body.code).toBe(code);
  expect((await remove(role)).body.code).toBe(code);
});

describe('a scope', () => {
  test('that does not exist is refused with its location', async () => {
    const { status, body } = await put('mistaken', ['open:command:read', 'open:command:delete', 'open:commands:read']);
    expect([status, body.code]).toEqual([422, 'SCOPE_UNKNOWN']);
    expect(body.details.map(({ location }: { location: string }) => location)).toEqual([
      'body/scopes/1',
      'body/scopes/2',
    ]);
  });

  test.each([
    [['open:command:read', 'open:command:read']],
    [['OPEN:command:read']],
    [['open']],
    [['open:command:read ']],
    [[`open:${'x'.repeat(40)}:read`]],
  ])('that is malformed or repeated is refused: %j', async (names) => {
    expect((await put('mistaken', names)).body.code).toBe('VALIDATION_FAILED');
  });
});

test('lists the built-in roles, then the custom roles by name, in pages of any size, and none of another tenant', async () => {
  const fresh = await createTenant();
  const own = ['zebra', 'apple', 'mango', '0', 'a-b', 'a_b'];
  for (const role of own) {
    await signedRequest(fresh.admin, 'PUT', pathOf(role, fresh), { body: { scopes: ['open:catalog:read'] } });
  }
  const whole = await rolesOf(fresh);
  expect(whole.map(({ role }) => role)).toEqual([
    'tenant_admin',
    'integration_operator',
    'integration_reader',
    'support_reader',
    ...whole.slice(4).map(({ role }) => role),
  ]);
  expect(whole.slice(4).map(({ role }) => role)).toHaveLength(own.length);
  expect(new Set(whole.slice(4).map(({ role }) => role))).toEqual(new Set(own));
  const withoutRequestIds = (roles: Record<string, unknown>[]) => roles.map(({ request_id: _, ...role }) => role);
  for (const limit of [1, 2, 3, 4, 9, 10])
    expect([limit, withoutRequestIds(await rolesOf(fresh, limit))]).toEqual([limit, withoutRequestIds(whole)]);
});

test('a custom role grants nothing of a role with the same name in another tenant', async () => {
  const [own, other] = [await createTenant(), await createTenant()];
  const { admin } = platform();
  const at = (tenantId: string) => `/api/v1/platform/tenants/${tenantId}`;
  const put = async (tenantId: string, scopes: string[]) =>
    expect((await signedRequest(admin, 'PUT', `${at(tenantId)}/roles/same`, { body: { scopes } })).status).toBe(200);
  await put(own.tenant_id, ['open:catalog:read']);
  await put(other.tenant_id, ['open:event:read']);
  const caller = await createCredential(own.tenant_id);
  const body = { client_id: caller.client_id, role: 'same' };
  expect((await signedRequest(admin, 'POST', `${at(own.tenant_id)}/role-bindings`, { body })).status).toBe(201);
  expect((await signedRequest(caller, 'GET', '/api/v1/open/catalog')).status).toBe(200);
  expect((await signedRequest(caller, 'GET', '/api/v1/open/events')).body.code).toBe('FORBIDDEN');
});
