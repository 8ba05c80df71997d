import { createCredential, createTenant, type Profile, signedRequest } from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';

const tenant = await createTenant();

const collection = () => `/api/v1/platform/tenants/${tenant.tenant_id}/credentials`;
const read = ({ client_id }: Profile) => signedRequest(tenant.admin, 'GET', `${collection()}/${client_id}`);
const create = (body: object) => signedRequest(tenant.admin, 'POST', collection(), { body });
const update = ({ client_id }: Pick<Profile, 'client_id'>, body: object) =>
  signedRequest(tenant.admin, 'PUT', `${collection()}/${client_id}`, { body });
const statusOf = async (caller: Profile) => (await signedRequest(caller, 'GET', '/api/v1/open/me')).status;

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();

describe('PUT merges', () => {
  test('an absent field is unchanged, and the answer equals the next read', async () => {
    const expires_at = inSeconds(3600);
    const fields = { name: 'Before', allowed_clock_skew_seconds: 60, replay_window_seconds: 90, expires_at };
    const profile = await createCredential(tenant.tenant_id, fields);
    const before = (await read(profile)).body;
    const updated = await update(profile, { name: 'After' });
    expect(updated.status).toBe(200);
    const { request_id: _, updated_at, ...rest } = before;
    expect(updated.body).toMatchObject({ ...rest, name: 'After' });
    expect(updated.body).not.toHaveProperty('secret');
    expect(Date.parse(updated.body.updated_at)).toBeGreaterThanOrEqual(Date.parse(updated_at));
    const after = (await read(profile)).body;
    expect(after).toEqual({ ...updated.body, request_id: after.request_id });
  });

  test('null clears expires_at and is refused for every other field', async () => {
    const profile = await createCredential(tenant.tenant_id, { expires_at: inSeconds(3600) });
    expect((await update(profile, { expires_at: null })).body.expires_at).toBeNull();
    for (const field of [
      'name',
      'status',
      'allowed_clock_skew_seconds',
      'replay_window_seconds',
      'rotate_secret',
      'previous_secret_ttl_seconds',
    ]) {
      const { status, body } = await update(profile, { [field]: null });
      expect([status, body.code, body.details?.[0].location]).toEqual([400, 'VALIDATION_FAILED', `body/${field}`]);
    }
  });

  test('an empty body is refused', async () => {
    const { status, body } = await update(tenant.reader, {});
    expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
  });
});

describe('fields', () => {
  test.each([
    ['allowed_clock_skew_seconds', [29, 901, 60.5, '60']],
    ['replay_window_seconds', [29, 901, 60.5, '60']],
    ['previous_secret_ttl_seconds', [-1, 604_801, 0.5]],
    ['name', ['', 'a'.repeat(129), 'a\nb', '\u202e', 1]],
    ['status', ['active', 'EXPIRED', '']],
    ['rotate_secret', ['true', 1]],
    [
      'expires_at',
      [
        ...['2026-01-31', '2026-01-31T09:30Z', '2026-01-31T09:30:00', '2026-02-30T00:00:00Z', 0, ''],
        ...['0000-01-01T00:00:00Z', '0001-01-01T00:00:00+01:00', '1970-01-01T00:59:59+01:00'],
        '9999-12-31T23:59:59-01:00',
      ],
    ],
  ])('%s out of range is refused with its location', async (field, values) => {
    for (const value of values) {
      for (const answer of [
        await update(tenant.reader, { [field]: value }),
        await create({ client_id: 'never-made', name: 'Never made', [field]: value }),
      ]) {
        expect([answer.status, answer.body.code], JSON.stringify(value)).toEqual([400, 'VALIDATION_FAILED']);
        const locations = answer.body.details.map(({ location }: { location: string }) => location);
        expect(new Set(locations)).toEqual(new Set([`body/${field}`]));
      }
    }
  });

  test('expires_at accepts any offset and is shown in UTC with milliseconds', async () => {
    const profile = await createCredential(tenant.tenant_id, { expires_at: '2999-01-01T00:00:00+01:30' });
    expect((await read(profile)).body.expires_at).toBe('2998-12-31T22:30:00.000Z');
    for (const edge of ['1970-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z']) {
      expect((await update(profile, { expires_at: edge })).body.expires_at).toBe(edge);
    }
  });

  test('the defaults are the documented ones', async () => {
    const { body } = await read(await createCredential(tenant.tenant_id, { name: 'Default' }));
    expect(body).toMatchObject({
      tenant_id: tenant.tenant_id,
      name: 'Default',
      status: 'ACTIVE',
      allowed_clock_skew_seconds: 300,
      replay_window_seconds: 300,
      secret_version: 1,
      previous_secret_expires_at: null,
      expires_at: null,
    });
  });
});

describe('life', () => {
  test('a credential works until it expires or is disabled, and works again once that is undone', async () => {
    const profile = await createCredential(tenant.tenant_id);
    expect(await statusOf(profile)).toBe(200);
    await update(profile, { status: 'DISABLED' });
    expect(await statusOf(profile)).toBe(401);
    await update(profile, { status: 'ACTIVE', expires_at: inSeconds(-1) });
    expect(await statusOf(profile)).toBe(401);
    await update(profile, { expires_at: inSeconds(60) });
    expect(await statusOf(profile)).toBe(200);
  });

  test('DELETED is final: the credential is shown, never changed, and its client_id is never free again', async () => {
    const profile = await createCredential(tenant.tenant_id);
    expect((await update(profile, { status: 'DELETED' })).body.status).toBe('DELETED');
    expect(await statusOf(profile)).toBe(401);
    for (const body of [{ status: 'ACTIVE' }, { name: 'Back' }, { rotate_secret: true }]) {
      const refused = await update(profile, body);
      expect([refused.status, refused.body.code]).toEqual([409, 'CREDENTIAL_DELETED']);
    }
    const { client_id } = profile;
    const again = await create({ client_id, name: 'Again' });
    expect([again.status, again.body.code]).toEqual([409, 'CREDENTIAL_ALREADY_EXISTS']);
    const rotated = await create({ client_id, name: 'Again', rotate_secret: true });
    expect([rotated.status, rotated.body.code]).toEqual([409, 'CREDENTIAL_DELETED']);
    expect((await read(profile)).body.status).toBe('DELETED');
    const listed = await signedRequest(tenant.admin, 'GET', `${collection()}?limit=500`);
    expect(listed.body.map((item: Profile) => item.client_id)).toContain(client_id);
  });

  test('a client_id is unique on the whole platform, and the refusal reveals nothing else', async () => {
    const other = await createTenant();
    for (const rotate_secret of [undefined, true]) {
      const { status, body } = await create({ client_id: other.reader.client_id, name: 'Mine', rotate_secret });
      expect([status, body.code, body.details]).toEqual([409, 'CREDENTIAL_ALREADY_EXISTS', undefined]);
    }
    expect(await statusOf(other.reader)).toBe(200);
  });

  test('a secret is shown when it is created and never again', async () => {
    const profile = await createCredential(tenant.tenant_id);
    expect(profile.secret).toMatch(/^osk_[0-9A-Za-z]{49}$/);
    const answers = [
      await read(profile),
      await update(profile, { name: 'Again' }),
      await signedRequest(tenant.admin, 'GET', `${collection()}?limit=500`),
      await signedRequest(profile, 'GET', '/api/v1/open/me'),
    ];
    for (const { raw } of answers) expect(raw).not.toContain('osk_');
  });
});
