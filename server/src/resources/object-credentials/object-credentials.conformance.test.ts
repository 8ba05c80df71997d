import { randomUUID } from 'node:crypto';
import { type Answer, createTenant, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { createObjectResource } from '../../../test/support/create-object.js';
import { newObjectCredential, newObjectResource } from '../../../test/support/new-object.js';
import { onBothNodes } from '../../../test/support/on-both-nodes.js';

const CREDENTIALS = '/api/v1/open/objects/credentials';

const [tenant, other] = await Promise.all([createTenant(), createTenant()]);

const fields = newObjectCredential();

const create = (body: object = {}, { admin } = tenant, node?: string) =>
  signedRequest(admin, 'POST', CREDENTIALS, { body: { ...fields, ...body }, ...(node && { node }) });

const update = (credentialId: string, body: object, { admin } = tenant) =>
  signedRequest(admin, 'PUT', `${CREDENTIALS}/${credentialId}`, { body });

const refusalOf = ({ status, body }: Answer) => [status, body.code, body.details?.[0].location];

/** A DISABLED one does not count towards the limit. */
async function created(body: object = {}): Promise<string> {
  const answer = await create({ status: 'DISABLED', ...body });
  expect(answer.status, answer.raw).toBe(201);
  return answer.body.credential_id;
}

test('is created with defaults and a canonical endpoint, and never shows its secrets', async () => {
  const answer = await create({ endpoint: 'https://Objects.Example.com:443/', session_token: 'a-session-token' });
  expect([answer.status, answer.body]).toEqual([
    201,
    {
      credential_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Firmware store',
      provider: null,
      endpoint: 'https://objects.example.com',
      region: 'eu-central-1',
      force_path_style: false,
      access_key_id: 'ACMEFIRMWARE',
      secret_version: 1,
      status: 'ACTIVE',
      created_at: expect.stringMatching(/Z$/),
      updated_at: answer.body.created_at,
      request_id: answer.headers['x-request-id'],
    },
  ]);
  const { body } = await signedRequest(tenant.admin, 'GET', CREDENTIALS);
  expect(body.items[0]).toEqual({ ...answer.body, request_id: body.request_id });
});

test('PUT changes only the fields of the body', async () => {
  const id = await created({ provider: 'minio', force_path_style: true });
  const renamed = await update(id, { name: 'Renamed' });
  const { secret_access_key: _, ...shown } = fields;
  expect([renamed.status, renamed.body]).toMatchObject([
    200,
    { ...shown, name: 'Renamed', provider: 'minio', force_path_style: true, status: 'DISABLED' },
  ]);
  const changed = { provider: null, endpoint: 'https://10.0.0.7:9000', region: 'auto', status: 'ACTIVE' };
  expect((await update(id, changed)).body).toMatchObject({ ...changed, name: 'Renamed', secret_version: 1 });
  expect((await update(id, { force_path_style: false })).body.code).toBe('VALIDATION_FAILED');
  expect((await update(id, { force_path_style: false, endpoint: fields.endpoint })).body).toMatchObject({
    endpoint: fields.endpoint,
    force_path_style: false,
  });
  await update(id, { status: 'DISABLED' });
});

test('a new access key counts as a rotation; one half of a key is refused', async () => {
  const id = await created();
  const rotated = await update(id, { access_key_id: 'SECOND', secret_access_key: 'x'.repeat(40) });
  expect(rotated.body).toMatchObject({ access_key_id: 'SECOND', secret_version: 2 });
  expect((await update(id, { session_token: 'token' })).body.secret_version).toBe(2);
  for (const half of [{ access_key_id: 'THIRD' }, { secret_access_key: 'y'.repeat(40) }]) {
    expect(refusalOf(await update(id, half))).toEqual([400, 'VALIDATION_FAILED', 'body/secret_access_key']);
  }
  const { body } = await update(id, { name: 'Untouched' });
  expect(body).toMatchObject({ access_key_id: 'SECOND', secret_version: 2 });
});

test('every one of several concurrent rotations counts', async () => {
  const id = await created();
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      update(id, { access_key_id: `KEY${index}`, secret_access_key: `secret-${index}` }),
    ),
  );
  const versions = answers.map(({ body }) => body.secret_version).sort((a, b) => a - b);
  expect(versions).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test.each([
  ['https://user@objects.example.com', 'user'],
  ['https://objects.example.com/a//b', 'path'],
  ['https://objects.example.com?x=1', 'query'],
  ['https://objects.example.com#x', 'fragment'],
  ['objects.example.com', 'https://'],
])('refuses the endpoint %s in POST and PUT', async (endpoint, says) => {
  const answers = [await create({ endpoint }), await update(await created(), { endpoint })];
  for (const answer of answers) {
    expect(refusalOf(answer)).toEqual([400, 'VALIDATION_FAILED', 'body/endpoint']);
    expect(answer.body.details[0].message).toContain(says);
  }
});

test('refuses an IP address as endpoint if the bucket goes into the host name', async () => {
  const endpoint = 'https://10.0.0.7:9000';
  expect(refusalOf(await create({ endpoint }))).toEqual([400, 'VALIDATION_FAILED', 'body/force_path_style']);
  expect(refusalOf(await update(await created(), { endpoint }))).toEqual([
    400,
    'VALIDATION_FAILED',
    'body/force_path_style',
  ]);
  expect((await create({ endpoint, force_path_style: true, status: 'DISABLED' })).status).toBe(201);
});

test('refuses to switch force_path_style off for a bucket that cannot be in a host name', async () => {
  const id = await created({ force_path_style: true });
  const resourceId = await createObjectResource(tenant.admin, id, { bucket: 'acme.firmware', status: 'DISABLED' });
  const refused = await update(id, { force_path_style: false });
  expect(refusalOf(refused)).toEqual([400, 'VALIDATION_FAILED', 'body/force_path_style']);
  expect(refused.body.details[0].message).toContain('acme.firmware');

  const body = { bucket: 'acme-firmware' };
  await signedRequest(tenant.admin, 'PUT', `/api/v1/open/objects/resources/${resourceId}`, { body });
  expect((await update(id, { force_path_style: false })).status).toBe(200);
});

test('a bucket with a dot and a credential without force_path_style are never combined, in any interleaving', async () => {
  for (let round = 0; round < 15; round++) {
    const id = await created({ force_path_style: true });
    const resource = newObjectResource(id, { bucket: 'acme.firmware', status: 'DISABLED' });
    const answers = await onBothNodes(2, (node, index) =>
      index === 0
        ? signedRequest(tenant.admin, 'PUT', `${CREDENTIALS}/${id}`, { body: { force_path_style: false }, node })
        : signedRequest(tenant.admin, 'POST', '/api/v1/open/objects/resources', { body: resource, node }),
    );
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
  }
});

test("answers another tenant's credential exactly like a missing one", async () => {
  const foreign = await created();
  const headers = { 'X-Request-Id': 'the-same' };
  const put = async (id: string) => {
    const body = { name: 'Mine now', status: 'DISABLED' };
    const answer = await signedRequest(other.admin, 'PUT', `${CREDENTIALS}/${id}`, { body, headers });
    const { date: _, ...sent } = answer.headers;
    return { status: answer.status, headers: sent, raw: answer.raw };
  };
  const missing = await put(randomUUID());
  expect([missing.status, JSON.parse(missing.raw).code]).toEqual([404, 'NOT_FOUND']);
  for (const id of [foreign, 'no-uuid', foreign.slice(1)]) expect(await put(id)).toEqual(missing);
  const { body } = await signedRequest(other.admin, 'GET', CREDENTIALS);
  expect(body.items).toEqual([]);
});

test('exactly 50 of 100 concurrent creations succeed, and DISABLED credentials count', async () => {
  const crowd = await createTenant();
  const answers = await onBothNodes(100, (node) => create({}, crowd, node));
  const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.credential_id);
  const refused = answers.filter(({ status }) => status !== 201);
  expect([made.length, refused.length]).toEqual([50, 50]);
  const metadata = { resource: 'object_credentials', limit: 50 };
  for (const { body } of refused) expect([body.code, body.metadata]).toEqual(['RESOURCE_LIMIT_REACHED', metadata]);

  expect((await update(made[0], { status: 'DISABLED' }, crowd)).status).toBe(200);
  expect(refusalOf(await create({}, crowd))).toEqual([409, 'RESOURCE_LIMIT_REACHED', undefined]);
  expect((await update(made[0], { status: 'ACTIVE' }, crowd)).status).toBe(200);
});
