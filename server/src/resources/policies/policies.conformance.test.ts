import {
  createCredential,
  createTenant,
  nextMillisecond,
  type Profile,
  platform,
  signedRequest,
} from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';

const [tenant, other] = await Promise.all([createTenant(), createTenant()]);

const policies = ({ tenant_id } = tenant) => `/api/v1/platform/tenants/${tenant_id}/policies`;

const grant = (client_id: string, scope: string, caller: Profile = tenant.admin) =>
  signedRequest(caller, 'POST', policies(), { body: { client_id, scope } });

const revoke = (policyId: string, of = tenant) => signedRequest(of.admin, 'DELETE', `${policies(of)}/${policyId}`);

const readCatalog = async (caller: Profile) => (await signedRequest(caller, 'GET', '/api/v1/open/catalog')).status;

test('grants one permission directly, and revokes it from the very next request on', async () => {
  const profile = await createCredential(tenant.tenant_id);
  expect(await readCatalog(profile)).toBe(403);
  const granted = await grant(profile.client_id, 'open:catalog:read');
  expect([granted.status, granted.body]).toEqual([
    201,
    {
      policy_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      client_id: profile.client_id,
      scope: 'open:catalog:read',
      created_at: expect.stringMatching(/Z$/),
      request_id: granted.headers['x-request-id'],
    },
  ]);
  expect(await readCatalog(profile)).toBe(200);
  const me = await signedRequest(profile, 'GET', '/api/v1/open/me');
  expect([me.body.roles, me.body.scopes]).toEqual([[], ['open:catalog:read']]);

  const { policy_id } = granted.body;
  expect((await revoke(policy_id, other)).body.code).toBe('NOT_FOUND');
  const revoked = await revoke(policy_id);
  expect([revoked.status, revoked.body]).toEqual([
    200,
    { policy_id, deleted: true, request_id: revoked.headers['x-request-id'] },
  ]);
  expect(await readCatalog(profile)).toBe(403);
  expect((await revoke(policy_id)).body.code).toBe('NOT_FOUND');
});

test('revoked by client and scope, a permission is gone, and every other one stays', async () => {
  const [profile, bystander] = await Promise.all([
    createCredential(tenant.tenant_id),
    createCredential(tenant.tenant_id),
  ]);
  const scopes = ['open:command:read', 'open:command:create', 'open:event:read'];
  for (const { client_id } of [profile, bystander]) {
    for (const scope of scopes) expect((await grant(client_id, scope)).status).toBe(201);
  }
  const scopesOf = async (caller: Profile) =>
    (await signedRequest(caller, 'GET', '/api/v1/open/me')).body.scopes.sort();
  const all = await scopesOf(profile);
  const target = `${policies()}?client_id=${profile.client_id}&scope=open:command:read`;
  const revoked = await signedRequest(tenant.admin, 'DELETE', target);
  expect([revoked.status, revoked.body.client_id, revoked.body.scope]).toEqual([
    200,
    profile.client_id,
    'open:command:read',
  ]);
  expect(await scopesOf(profile)).toEqual(all.filter((scope: string) => scope !== 'open:command:read'));
  expect(await scopesOf(bystander)).toEqual(all);
  expect((await signedRequest(tenant.admin, 'DELETE', target)).body.code).toBe('NOT_FOUND');
});

test('a policy of a role is not deleted by its id: it changes with the role', async () => {
  const { tenant_id, admin } = await createTenant();
  const below = `/api/v1/platform/tenants/${tenant_id}`;
  await signedRequest(admin, 'PUT', `${below}/roles/lister`, { body: { scopes: ['open:callback:read'] } });
  const administer = (method: string, target: string, body?: object) =>
    signedRequest(platform().admin, method, `${below}${target}`, body && { body });
  await administer('PUT', '', { status: 'DISABLED' });
  // Only an export shows the id.
  const exported = async () =>
    (await administer('GET', '/export?limit=500')).body.items.filter(
      ({ type, data }: { type: string; data: { role: string | null } }) => type === 'policy' && data.role === 'lister',
    );
  const [policy] = await exported();
  expect((await administer('DELETE', `/policies/${policy.data.policy_id}`)).body.code).toBe('NOT_FOUND');
  expect(await exported()).toEqual([policy]);
});

test('grants only this permission, and no other on the same object', async () => {
  const profile = await createCredential(tenant.tenant_id);
  await grant(profile.client_id, 'open:command:cancel');
  const { body } = await signedRequest(profile, 'GET', '/api/v1/open/downlink/commands');
  expect([body.code, body.metadata.required_scope]).toEqual(['FORBIDDEN', 'open:command:read']);
});

test('of 20 concurrent grants of the same permission one is created', async () => {
  const { client_id } = await createCredential(tenant.tenant_id);
  const answers = await Promise.all(Array.from({ length: 20 }, () => grant(client_id, 'open:event:read')));
  const codes = answers.map(({ status, body }) => body.code ?? status).sort();
  expect(codes).toEqual([201, ...Array(19).fill('POLICY_ALREADY_EXISTS')]);
});

test('refuses an unknown scope, and a credential that is missing, foreign or deleted', async () => {
  const { client_id } = await createCredential(tenant.tenant_id, { status: 'DELETED' });
  const refusals = [
    await grant(tenant.reader.client_id, 'open:command:delete'),
    await grant('client-missing', 'open:event:read'),
    await grant(other.reader.client_id, 'open:event:read'),
    await grant(client_id, 'open:event:read'),
  ];
  expect(refusals.map(({ body }) => [body.code, body.details?.[0].location])).toEqual([
    ['SCOPE_UNKNOWN', 'body/scope'],
    ['NOT_FOUND', 'body/client_id'],
    ['NOT_FOUND', 'body/client_id'],
    ['CREDENTIAL_DELETED', undefined],
  ]);
});

test('lists direct policies newest first, by client, without the policies of roles', async () => {
  const { client_id } = await createCredential(tenant.tenant_id);
  const role = `/api/v1/platform/tenants/${tenant.tenant_id}/roles/lister`;
  await signedRequest(tenant.admin, 'PUT', role, { body: { scopes: ['open:callback:read'] } });
  const scopes = ['open:command:read', 'open:command:create', 'open:event:read'];
  for (const scope of scopes) {
    await grant(client_id, scope);
    await nextMillisecond();
  }

  const listed: string[] = [];
  for (let cursor = ''; ; ) {
    const page = await signedRequest(tenant.admin, 'GET', `${policies()}?client_id=${client_id}&limit=1${cursor}`);
    listed.push(...page.body.items.map(({ scope }: { scope: string }) => scope));
    if (page.body.next_cursor === null) break;
    cursor = `&cursor=${page.body.next_cursor}`;
  }
  expect(listed).toEqual(scopes.toReversed());
  const all = await signedRequest(tenant.admin, 'GET', policies());
  expect(all.body.items.map(({ scope }: { scope: string }) => scope)).not.toContain('open:callback:read');
});
