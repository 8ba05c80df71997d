import { allOperations, builtInRoles, scopes } from '@tenant-open-platform/contract';
import {
  createCredential,
  createTenant,
  nextMillisecond,
  type Profile,
  platform,
  signedRequest,
} from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { bodyFor } from '../../../test/support/operation-bodies.js';
import { administer, missingIds, target } from '../../../test/support/operation-ids.js';
import { unique } from '../../../test/support/unique.js';

const tenantPath = (tenantId: string) => `/api/v1/platform/tenants/${tenantId}`;

/** A credential with these scopes, of which a custom role grants some and policies the others. */
async function createMixed(tenantId: string, granted: readonly string[]): Promise<Profile> {
  const tenant = tenantPath(tenantId);
  const role = unique('role');
  const byRole = granted.filter((_, index) => index % 2 === 0);
  await administer('PUT', `${tenant}/roles/${role}`, { scopes: byRole });
  const profile = await createCredential(tenantId, { role });
  const { client_id } = profile;
  const byPolicy = granted.filter((scope) => !byRole.includes(scope));
  await Promise.all(byPolicy.map((scope) => administer('POST', `${tenant}/policies`, { client_id, scope }, 201)));
  return profile;
}

const own = await createTenant();
const ofTenant = scopes.filter((scope) => scope.startsWith('open:') || builtInRoles.tenant_admin?.includes(scope));
const half = (wanted: number) => ofTenant.filter((_, index) => Math.floor(index / 2) % 2 === wanted);
const unbound = await createCredential(own.tenant_id);
const { admin, operator, reader } = own;
const mixed = await Promise.all([
  createMixed(own.tenant_id, half(0)),
  createMixed(own.tenant_id, half(1)),
  createMixed('platform', ['platform:tenant:create', 'platform:catalog:read', 'platform:access:read']),
]);
const callers = [admin, operator, reader, unbound, platform().admin, ...mixed];

const explain = async ({ tenant_id, client_id }: Profile, operation: string) =>
  (await signedRequest(platform().admin, 'GET', `${tenantPath(tenant_id)}/access/${client_id}?operation=${operation}`))
    .body;

type Item = { client_id: string; grants: object[] };

async function list(tenantId: string, filters: string): Promise<Item[]> {
  const items: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = `${tenantPath(tenantId)}/access?limit=3${filters}${cursor && `&cursor=${cursor}`}`;
    const { status, body, raw } = await signedRequest(platform().admin, 'GET', page);
    expect(status, raw).toBe(200);
    items.push(...body.items);
    cursor = body.next_cursor;
  }
  return items;
}

describe.each(allOperations)('$name', (operation) => {
  test('is explained as granted exactly to the callers that it does not refuse with FORBIDDEN', async () => {
    const check = async (caller: Profile) => {
      const ids = { ...missingIds(), tenant_id: own.tenant_id };
      const [{ body }, explanation] = await Promise.all([
        signedRequest(caller, operation.route.method, target(operation, ids), { body: bodyFor(operation, ids) }),
        explain(caller, operation.name),
      ]);
      expect(explanation).toMatchObject({
        client_id: caller.client_id,
        scope: operation.route.metadata.scope,
        granted: body.code !== 'FORBIDDEN',
      });
      expect(explanation.granted).toBe(['GRANTED', 'NO_SCOPE_NEEDED'].includes(explanation.reason));
    };
    await Promise.all(callers.map(check));
  });
});

test('access.list has exactly the credentials whose grants access.explain shows, each with these grants', async () => {
  const operations = new Map(allOperations.map(({ name, route }) => [route.metadata.scope, name]));
  const ofOwn = callers.filter(({ tenant_id }) => tenant_id === own.tenant_id);
  const check = async (scope: (typeof scopes)[number]) => {
    const listed = await list(own.tenant_id, `&scope=${scope}`);
    const explained = await Promise.all(ofOwn.map((caller) => explain(caller, operations.get(scope) as string)));
    for (const [index, caller] of ofOwn.entries()) {
      const { grants } = explained[index];
      const item = listed.find(({ client_id }) => client_id === caller.client_id);
      expect([scope, caller.client_id, item?.grants]).toEqual([
        scope,
        caller.client_id,
        grants.length > 0 ? grants : undefined,
      ]);
    }
    expect(listed.length).toBe(new Set(listed.map(({ client_id }) => client_id)).size);
  };
  await Promise.all(scopes.map(check));
});

test('lists who has a role, who has it with a scope, and everybody with access, newest first', async () => {
  const idsOf = (items: Item[]) => items.map(({ client_id }) => client_id);
  const { tenant_id } = await createTenant();
  const first = await createCredential(tenant_id, { role: 'integration_reader' });
  await nextMillisecond();
  const second = await createCredential(tenant_id, { role: 'integration_reader' });
  const policy = { client_id: first.client_id, scope: 'open:event:read' };
  await administer('POST', `${tenantPath(tenant_id)}/policies`, policy, 201);
  const readers = idsOf(await list(tenant_id, '&role=integration_reader'));
  expect(readers.slice(0, 2)).toEqual([second.client_id, first.client_id]);
  expect(idsOf(await list(tenant_id, '&role=integration_reader&scope=open:command:create'))).toEqual([]);
  expect(idsOf(await list(tenant_id, '&role=nobody'))).toEqual([]);
  const all = await list(tenant_id, '');
  expect(idsOf(all).slice(0, 2)).toEqual([second.client_id, first.client_id]);
  const created_at = expect.stringMatching(/Z$/);
  expect(all[1]?.grants).toEqual([
    { role: 'integration_reader', policy_id: null, scope: null, created_at },
    { role: null, policy_id: expect.any(String), scope: 'open:event:read', created_at },
  ]);
});

test('names the roles that would grant the scope: built-in ones, then custom ones of this tenant', async () => {
  const role = unique('role');
  await administer('PUT', `${tenantPath(own.tenant_id)}/roles/${role}`, { scopes: ['open:catalog:read'] });
  const { granting_roles, reason } = await explain(unbound, 'catalog.get');
  expect(reason).toBe('SCOPE_MISSING');
  expect(granting_roles.slice(0, 2)).toEqual(['integration_operator', 'integration_reader']);
  expect(granting_roles).toContain(role);
  const other = await createTenant();
  const stranger = await createCredential(other.tenant_id);
  const elsewhere = await explain(stranger, 'catalog.get');
  expect(elsewhere.granting_roles).toEqual(['integration_operator', 'integration_reader', 'support_reader']);
  expect((await explain(stranger, 'tenants.get')).granting_roles).toEqual(['tenant_admin']);
  expect(await explain(unbound, 'vendors.list')).toMatchObject({ reason: 'TENANT_PLATFORM_ONLY', granting_roles: [] });
});

test('a tenant administrator explains its own tenant; a revoked role is gone from the next answer on', async () => {
  const { tenant_id, client_id } = await createCredential(own.tenant_id, { role: 'integration_reader' });
  const path = `${tenantPath(tenant_id)}/access/${client_id}?operation=commands.get`;
  const before = await signedRequest(own.admin, 'GET', path);
  expect(before.body).toMatchObject({ granted: true, grants: [{ role: 'integration_reader' }], status: 'ACTIVE' });
  await administer('DELETE', `${tenantPath(tenant_id)}/role-bindings/${client_id}/integration_reader`, undefined);
  expect((await signedRequest(own.admin, 'GET', path)).body).toMatchObject({ granted: false, grants: [] });
});

test('refuses an unknown operation and an unknown scope', async () => {
  const path = `${tenantPath(own.tenant_id)}/access`;
  const unknown = await signedRequest(own.admin, 'GET', `${path}/${unbound.client_id}?operation=commands.destroy`);
  expectRefusal(unknown, 'VALIDATION_FAILED');
  expect(unknown.body.details).toMatchObject([{ location: 'query/operation' }]);
  expectRefusal(await signedRequest(own.admin, 'GET', `${path}?scope=open:command:destroy`), 'SCOPE_UNKNOWN');
});
