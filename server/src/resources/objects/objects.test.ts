import { randomUUID } from 'node:crypto';
import { type Answer, createTenant, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { createObjectCredential, createObjectResource } from '../../../test/support/create-object.js';

const [tenant, other] = await Promise.all([createTenant(), createTenant()]);
const credentialId = await createObjectCredential(tenant.admin, { session_token: 'a-session-token' });

const create = (fields: object = {}) => createObjectResource(tenant.admin, credentialId, fields);

const presign = (body: object, options: object = {}) =>
  signedRequest(tenant.operator, 'POST', '/api/v1/open/objects/presign', { body, ...options });

const upload = (resource_id: string, fields: object = {}) =>
  presign({
    operation: 'UPLOAD',
    resource_id,
    object_key: 'pump-7/2.4.1.bin',
    content_type: 'application/octet-stream',
    content_length: 1024,
    ...fields,
  });

const download = (resource_id: string, fields: object = {}) =>
  presign({ operation: 'DOWNLOAD', resource_id, object_key: 'pump-7/2.4.1.bin', ...fields });

const put = (path: string, body: object) =>
  signedRequest(tenant.admin, 'PUT', `/api/v1/open/objects/${path}`, { body });

const refusalOf = ({ status, body }: Answer) => [
  status,
  body.code,
  body.details?.map(({ location, code }: { location: string; code: string }) => `${location} ${code}`),
];

test('an UPLOAD signs type, size and checksum, and the answer says how to send it', async () => {
  const resource_id = await create({ key_prefix: 'firmware/' });
  const checksum_sha256 = `${'A'.repeat(43)}=`;
  const answer = await upload(resource_id, { checksum_sha256 });
  const { url, expires_at, ...rest } = answer.body;
  expect([answer.status, rest]).toEqual([
    200,
    {
      presign_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      operation: 'UPLOAD',
      method: 'PUT',
      headers: {
        'Content-Type': 'application/octet-stream',
        'Content-Length': '1024',
        'X-Amz-Checksum-Sha256': checksum_sha256,
      },
      resource_id,
      object_key: 'pump-7/2.4.1.bin',
      request_id: answer.headers['x-request-id'],
    },
  ]);
  const { origin, pathname, searchParams } = new URL(url);
  expect(origin + pathname).toBe('https://acme-firmware.objects.example.com/firmware/pump-7/2.4.1.bin');
  expect(Object.fromEntries(searchParams)).toMatchObject({
    'X-Amz-SignedHeaders': 'content-length;content-type;host;x-amz-checksum-sha256',
    'X-Amz-Expires': '900',
    'X-Amz-Security-Token': 'a-session-token',
    'X-Amz-Credential': expect.stringMatching(/^ACMEFIRMWARE\/\d{8}\/eu-central-1\/s3\/aws4_request$/),
  });
  const signedAt = searchParams.get('X-Amz-Date')?.replace(/(....)(..)(..T..)(..)/, '$1-$2-$3:$4:') ?? '';
  expect(Date.parse(expires_at) - Date.parse(signedAt)).toBe(900_000);
  expect(Math.abs(Date.parse(signedAt) - Date.now())).toBeLessThan(30_000);
});

test('a DOWNLOAD needs no headers, and signs the file name for the store to answer', async () => {
  const resource_id = await create();
  const response_content_disposition = 'attachment; filename="log 1.txt"';
  const { body } = await download(resource_id, { response_content_disposition, expires_in_seconds: 3600 });
  expect([body.method, body.headers]).toEqual(['GET', {}]);
  const { searchParams } = new URL(body.url);
  expect(searchParams.get('response-content-disposition')).toBe(response_content_disposition);
  expect(searchParams.get('X-Amz-SignedHeaders')).toBe('host');
  expect(searchParams.get('X-Amz-Expires')).toBe('3600');
});

test('the policy refuses a forbidden request, with the rule and its location', async () => {
  const resource_id = await create({
    allowed_operations: ['UPLOAD'],
    allowed_content_types: ['image/*'],
    max_object_bytes: 1000,
    max_expires_in_seconds: 60,
  });
  const image = { content_type: 'IMAGE/png; charset=x', content_length: 1000 };
  expect((await upload(resource_id, { ...image, expires_in_seconds: 60 })).status).toBe(200);
  expect(refusalOf(await upload(resource_id, { expires_in_seconds: 61 }))).toEqual([
    403,
    'OBJECT_POLICY_DENIED',
    [
      'body/content_type CONTENT_TYPE_NOT_ALLOWED',
      'body/content_length OBJECT_TOO_LARGE',
      'body/expires_in_seconds EXPIRES_IN_TOO_LONG',
    ],
  ]);
  expect(refusalOf(await download(resource_id))).toEqual([
    403,
    'OBJECT_POLICY_DENIED',
    ['body/operation OPERATION_NOT_ALLOWED'],
  ]);
});

test.each([
  'image/png, text/html',
  'image/*evil',
  'image/*',
  'image/png/html',
  'image/png ',
  'image/png;\tx=y',
  'image/png; x="y\\"',
  'image/png; x="y" z"',
])('the content type %j is refused', async (content_type) => {
  const resource_id = await create({ allowed_content_types: ['image/*'], status: 'DISABLED' });
  const { status, body } = await upload(resource_id, { content_type });
  expect([status, body.code, body.details[0].location]).toEqual([400, 'VALIDATION_FAILED', 'body/content_type']);
});

test.each([
  'text/plain; charset="utf-8"',
  'video/mp4; codecs="avc1.42E01E, mp4a.40.2"',
  'text/plain; a="b \\"c\\" \\\\"',
])('the quoted parameter of the content type %j is signed as it is', async (content_type) => {
  const { status, body } = await upload(await create({ allowed_content_types: ['text/*', 'video/*'] }), {
    content_type,
  });
  expect([status, body.headers['Content-Type']]).toEqual([200, content_type]);
});

test('a DISABLED resource or credential refuses from the next request on, until it is ACTIVE again', async () => {
  const own = await createObjectCredential(tenant.admin);
  const resource_id = await createObjectResource(tenant.admin, own);
  for (const [path, rule] of [
    [`resources/${resource_id}`, 'RESOURCE_DISABLED'],
    [`credentials/${own}`, 'CREDENTIAL_DISABLED'],
  ] as const) {
    await put(path, { status: 'DISABLED' });
    expect(refusalOf(await download(resource_id))).toEqual([403, 'OBJECT_POLICY_DENIED', [`body/resource_id ${rule}`]]);
    await put(path, { status: 'ACTIVE' });
    expect((await download(resource_id)).status).toBe(200);
  }
});

test('a new access key signs from the next request on, and without the old session token', async () => {
  const own = await createObjectCredential(tenant.admin, { session_token: 'first-token' });
  const resource_id = await createObjectResource(tenant.admin, own);
  const signedWith = async () => {
    const { searchParams } = new URL((await download(resource_id)).body.url);
    return [searchParams.get('X-Amz-Credential')?.split('/')[0], searchParams.get('X-Amz-Security-Token')];
  };
  expect(await signedWith()).toEqual(['ACMEFIRMWARE', 'first-token']);
  await put(`credentials/${own}`, { session_token: 'second-token' });
  expect(await signedWith()).toEqual(['ACMEFIRMWARE', 'second-token']);
  await put(`credentials/${own}`, { name: 'Renamed' });
  expect(await signedWith()).toEqual(['ACMEFIRMWARE', 'second-token']);
  await put(`credentials/${own}`, { access_key_id: 'SECOND', secret_access_key: 'x'.repeat(40) });
  expect(await signedWith()).toEqual(['SECOND', null]);
  const third = { access_key_id: 'THIRD', secret_access_key: 'y'.repeat(40), session_token: 'third-token' };
  await put(`credentials/${own}`, third);
  expect(await signedWith()).toEqual(['THIRD', 'third-token']);
  await put(`credentials/${own}`, { session_token: null });
  expect(await signedWith()).toEqual(['THIRD', null]);
});

test.each([
  ['../secret', 'segment'],
  ['%2e%2e/secret', 'segment'],
  ['..%2fsecret', 'segment'],
  ['..\\secret', 'segment'],
  ['/secret', 'slash'],
  ['a//b', 'empty segment'],
  ['a\\b', 'backslash'],
  ['a\nb', 'control'],
])('refuses the key %j with a prefix', async (object_key, says) => {
  const resource_id = await create({ key_prefix: 'firmware/', status: 'DISABLED' });
  const { status, body } = await download(resource_id, { object_key });
  expect([status, body.code, body.details[0].location]).toEqual([400, 'VALIDATION_FAILED', 'body/object_key']);
  expect(body.details[0].message).toContain(says);
});

test('counts the bytes of the whole key', async () => {
  const resource_id = await create({ key_prefix: 'firmware/' });
  expect((await download(resource_id, { object_key: `${'é'.repeat(507)}x` })).status).toBe(200);
  const { body } = await download(resource_id, { object_key: 'é'.repeat(508) });
  expect(body.details).toMatchObject([{ location: 'body/object_key', message: expect.stringContaining('1024 bytes') }]);
});

test("refuses another tenant's resource exactly like a missing one", async () => {
  const foreign = await createObjectResource(other.admin, await createObjectCredential(other.admin));
  const ask = async (resource_id: string) => {
    const body = { operation: 'DOWNLOAD', resource_id, object_key: 'a' };
    const { status, headers, raw } = await presign(body, { headers: { 'X-Request-Id': 'the-same' } });
    const { date: _, ...sent } = headers;
    return { status, headers: sent, raw };
  };
  const missing = await ask(randomUUID());
  expect(JSON.parse(missing.raw)).toMatchObject({ code: 'NOT_FOUND', details: [{ location: 'body/resource_id' }] });
  expect(missing.status).toBe(404);
  expect(await ask(foreign)).toEqual(missing);
});

test.each([
  ['UPLOAD', { content_type: undefined }, 'body/content_type'],
  ['UPLOAD', { content_length: undefined }, 'body/content_length'],
  ['UPLOAD', { response_content_disposition: 'inline' }, 'body/response_content_disposition'],
  ['DOWNLOAD', { content_type: 'text/plain' }, 'body/content_type'],
  ['DOWNLOAD', { content_length: 1 }, 'body/content_length'],
  ['DOWNLOAD', { response_content_disposition: 'inline\r\nSet-Cookie: x' }, 'body/response_content_disposition'],
] as const)('%s refuses %j: %s', async (operation, fields, location) => {
  const resource_id = await create({ status: 'DISABLED' });
  const { status, body } = await (operation === 'UPLOAD' ? upload : download)(resource_id, fields);
  expect([status, body.code, body.details[0].location]).toEqual([400, 'VALIDATION_FAILED', location]);
});
