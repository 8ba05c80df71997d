import { createCredential, createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';
import { COMMANDS, newCommand } from '../../../test/support/commands.js';
import { expectRefusal } from '../../../test/support/expect-refusal.js';

const TENANTS = '/api/v1/platform/tenants';

const administer = (method: string, target: string, body?: object) =>
  signedRequest(platform().admin, method, `${TENANTS}/${target}`, body && { body });

const disable = (tenantId: string) => administer('PUT', tenantId, { status: 'DISABLED' });
const deleteTenant = (tenantId: string, confirm = tenantId) => administer('DELETE', `${tenantId}?confirm=${confirm}`);

/** The tenant once nothing of it is left. */
const deleted = (tenantId: string) =>
  vi.waitFor(
    async () => {
      const { body } = await administer('GET', tenantId);
      expect(body.status).toBe('DELETED');
      return body;
    },
    { timeout: 60_000, interval: 100 },
  );

test('refuses to delete a tenant that is active, not named twice, reserved or missing', async () => {
  const { tenant_id, reader } = await createTenant();
  const active = await deleteTenant(tenant_id);
  expectRefusal(active, 'TENANT_NOT_DISABLED');
  expect(active.body.metadata).toEqual({ status: 'ACTIVE' });
  expect((await signedRequest(reader, 'GET', '/api/v1/open/me')).status).toBe(200);

  await disable(tenant_id);
  const other = await deleteTenant(tenant_id, 'other');
  expectRefusal(other, 'VALIDATION_FAILED');
  expect(other.body.details).toMatchObject([{ location: 'query/confirm' }]);
  expectRefusal(await administer('DELETE', tenant_id), 'VALIDATION_FAILED');
  expect((await administer('GET', tenant_id)).body).toMatchObject({ status: 'DISABLED', deletion: null });

  expectRefusal(await deleteTenant('platform'), 'TENANT_ID_RESERVED');
  expectRefusal(await deleteTenant('no-such-tenant'), 'NOT_FOUND');
});

test('a deleted tenant leaves its id, its client ids and one audit entry, and never comes back', async () => {
  const { tenant_id, operator, reader } = await createTenant();
  await newCommand(operator);
  const waiting = signedRequest(reader, 'GET', `/api/v1/open/device-requests?wait_seconds=5`);
  await disable(tenant_id);
  const answer = await deleteTenant(tenant_id);
  expect([answer.status, answer.body.status]).toEqual([202, 'DELETING']);
  const gone = await deleted(tenant_id);
  expect(gone).toMatchObject({
    tenant_id,
    name: tenant_id,
    vendors: null,
    deletion: { requested_at: answer.body.deletion.requested_at, finished_at: gone.updated_at },
  });
  expect(gone.deletion.rows_deleted).toBeGreaterThan(8);
  // 401 if the tenant was disabled before the request was admitted.
  expect([200, 401]).toContain((await waiting).status);

  const again = await deleteTenant(tenant_id);
  expect([again.status, again.body]).toEqual([202, { ...gone, request_id: again.body.request_id }]);
  const log = await signedRequest(platform().admin, 'GET', `${TENANTS}/platform/audit-events?operation=tenants.delete`);
  expect(log.body.items.filter(({ target }: { target: string }) => target.endsWith(`/${tenant_id}`))).toMatchObject([
    {
      client_id: platform().admin.client_id,
      target: `platform/tenants/${tenant_id}`,
      before: { tenant_id, status: 'DISABLED' },
      after: null,
      outcome: 'DONE',
      request_id: answer.body.request_id,
    },
  ]);
  for (const collection of ['credentials', 'roles?limit=500', 'role-bindings', 'audit-events', 'bus/principals']) {
    const { body } = await administer('GET', `${tenant_id}/${collection}`);
    const items = Array.isArray(body) ? body : body.items;
    expect(items.filter(({ built_in }: { built_in?: boolean }) => !built_in)).toEqual([]);
  }

  expectRefusal(await signedRequest(operator, 'GET', COMMANDS), 'UNAUTHENTICATED');
  expectRefusal(await disable(tenant_id), 'TENANT_DELETED');
  expectRefusal(await administer('PUT', tenant_id, { status: 'ACTIVE' }), 'TENANT_DELETED');
  const credential = { client_id: `${operator.client_id}-2`, name: 'New' };
  expectRefusal(await administer('POST', `${tenant_id}/credentials`, credential), 'TENANT_DELETED');
  expectRefusal(await administer('GET', `${tenant_id}/export`), 'TENANT_NOT_DISABLED');
  const create = { tenant_id, name: 'Again' };
  expectRefusal(await signedRequest(platform().admin, 'POST', TENANTS, { body: create }), 'TENANT_ALREADY_EXISTS');
  const { tenant_id: other } = await createTenant();
  const taken = await administer('POST', `${other}/credentials`, { client_id: operator.client_id, name: 'Taken' });
  expectRefusal(taken, 'CREDENTIAL_ALREADY_EXISTS');
});

test('deletions asked for at the same time are one deletion', async () => {
  const { tenant_id } = await createTenant();
  await Promise.all(Array.from({ length: 30 }, () => createCredential(tenant_id)));
  await disable(tenant_id);
  const answers = await Promise.all(Array.from({ length: 5 }, () => deleteTenant(tenant_id)));
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202]);
  expect(new Set(answers.map(({ body }) => body.deletion.requested_at)).size).toBe(1);
  await deleted(tenant_id);
});
