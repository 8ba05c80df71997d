import { randomUUID } from 'node:crypto';
import { type Answer, type Profile, signedRequest, startNode } from '@tenant-open-platform/testing';
import { beforeEach, expect, test } from 'vitest';

const PLATFORM = '/api/v1/platform/tenants/platform';

const server = await startNode();
/** The only permanent administrator when a test begins. */
const last = server.admin;

const update = (caller: Profile, { client_id }: Profile, body: object) =>
  signedRequest(caller, 'PUT', `${PLATFORM}/credentials/${client_id}`, { body });

const unbind = (caller: Profile, { client_id }: Profile) =>
  signedRequest(caller, 'DELETE', `${PLATFORM}/role-bindings/${client_id}/platform_admin`);

async function createAdministrator(fields: object = {}): Promise<Profile> {
  const client_id = `administrator-${randomUUID()}`;
  const post = (path: string, body: object) => signedRequest(last, 'POST', `${PLATFORM}/${path}`, { body });
  const created = await post('credentials', { client_id, name: 'Administrator', ...fields });
  expect((await post('role-bindings', { client_id, role: 'platform_admin' })).status).toBe(201);
  return { ...last, client_id, secret: created.body.secret };
}

const isAlive = async (caller: Profile) => {
  const { status, body } = await signedRequest(caller, 'GET', '/api/v1/open/me');
  return status === 200 && body.roles.includes('platform_admin');
};

function expectLast({ status, body }: Answer): void {
  expect([status, body.code]).toEqual([409, 'LAST_PLATFORM_ADMINISTRATOR']);
}

beforeEach(async () => {
  const { body } = await signedRequest(last, 'GET', `${PLATFORM}/credentials?limit=500`);
  for (const other of body.filter(({ client_id }: Profile) => client_id !== last.client_id)) {
    if (other.status !== 'DELETED') await update(last, other, { status: 'DELETED' });
  }
});

async function expectLastToStay(): Promise<void> {
  for (const status of ['DISABLED', 'DELETED']) expectLast(await update(last, last, { status }));
  expectLast(await update(last, last, { expires_at: '2999-01-01T00:00:00Z' }));
  expectLast(await update(last, last, { status: 'DISABLED', rotate_secret: true }));
  expectLast(await unbind(last, last));
  const { body } = await signedRequest(last, 'GET', `${PLATFORM}/credentials/${last.client_id}`);
  expect(body).toMatchObject({ status: 'ACTIVE', expires_at: null, secret_version: 1 });
  expect(await isAlive(last)).toBe(true);
}

test('the last administrator cannot be disabled, deleted, set to expire or unbound', async () => {
  await expectLastToStay();
  expect((await update(last, last, { name: 'Renamed' })).status).toBe(200);
});

test('a disabled or expiring administrator does not count', async () => {
  await createAdministrator({ status: 'DISABLED' });
  await createAdministrator({ expires_at: '2999-01-01T00:00:00Z' });
  await expectLastToStay();
});

test('an administrator can go if another one remains', async () => {
  const other = await createAdministrator();
  expect((await update(other, last, { status: 'DISABLED' })).status).toBe(200);
  expectLast(await unbind(other, other));
  expect((await update(other, last, { status: 'ACTIVE' })).status).toBe(200);
  expect((await unbind(other, last)).status).toBe(200);
  expectLast(await update(other, other, { expires_at: '2999-01-01T00:00:00Z' }));
  const body = { client_id: last.client_id, role: 'platform_admin' };
  expect((await signedRequest(other, 'POST', `${PLATFORM}/role-bindings`, { body })).status).toBe(201);
});
