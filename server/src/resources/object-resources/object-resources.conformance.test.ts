import { randomUUID } from 'node:crypto';
import { type Answer, createTenant, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { createObjectCredential } from '../../../test/support/create-object.js';
import { newObjectResource } from '../../../test/support/new-object.js';
import { onBothNodes } from '../../../test/support/on-both-nodes.js';

const RESOURCES = '/api/v1/open/objects/resources';

const [own, other] = await Promise.all([createTenant(), createTenant()]);
const tenant = own;
const [credentialId, foreignCredentialId] = await Promise.all([
  createObjectCredential(own.admin),
  createObjectCredential(other.admin),
]);

const fields = () => newObjectResource(credentialId, { allowed_operations: ['DOWNLOAD'] });

const create = (body: object = {}, { admin } = tenant, options: object = {}) =>
  signedRequest(admin, 'POST', RESOURCES, { body: { ...fields(), ...body }, ...options });

const update = (resourceId: string, body: object, { admin } = tenant, options: object = {}) =>
  signedRequest(admin, 'PUT', `${RESOURCES}/${resourceId}`, { body, ...options });

const refusalOf = ({ status, body }: Answer) => [status, body.code, body.details?.[0].location];

async function created(body: object = {}): Promise<string> {
  const answer = await create({ status: 'DISABLED', ...body });
  expect(answer.status, answer.raw).toBe(201);
  return answer.body.resource_id;
}

test('is created with defaults, and listed as it was answered', async () => {
  const answer = await create();
  expect([answer.status, answer.body]).toEqual([
    201,
    {
      ...fields(),
      resource_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      key_prefix: '',
      allowed_content_types: null,
      max_object_bytes: 5_368_709_120,
      max_expires_in_seconds: 3600,
      status: 'ACTIVE',
      created_at: expect.stringMatching(/Z$/),
      updated_at: answer.body.created_at,
      request_id: answer.headers['x-request-id'],
    },
  ]);
  const { body } = await signedRequest(tenant.admin, 'GET', RESOURCES);
  expect(body.items[0]).toEqual({ ...answer.body, request_id: body.request_id });
});

test('keeps its fields, and PUT changes only the fields of the body', async () => {
  const policy = {
    allowed_operations: ['DOWNLOAD', 'UPLOAD'],
    key_prefix: 'firmware/',
    allowed_content_types: ['image/*', 'text/plain'],
    max_object_bytes: 1,
    max_expires_in_seconds: 604_800,
    status: 'DISABLED',
  };
  const made = await create(policy);
  expect(made.body).toMatchObject(policy);
  const { resource_id } = made.body;
  const another = await createObjectCredential(tenant.admin);
  const changed = {
    name: 'Other',
    credential_id: another,
    bucket: 'other-bucket',
    allowed_operations: ['UPLOAD'],
    key_prefix: '',
    allowed_content_types: null,
    max_object_bytes: 2,
    max_expires_in_seconds: 1,
    status: 'ACTIVE',
  };
  const expected = { ...made.body, updated_at: expect.any(String), request_id: expect.any(String) };
  for (const [field, value] of Object.entries(changed)) {
    const answer = await update(resource_id, { [field]: value });
    Object.assign(expected, { [field]: value });
    expect([answer.status, answer.body]).toEqual([200, expected]);
  }
  const listed = await signedRequest(tenant.admin, 'GET', `${RESOURCES}?credential_id=${another}`);
  expect(listed.body.items).toEqual([{ ...expected, request_id: listed.body.request_id }]);
});

test("refuses another tenant's credential exactly like a missing one", async () => {
  const options = { headers: { 'X-Request-Id': 'the-same' } };
  const resource = await created();
  const bytesOf = ({ status, raw }: Answer) => [status, raw];
  for (const send of [
    (credential_id: string) => create({ credential_id }, tenant, options),
    (credential_id: string) => update(resource, { credential_id }, tenant, options),
  ]) {
    const missing = await send(randomUUID());
    expect(refusalOf(missing)).toEqual([404, 'NOT_FOUND', 'body/credential_id']);
    expect(bytesOf(await send(foreignCredentialId))).toEqual(bytesOf(missing));
  }
  const { body } = await update(resource, { name: 'Unmoved' });
  expect(body.credential_id).toBe(credentialId);
});

test('refuses a bucket with a dot if it would go into the host name', async () => {
  const byHostName = await created();
  const inPath = await createObjectCredential(tenant.admin, { force_path_style: true });
  const bucket = 'acme.firmware';
  expect(refusalOf(await create({ bucket }))).toEqual([400, 'VALIDATION_FAILED', 'body/bucket']);
  expect(refusalOf(await update(byHostName, { bucket }))).toEqual([400, 'VALIDATION_FAILED', 'body/bucket']);
  const dotted = await created({ bucket, credential_id: inPath });
  expect(refusalOf(await update(dotted, { credential_id: credentialId }))).toEqual([
    400,
    'VALIDATION_FAILED',
    'body/credential_id',
  ]);
  expect((await update(byHostName, { bucket, credential_id: inPath })).status).toBe(200);
});

test.each(['/firmware', 'firmware//', '../', 'a/%2e%2e/', 'a\\', 'a\n/'])(
  'refuses the key_prefix %j in POST and PUT',
  async (key_prefix) => {
    for (const answer of [await create({ key_prefix }), await update(await created(), { key_prefix })]) {
      expect(refusalOf(answer)).toEqual([400, 'VALIDATION_FAILED', 'body/key_prefix']);
    }
  },
);

test('concurrent creations stop exactly at the limit, and DISABLED resources count', async () => {
  const crowd = await createTenant();
  const credential_id = await createObjectCredential(crowd.admin);
  const make = (node: string) => create({ credential_id }, crowd, { node });
  const first: Awaited<ReturnType<typeof make>>[] = [];
  while (first.length < 150) first.push(...(await onBothNodes(50, make)));
  expect(new Set(first.map(({ status }) => status))).toEqual(new Set([201]));
  const answers = await onBothNodes(100, make);
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused).toHaveLength(50);
  const metadata = { resource: 'object_resources', limit: 200 };
  for (const { status, body } of refused) {
    expect([status, body.code, body.metadata]).toEqual([409, 'RESOURCE_LIMIT_REACHED', metadata]);
  }
  const oldest = first[0]?.body.resource_id;
  expect((await update(oldest, { status: 'DISABLED' }, crowd)).status).toBe(200);
  expect((await create({ credential_id, status: 'DISABLED' }, crowd)).body.code).toBe('RESOURCE_LIMIT_REACHED');
  expect((await update(oldest, { status: 'ACTIVE' }, crowd)).status).toBe(200);
});
