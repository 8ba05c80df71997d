import { randomUUID } from 'node:crypto';
import { createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';

const TENANTS = '/api/v1/platform/tenants';

const create = (body: object) => signedRequest(platform().admin, 'POST', TENANTS, { body });
const update = (tenantId: string, body: object) =>
  signedRequest(platform().admin, 'PUT', `${TENANTS}/${tenantId}`, { body });
const newId = () => `t-${randomUUID()}`;

test('a tenant is created once, and read as it was answered', async () => {
  const tenant_id = newId();
  const created = await create({ tenant_id, name: 'Acme Fleet' });
  expect([created.status, created.body]).toEqual([
    201,
    {
      tenant_id,
      name: 'Acme Fleet',
      status: 'ACTIVE',
      vendors: null,
      requests_per_minute: null,
      deletion: null,
      moved_to: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: created.body.created_at,
      request_id: created.headers['x-request-id'],
    },
  ]);
  const read = await signedRequest(platform().admin, 'GET', `${TENANTS}/${tenant_id}`);
  expect(read.body).toEqual({ ...created.body, request_id: read.body.request_id });
  const again = await create({ tenant_id, name: 'Other' });
  expect([again.status, again.body.code]).toEqual([409, 'TENANT_ALREADY_EXISTS']);
});

test('the reserved tenant can be neither created nor disabled, but renamed', async () => {
  const created = await create({ tenant_id: 'platform', name: 'Mine' });
  expect([created.status, created.body.code]).toEqual([422, 'TENANT_ID_RESERVED']);
  const disabled = await update('platform', { status: 'DISABLED' });
  expect([disabled.status, disabled.body.code]).toEqual([422, 'TENANT_ID_RESERVED']);
  const { body } = await signedRequest(platform().admin, 'GET', `${TENANTS}/platform`);
  expect((await update('platform', { name: body.name })).status).toBe(200);
});

test.each(['', '-a', '_a', 'a.b', 'a b', 'a/b', 'caf\u00e9', 'a'.repeat(64), 1, null])(
  'the tenant_id %j is refused',
  async (tenant_id) => {
    const { status, body } = await create({ tenant_id, name: 'Acme' });
    expect([status, body.code, body.details[0].location]).toEqual([400, 'VALIDATION_FAILED', 'body/tenant_id']);
  },
);

test('PUT merges, refuses null and an empty body', async () => {
  const tenant_id = newId();
  await create({ tenant_id, name: 'Before', status: 'DISABLED' });
  expect((await update(tenant_id, { name: 'After' })).body).toMatchObject({ name: 'After', status: 'DISABLED' });
  expect((await update(tenant_id, { status: 'ACTIVE' })).body).toMatchObject({ name: 'After', status: 'ACTIVE' });
  for (const body of [{}, { name: null }, { status: null }, { status: 'DELETED' }]) {
    const answer = await update(tenant_id, body);
    expect([answer.status, answer.body.code]).toEqual([400, 'VALIDATION_FAILED']);
  }
});

test('a disabled tenant is refused from its very next request on, and served again once active', async () => {
  const { tenant_id, operator } = await createTenant();
  const ask = async () => (await signedRequest(operator, 'GET', '/api/v1/open/me')).status;
  expect(await ask()).toBe(200);
  await update(tenant_id, { status: 'DISABLED' });
  expect(await ask()).toBe(401);
  await update(tenant_id, { status: 'ACTIVE' });
  expect(await ask()).toBe(200);
});
