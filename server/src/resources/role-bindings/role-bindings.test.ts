import { randomUUID } from 'node:crypto';
import { builtInRoles } from '@tenant-open-platform/contract';
import { createCredential, createTenant, type Profile, platform, signedRequest } from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';

const PLATFORM = '/api/v1/platform/tenants/platform';

const [tenant, other] = await Promise.all([createTenant(), createTenant()]);

const bindings = (tenantId = tenant.tenant_id) => `/api/v1/platform/tenants/${tenantId}/role-bindings`;

const bind = (caller: Profile, client_id: string, role: string, path = bindings()) =>
  signedRequest(caller, 'POST', path, { body: { client_id, role } });

const unbind = (caller: Profile, client_id: string, role: string, path = bindings()) =>
  signedRequest(caller, 'DELETE', `${path}/${client_id}/${role}`);

const meOf = async (caller: Profile) => (await signedRequest(caller, 'GET', '/api/v1/open/me')).body;

describe('a binding', () => {
  test('grants and revokes from the very next request on', async () => {
    const profile = await createCredential(tenant.tenant_id);
    const ask = async () => (await signedRequest(profile, 'GET', '/api/v1/open/catalog')).status;
    expect([await ask(), (await meOf(profile)).scopes]).toEqual([403, []]);

    const bound = await bind(tenant.admin, profile.client_id, 'integration_reader');
    expect([bound.status, bound.body]).toEqual([
      201,
      {
        client_id: profile.client_id,
        role: 'integration_reader',
        created_at: expect.stringMatching(/Z$/),
        request_id: bound.headers['x-request-id'],
      },
    ]);
    expect([await ask(), (await meOf(profile)).roles]).toEqual([200, ['integration_reader']]);
    expect((await meOf(profile)).scopes).toEqual(builtInRoles.integration_reader);

    const unbound = await unbind(tenant.admin, profile.client_id, 'integration_reader');
    expect([unbound.status, unbound.body]).toEqual([
      200,
      {
        client_id: profile.client_id,
        role: 'integration_reader',
        deleted: true,
        request_id: unbound.headers['x-request-id'],
      },
    ]);
    expect(await ask()).toBe(403);
  });

  test('exists once, and is gone once deleted', async () => {
    const { client_id } = await createCredential(tenant.tenant_id, { role: 'integration_reader' });
    const again = await bind(tenant.admin, client_id, 'integration_reader');
    expect([again.status, again.body.code]).toEqual([409, 'ROLE_BINDING_ALREADY_EXISTS']);
    expect((await unbind(tenant.admin, client_id, 'integration_reader')).status).toBe(200);
    expect((await unbind(tenant.admin, client_id, 'integration_reader')).body.code).toBe('NOT_FOUND');
    expect((await bind(tenant.admin, client_id, 'integration_reader')).status).toBe(201);
  });

  test('answers a foreign client_id like a missing one, and a role that the tenant does not have', async () => {
    const headers = { 'X-Request-Id': randomUUID() };
    const attempt = (client_id: string, role: string) =>
      signedRequest(tenant.admin, 'POST', bindings(), { body: { client_id, role }, headers });
    const missing = await attempt('never-existed', 'integration_reader');
    expect([missing.status, missing.body.code]).toEqual([404, 'NOT_FOUND']);
    expect(missing.body.details).toMatchObject([{ location: 'body/client_id' }]);
    expect((await attempt(other.reader.client_id, 'integration_reader')).raw).toBe(missing.raw);
    for (const role of ['integration_missing', 'constructor']) {
      const { status, body } = await attempt(tenant.reader.client_id, role);
      expect([status, body.code, body.details?.[0].location]).toEqual([404, 'NOT_FOUND', 'body/role']);
    }
  });

  test('is refused for a deleted credential, with that reason', async () => {
    const { client_id } = await createCredential(tenant.tenant_id, { status: 'DELETED' });
    const { status, body } = await bind(tenant.admin, client_id, 'integration_reader');
    expect([status, body.code]).toEqual([409, 'CREDENTIAL_DELETED']);
  });

  test('is listed by client', async () => {
    const { client_id } = tenant.operator;
    const { body } = await signedRequest(tenant.admin, 'GET', `${bindings()}?client_id=${client_id}`);
    expect(body.items).toMatchObject([{ client_id, role: 'integration_operator' }]);
    const foreign = await signedRequest(tenant.admin, 'GET', `${bindings()}?client_id=${other.reader.client_id}`);
    expect(foreign.body.items).toEqual([]);
  });
});

test('a tenant lists the built-in roles that it can use; only tenant platform has additional ones', async () => {
  // Other tests create custom roles in tenant platform.
  const rolesOf = async (caller: Profile, path: string) =>
    (await signedRequest(caller, 'GET', `${path}/roles`)).body.items
      .map(({ role }: { role: string }) => role)
      .filter((role: string) => Object.hasOwn(builtInRoles, role));
  const inTenant = ['tenant_admin', 'integration_operator', 'integration_reader', 'support_reader'];
  expect(await rolesOf(tenant.admin, `/api/v1/platform/tenants/${tenant.tenant_id}`)).toEqual(inTenant);
  expect(await rolesOf(platform().admin, PLATFORM)).toEqual(['platform_admin', ...inTenant]);
});

describe('granting', () => {
  /**
   * A credential of tenant platform that administers only platform, and lacks the additional scopes of platform_admin.
   */
  const createLesserAdministrator = () => createCredential('platform', { role: 'tenant_admin' });

  test('a tenant administrator grants its own scopes and every open scope', async () => {
    for (const role of ['tenant_admin', 'integration_operator', 'integration_reader', 'support_reader']) {
      const { client_id } = await createCredential(tenant.tenant_id);
      expect((await bind(tenant.admin, client_id, role)).status).toBe(201);
    }
  });

  test('nobody grants or revokes a platform scope that it lacks', async () => {
    const lesser = await createLesserAdministrator();
    const { client_id } = await createCredential('platform');
    const granted = await bind(lesser, client_id, 'platform_admin', `${PLATFORM}/role-bindings`);
    expect([granted.status, granted.body.code]).toEqual([403, 'FORBIDDEN']);
    expect(granted.body.metadata.required_scope).toMatch(/^platform:/);
    const self = await bind(lesser, lesser.client_id, 'platform_admin', `${PLATFORM}/role-bindings`);
    expect(self.status).toBe(403);

    const administrator = await createCredential('platform', { role: 'platform_admin' });
    const taken = await unbind(lesser, administrator.client_id, 'platform_admin', `${PLATFORM}/role-bindings`);
    expect(taken.status).toBe(403);
    expect((await meOf(administrator)).roles).toEqual(['platform_admin']);
  });

  test('platform_admin is bound in tenant platform only, even by an administrator who has all of its scopes', async () => {
    const profile = await createCredential(tenant.tenant_id);
    const { status, body } = await bind(platform().admin, profile.client_id, 'platform_admin');
    expect([status, body.code, body.details?.[0].location]).toEqual([404, 'NOT_FOUND', 'body/role']);
    expect((await meOf(profile)).roles).toEqual([]);
  });

  test('nobody changes, disables or rotates a credential with a platform scope that it lacks', async () => {
    const lesser = await createLesserAdministrator();
    const administrator = await createCredential('platform', { role: 'platform_admin' });
    const { client_id } = administrator;
    const target = `${PLATFORM}/credentials/${client_id}`;
    for (const body of [{ name: 'Mine' }, { status: 'DISABLED' }, { rotate_secret: true }]) {
      const { status, raw } = await signedRequest(lesser, 'PUT', target, { body });
      expect(status).toBe(403);
      expect(raw).not.toContain('osk_');
    }
    const rotated = await signedRequest(lesser, 'POST', `${PLATFORM}/credentials`, {
      body: { client_id, name: 'Mine', rotate_secret: true },
    });
    expect(rotated.status).toBe(403);
    expect(await meOf(administrator)).toMatchObject({ client_id, roles: ['platform_admin'] });
  });

  test('a tenant administrator cannot change a credential of tenant platform', async () => {
    const { client_id } = platform().admin;
    for (const [method, target, body] of [
      ['GET', `${PLATFORM}/credentials/${client_id}`, undefined],
      ['PUT', `${PLATFORM}/credentials/${client_id}`, { rotate_secret: true }],
      ['POST', `${PLATFORM}/credentials`, { client_id, name: 'Mine', rotate_secret: true }],
      ['POST', `${PLATFORM}/role-bindings`, { client_id: tenant.admin.client_id, role: 'platform_admin' }],
    ] as const) {
      expect((await signedRequest(tenant.admin, method, target, { body })).status).toBe(403);
    }
    const { status, body } = await signedRequest(
      tenant.admin,
      'POST',
      `/api/v1/platform/tenants/${tenant.tenant_id}/credentials`,
      { body: { client_id, name: 'Mine', rotate_secret: true } },
    );
    expect([status, body.code]).toEqual([409, 'CREDENTIAL_ALREADY_EXISTS']);
  });

  test('a tenant without tenant_admin cannot rotate its administrator', async () => {
    const target = `/api/v1/platform/tenants/${tenant.tenant_id}/credentials/${tenant.admin.client_id}`;
    const { status } = await signedRequest(tenant.operator, 'PUT', target, { body: { rotate_secret: true } });
    expect(status).toBe(403);
  });
});
