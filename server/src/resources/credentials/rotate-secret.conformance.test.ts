import { createCredential, createTenant, type Profile, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';

const tenant = await createTenant();

const collection = () => `/api/v1/platform/tenants/${tenant.tenant_id}/credentials`;
const update = ({ client_id }: Profile, body: object) =>
  signedRequest(tenant.admin, 'PUT', `${collection()}/${client_id}`, { body });
const statusOf = async (caller: Profile) => (await signedRequest(caller, 'GET', '/api/v1/open/me')).status;
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

async function rotate(profile: Profile, fields: object = {}) {
  const { status, body } = await update(profile, { rotate_secret: true, ...fields });
  expect([status, body.secret]).toEqual([200, expect.stringMatching(/^osk_[0-9A-Za-z]{49}$/)]);
  return { body, rotated: { ...profile, secret: body.secret as string } };
}

test('the old secret is invalid after the rotation, even if the server has cached it', async () => {
  const first = await createCredential(tenant.tenant_id);
  expect(await statusOf(first)).toBe(200);
  const { body, rotated } = await rotate(first);
  expect(body).toMatchObject({ secret_version: 2, previous_secret_expires_at: null });
  expect(rotated.secret).not.toBe(first.secret);
  expect(await statusOf(first)).toBe(401);
  expect(await statusOf(rotated)).toBe(200);
});

test('an overlap keeps exactly one previous secret', async () => {
  const first = await createCredential(tenant.tenant_id);
  const second = await rotate(first, { previous_secret_ttl_seconds: 600 });
  const ends = Date.parse(second.body.previous_secret_expires_at) - Date.now();
  expect(Math.abs(ends - 600_000)).toBeLessThan(30_000);
  expect([await statusOf(first), await statusOf(second.rotated)]).toEqual([200, 200]);

  const { rotated: third } = await rotate(first, { previous_secret_ttl_seconds: 600 });
  expect([await statusOf(first), await statusOf(second.rotated), await statusOf(third)]).toEqual([401, 200, 200]);

  const { rotated: fourth, body } = await rotate(first);
  expect(body).toMatchObject({ secret_version: 4, previous_secret_expires_at: null });
  expect([await statusOf(second.rotated), await statusOf(third), await statusOf(fourth)]).toEqual([401, 401, 200]);
});

test('the previous secret never outlives the credential', async () => {
  const expires_at = inSeconds(300);
  const profile = await createCredential(tenant.tenant_id, { expires_at });
  const { body } = await rotate(profile, { previous_secret_ttl_seconds: 604_800 });
  expect(body).toMatchObject({ expires_at, previous_secret_expires_at: expires_at });

  const sooner = inSeconds(200);
  const other = await createCredential(tenant.tenant_id);
  const together = await rotate(other, { previous_secret_ttl_seconds: 600, expires_at: sooner });
  expect(together.body.previous_secret_expires_at).toBe(sooner);
});

test('an expiry set during an overlap ends the previous secret too', async () => {
  const profile = await createCredential(tenant.tenant_id);
  await rotate(profile, { previous_secret_ttl_seconds: 600 });
  const sooner = inSeconds(100);
  const { body } = await update(profile, { expires_at: sooner });
  expect(body).toMatchObject({ expires_at: sooner, previous_secret_expires_at: sooner });
});

test('an expired previous secret is shown without an end', async () => {
  const profile = await createCredential(tenant.tenant_id);
  const { body } = await rotate(profile, { previous_secret_ttl_seconds: 600, expires_at: inSeconds(-60) });
  expect(body.previous_secret_expires_at).toBeNull();
  const read = await signedRequest(tenant.admin, 'GET', `${collection()}/${profile.client_id}`);
  expect(read.body.previous_secret_expires_at).toBeNull();
});

test('an overlap is ended at once by previous_secret_ttl_seconds 0, and the new secret works on', async () => {
  const first = await createCredential(tenant.tenant_id);
  const { rotated } = await rotate(first, { previous_secret_ttl_seconds: 600 });
  expect([await statusOf(first), await statusOf(rotated)]).toEqual([200, 200]);
  const ended = await update(first, { previous_secret_ttl_seconds: 0 });
  expect(ended.body).toMatchObject({ secret_version: 2, previous_secret_expires_at: null });
  expect(ended.body).not.toHaveProperty('secret');
  expect([await statusOf(first), await statusOf(rotated)]).toEqual([401, 200]);
  const longer = await update(first, { previous_secret_ttl_seconds: 1 });
  expect([longer.status, longer.body.details?.[0]]).toEqual([
    400,
    {
      location: 'body/previous_secret_ttl_seconds',
      code: 'CUSTOM',
      message: 'must be 0 without rotate_secret: true',
    },
  ]);
});

test('a change of other fields keeps an overlap', async () => {
  const first = await createCredential(tenant.tenant_id);
  const { body, rotated } = await rotate(first, { previous_secret_ttl_seconds: 600 });
  const renamed = await update(first, { name: 'Renamed' });
  expect(renamed.body).toMatchObject({
    secret_version: 2,
    previous_secret_expires_at: body.previous_secret_expires_at,
  });
  expect([await statusOf(first), await statusOf(rotated)]).toEqual([200, 200]);
});

test('POST with rotate_secret on an existing client_id answers 200 with a new secret and changes nothing else', async () => {
  const profile = await createCredential(tenant.tenant_id, { name: 'Before' });
  const fields = { name: 'After', status: 'DISABLED', allowed_clock_skew_seconds: 30, expires_at: inSeconds(-60) };
  const { client_id } = profile;
  const { status, body } = await signedRequest(tenant.admin, 'POST', collection(), {
    body: { client_id, rotate_secret: true, ...fields },
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    name: 'Before',
    status: 'ACTIVE',
    allowed_clock_skew_seconds: 300,
    expires_at: null,
    secret_version: 2,
  });
  expect([await statusOf(profile), await statusOf({ ...profile, secret: body.secret })]).toEqual([401, 200]);
});

test('POST with rotate_secret on a new client_id creates it, and without it refuses an existing one', async () => {
  const { client_id } = await createCredential(tenant.tenant_id);
  const created = await signedRequest(tenant.admin, 'POST', collection(), {
    body: { client_id: `${client_id}-new`, name: 'New', rotate_secret: true },
  });
  expect([created.status, created.body.secret_version]).toEqual([201, 1]);
  const taken = await signedRequest(tenant.admin, 'POST', collection(), { body: { client_id, name: 'New' } });
  expect([taken.status, taken.body.code]).toEqual([409, 'CREDENTIAL_ALREADY_EXISTS']);
});

test('10 concurrent rotations leave one working secret, the one with the highest version', async () => {
  const profile = await createCredential(tenant.tenant_id);
  const answers = await Promise.all(Array.from({ length: 10 }, () => rotate(profile)));
  const byVersion = answers.sort((a, b) => a.body.secret_version - b.body.secret_version);
  expect(byVersion.map(({ body }) => body.secret_version)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  const statuses = await Promise.all(byVersion.map(({ rotated }) => statusOf(rotated)));
  expect(statuses).toEqual([...Array(9).fill(401), 200]);
});
