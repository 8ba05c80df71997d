import { randomBytes } from 'node:crypto';
import { createTenant, type Profile, type TestTenant } from '@tenant-open-platform/testing';
import { type ObjectStore, startObjectStore } from '@tenant-open-platform/testing/start-object-store';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { TenantOpenPlatform, type UploadContent } from '../index.js';

const clientOf = ({ base_url, client_id, secret }: Profile, options = {}) =>
  new TenantOpenPlatform({ baseUrl: base_url, clientId: client_id, secret, ...options });

const binary = { contentType: 'application/octet-stream' };

let store: ObjectStore;
let tenant: TestTenant;
let resourceId: string;

beforeAll(async () => {
  [store, tenant] = await Promise.all([startObjectStore(), createTenant()]);
  const admin = clientOf(tenant.admin);
  const { endpoint, access_key_id, secret_access_key } = store;
  const access = { access_key_id, secret_access_key, force_path_style: true };
  const credential = await admin.objectCredentials.create({ name: 'Store', endpoint, region: 'us-east-1', ...access });
  const resource = await admin.objectResources.create({
    name: 'Files',
    credential_id: credential.credential_id,
    bucket: store.bucket,
    allowed_operations: ['UPLOAD', 'DOWNLOAD'],
    max_object_bytes: 2_000_000,
  });
  resourceId = resource.resource_id;
});

afterAll(() => store.stop());

const large = randomBytes(1_200_000);

test.each<[string, () => UploadContent, object]>([
  ['a string', () => large.toString('latin1'), {}],
  ['bytes', () => large, {}],
  ['a Blob', () => new Blob([large], { type: 'application/octet-stream' }), {}],
  ['a Blob with progress', () => new Blob([large]), { onProgress: () => {} }],
  ['a stream', () => new Blob([large]).stream(), { contentLength: large.length }],
  ['a stream with progress', () => new Blob([large]).stream(), { contentLength: large.length, onProgress: () => {} }],
  ['nothing', () => '', {}],
])('the store accepts %s and returns the same content', async (name, content, options) => {
  const client = clientOf(tenant.operator);
  const sent = new Uint8Array(await new Response(content() as Blob).arrayBuffer());
  const uploaded = await client.objects.upload(resourceId, name, content(), { ...binary, ...options });
  expect(uploaded).toMatchObject({ object_key: name, content_length: sent.length });
  const object = await client.objects.download(resourceId, name);
  expect(object).toMatchObject({ content_type: binary.contentType, content_length: sent.length, etag: uploaded.etag });
  expect(Buffer.from(sent).equals(await object.bytes())).toBe(true);
});

test.each(['a b+c%20d', 'Küche/設備 🚀', "'(a)!*&=?#~"])(
  'the key %s means the same to client, platform and store',
  async (key) => {
    const client = clientOf(tenant.operator);
    await client.objects.upload(resourceId, key, `content of ${key}`, { contentType: 'text/plain' });
    expect(await (await client.objects.download(resourceId, key)).text()).toBe(`content of ${key}`);
  },
);

test('a connection that the store loses is retried with a new presigned URL', async () => {
  let lost = 0;
  const losing: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!String(input).startsWith(store.endpoint) || lost > 0) return response;
    lost += 1;
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) });
  };
  const client = clientOf(tenant.operator, { fetch: losing });
  await client.objects.upload(resourceId, 'lost', 'kept', { contentType: 'text/plain' });
  expect(lost).toBe(1);
  expect(await (await client.objects.download(resourceId, 'lost')).text()).toBe('kept');
});

test('a refusal of the policy is an ApiError, a refusal of the store an ObjectStoreError', async () => {
  const client = clientOf(tenant.operator);
  const tooLarge = client.objects.upload(resourceId, 'k', new Uint8Array(2_000_001), binary);
  await expect(tooLarge).rejects.toMatchObject({ name: 'ApiError', code: 'OBJECT_POLICY_DENIED', status: 403 });
  await expect(client.objects.download(resourceId, 'missing')).rejects.toMatchObject({
    name: 'ObjectStoreError',
    code: 'NoSuchKey',
    status: 404,
    retryable: false,
  });
});

test('credentials and resources are listed over several pages and changed', async () => {
  const admin = clientOf(tenant.admin);
  const [credential] = await admin.objectCredentials.list({ limit: 1 }).toArray();
  const credential_id = credential?.credential_id ?? '';
  const made = new Set<string>();
  for (const name of ['a', 'b', 'c']) {
    const fields = { name, credential_id, bucket: 'other', allowed_operations: ['DOWNLOAD' as const] };
    made.add((await admin.objectResources.create(fields)).resource_id);
  }
  const listed = await admin.objectResources.list({ credential_id, limit: 2 }).toArray();
  expect(new Set(listed.map(({ resource_id }) => resource_id))).toEqual(new Set([resourceId, ...made]));
  const keys = { access_key_id: 'NEW', secret_access_key: 'NEW' };
  const other = { name: 'Other', endpoint: store.endpoint, region: 'us-east-1', force_path_style: true, ...keys };
  const { credential_id: otherId } = await admin.objectCredentials.create(other);
  expect(await admin.objectCredentials.update(otherId, keys)).toMatchObject({ secret_version: 2 });
  expect(await admin.objectResources.update([...made][0] ?? '', { status: 'DISABLED' })).toMatchObject({
    status: 'DISABLED',
  });
});
