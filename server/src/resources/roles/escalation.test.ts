import { builtInRoles, platformTenantScopes, scopes } from '@tenant-open-platform/contract';
import {
  type Answer,
  createCredential,
  createTenant,
  type Profile,
  platform,
  signedRequest,
  type TestTenant,
} from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';

/** A custom role that grants a platform scope. */
const STRONG_ROLE = 'strong';

const of = ({ tenant_id }: { tenant_id: string }) => `/api/v1/platform/tenants/${tenant_id}`;
const PLATFORM = '/api/v1/platform/tenants/platform';

async function holding(scopes: string[], { tenant_id, admin }: TestTenant = tenant): Promise<Profile> {
  const profile = await createCredential(tenant_id);
  for (const scope of scopes) {
    const body = { client_id: profile.client_id, scope };
    expect((await signedRequest(admin, 'POST', `${of(profile)}/policies`, { body })).status).toBe(201);
  }
  return profile;
}

const [tenant, other] = await Promise.all([createTenant(), createTenant()]);
const access = ['create', 'read', 'update', 'delete'].map((action) => `platform:access:${action}`);
/** May grant access, and nothing else. */
const accessManager = await holding(access);
/** May change credentials, and nothing else. */
const credentialManager = await holding(['create', 'read', 'update'].map((action) => `platform:credential:${action}`));
const bystander = await createCredential(tenant.tenant_id);
const policies = `${of(tenant)}/policies?client_id=${credentialManager.client_id}`;
/** A policy of credentialManager: grants it a platform scope. */
const policyId = (await signedRequest(tenant.admin, 'GET', policies)).body.items[0].policy_id;
const strong = { scopes: ['platform:credential:create'] };
const role = await signedRequest(tenant.admin, 'PUT', `${of(tenant)}/roles/${STRONG_ROLE}`, { body: strong });
expect(role.status).toBe(200);

type Attempt = [name: string, by: () => Profile, method: string, target: () => string, body?: () => object];

const attempts: Attempt[] = [
  [
    'a tenant administrator binds itself to platform_admin in its own tenant',
    () => tenant.admin,
    'POST',
    () => `${of(tenant)}/role-bindings`,
    () => ({ client_id: tenant.admin.client_id, role: 'platform_admin' }),
  ],
  [
    'a tenant administrator creates a custom role named platform_admin',
    () => tenant.admin,
    'PUT',
    () => `${of(tenant)}/roles/platform_admin`,
    () => ({ scopes: ['open:command:read'] }),
  ],
  [
    'a tenant administrator binds itself to platform_admin in tenant platform',
    () => tenant.admin,
    'POST',
    () => `${PLATFORM}/role-bindings`,
    () => ({ client_id: tenant.admin.client_id, role: 'platform_admin' }),
  ],
  [
    'a tenant administrator binds a role in another tenant',
    () => tenant.admin,
    'POST',
    () => `${of(other)}/role-bindings`,
    () => ({ client_id: other.reader.client_id, role: 'tenant_admin' }),
  ],
  [
    'a tenant administrator creates a credential in another tenant',
    () => tenant.admin,
    'POST',
    () => `${of(other)}/credentials`,
    () => ({ client_id: 'intruder', name: 'Intruder' }),
  ],
  [
    'a tenant administrator creates a tenant',
    () => tenant.admin,
    'POST',
    () => '/api/v1/platform/tenants',
    () => ({ tenant_id: 'intruder', name: 'Intruder' }),
  ],
  ['a tenant administrator renames its tenant', () => tenant.admin, 'PUT', () => of(tenant), () => ({ name: 'Mine' })],
  [
    'a tenant administrator enables a vendor',
    () => tenant.admin,
    'PUT',
    () => '/api/v1/platform/catalog/vendors/vendor_a',
    () => ({ enabled: true }),
  ],
  [
    'a tenant administrator rotates a credential of tenant platform',
    () => tenant.admin,
    'PUT',
    () => `${PLATFORM}/credentials/platform-admin`,
    () => ({ rotate_secret: true }),
  ],
  [
    'an access manager binds itself to tenant_admin',
    () => accessManager,
    'POST',
    () => `${of(tenant)}/role-bindings`,
    () => ({ client_id: accessManager.client_id, role: 'tenant_admin' }),
  ],
  [
    'an access manager creates a role with a platform scope that it lacks',
    () => accessManager,
    'PUT',
    () => `${of(tenant)}/roles/stronger`,
    () => ({ scopes: ['open:command:read', 'platform:credential:create'] }),
  ],
  [
    'an access manager grants itself a platform scope that it lacks',
    () => accessManager,
    'POST',
    () => `${of(tenant)}/policies`,
    () => ({ client_id: accessManager.client_id, scope: 'platform:credential:update' }),
  ],
  [
    'an access manager binds itself to a custom role with a platform scope that it lacks',
    () => accessManager,
    'POST',
    () => `${of(tenant)}/role-bindings`,
    () => ({ client_id: accessManager.client_id, role: STRONG_ROLE }),
  ],
  [
    'an access manager removes a platform scope that it lacks from a role',
    () => accessManager,
    'PUT',
    () => `${of(tenant)}/roles/${STRONG_ROLE}`,
    () => ({ scopes: ['open:command:read'] }),
  ],
  [
    'an access manager deletes a role with a platform scope that it lacks',
    () => accessManager,
    'DELETE',
    () => `${of(tenant)}/roles/${STRONG_ROLE}`,
  ],
  [
    'an access manager deletes a policy with a platform scope that it lacks',
    () => accessManager,
    'DELETE',
    () => `${of(tenant)}/policies/${policyId}`,
  ],
  [
    'an access manager revokes a policy with a platform scope that it lacks, by client and scope',
    () => accessManager,
    'DELETE',
    () => `${policies}&scope=platform:credential:create`,
  ],
  [
    'an access manager unbinds the tenant administrator',
    () => accessManager,
    'DELETE',
    () => `${of(tenant)}/role-bindings/${tenant.admin.client_id}/tenant_admin`,
  ],
  [
    'a credential manager rotates the tenant administrator by PUT',
    () => credentialManager,
    'PUT',
    () => `${of(tenant)}/credentials/${tenant.admin.client_id}`,
    () => ({ rotate_secret: true }),
  ],
  [
    'a credential manager rotates the tenant administrator by POST',
    () => credentialManager,
    'POST',
    () => `${of(tenant)}/credentials`,
    () => ({ client_id: tenant.admin.client_id, name: 'Mine', rotate_secret: true }),
  ],
  [
    'a credential manager disables a credential with platform scopes from a direct policy',
    () => credentialManager,
    'PUT',
    () => `${of(tenant)}/credentials/${accessManager.client_id}`,
    () => ({ status: 'DISABLED' }),
  ],
  [
    'an operator creates a credential',
    () => tenant.operator,
    'POST',
    () => `${of(tenant)}/credentials`,
    () => ({ client_id: 'intruder', name: 'Intruder' }),
  ],
  ...platformTenantScopes.map(
    (scope): Attempt => [
      `a tenant administrator grants ${scope}`,
      () => tenant.admin,
      'POST',
      () => `${of(tenant)}/policies`,
      () => ({ client_id: bystander.client_id, scope }),
    ],
  ),
];

const auditOf = async (caller: Profile, requestId: unknown) => {
  const target = `${of(caller)}/audit-events?client_id=${caller.client_id}`;
  const { body } = await signedRequest(platform().admin, 'GET', target);
  return body.items.filter(({ request_id }: { request_id: string }) => request_id === requestId);
};

const me = async (caller: Profile) => {
  const { body } = await signedRequest(caller, 'GET', '/api/v1/open/me');
  return { roles: body.roles, scopes: body.scopes };
};

test.each(attempts)('%s: is refused, audited, and has no effect', async (_name, by, method, target, body) => {
  const everyone = [tenant.admin, other.reader, accessManager, credentialManager, bystander];
  const before = await Promise.all(everyone.map(me));
  const answer = await signedRequest(by(), method, target(), body ? { body: body() } : {});
  expect([answer.status, answer.body.code]).toEqual([403, 'FORBIDDEN']);
  expect(await auditOf(by(), answer.body.request_id)).toEqual([
    expect.objectContaining({
      tenant_id: by().tenant_id,
      client_id: by().client_id,
      target: target().slice('/api/v1/'.length).split('?', 1)[0],
      outcome: 'DENIED',
      changes: [],
    }),
  ]);
  expect(await Promise.all(everyone.map(me))).toEqual(before);
});

test('a platform administrator cannot grant a scope of tenant platform in another tenant', async () => {
  const admin = platform().admin;
  const inRole = { scopes: ['open:command:read', ...platformTenantScopes] };
  const answers: Answer[] = [
    await signedRequest(admin, 'PUT', `${of(tenant)}/roles/misplaced`, { body: inRole }),
    await signedRequest(admin, 'POST', `${of(tenant)}/policies`, {
      body: { client_id: bystander.client_id, scope: platformTenantScopes[0] },
    }),
  ];
  expect(answers.map(({ status, body }) => [status, body.code, body.details.length])).toEqual([
    [422, 'SCOPE_UNKNOWN', platformTenantScopes.length],
    [422, 'SCOPE_UNKNOWN', 1],
  ]);
});

test('a tenant administrator grants and revokes every open scope and every platform scope of its own', async () => {
  const own = builtInRoles.tenant_admin ?? [];
  const grantable = scopes.filter((scope) => scope.startsWith('open:') || own.includes(scope));
  const helper = await holding([...grantable]);
  expect((await me(helper)).scopes).toEqual(grantable);
  const rotate = { body: { rotate_secret: true, previous_secret_ttl_seconds: 60 } };
  const credential = `${of(tenant)}/credentials/${helper.client_id}`;
  expect((await signedRequest(tenant.admin, 'PUT', credential, rotate)).status).toBe(200);
  const policies = `${of(tenant)}/policies`;
  const { body } = await signedRequest(tenant.admin, 'GET', `${policies}?client_id=${helper.client_id}`);
  for (const { policy_id } of body.items) {
    expect((await signedRequest(tenant.admin, 'DELETE', `${policies}/${policy_id}`)).status).toBe(200);
  }
  expect((await me(helper)).scopes).toEqual([]);
});

test('the audit log keeps at most 60 denials of a client a minute', async () => {
  const { tenant_id, operator } = await createTenant();
  const denied = Array.from({ length: 70 }, () =>
    signedRequest(operator, 'POST', `${of({ tenant_id })}/credentials`, { body: {} }),
  );
  expect((await Promise.all(denied)).every(({ status }) => status === 403)).toBe(true);
  const { body } = await signedRequest(
    platform().admin,
    'GET',
    `${of({ tenant_id })}/audit-events?client_id=${operator.client_id}&limit=500`,
  );
  expect(body.items.length).toBeGreaterThan(0);
  // All of them reached one node.
  expect(body.items.length).toBeLessThanOrEqual(60);
});
