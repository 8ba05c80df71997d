import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import { type Profile, signedRequest } from '@tenant-open-platform/testing';
import { type RunningServer, startServer } from '@tenant-open-platform/testing/start-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createObjectCredential, createObjectResource } from '../../../test/create-object.js';

type Presigned = { method: string; url: string; headers: Record<string, string>; expires_at: string };

let folder: string;
let store: S3rver;
let server: RunningServer;
let endpoint: string;
let admin: Profile;
let operator: Profile;
let resourceId: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'top-store-'));
  store = await startStore();
  server = await startServer({ DATA_DIR: join(folder, 'data'), ALLOW_INSECURE_OBJECT_ENDPOINTS: 'true' });
  operator = JSON.parse(readFileSync(join(folder, 'data/demo.json'), 'utf8'));
  admin = await createAdmin();
  const keys = { access_key_id: 'S3RVER', secret_access_key: 'S3RVER' };
  const credentialId = await createObjectCredential(admin, { endpoint, force_path_style: true, ...keys });
  resourceId = await createObjectResource(admin, credentialId, { bucket: 'acme', key_prefix: 'in/' });
}, 60_000);

afterAll(async () => {
  await server?.stop();
  await store?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function startStore(): Promise<S3rver> {
  const started = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory: join(folder, 'store'),
    configureBuckets: [{ name: 'acme' }],
  });
  // It serves unsigned requests too, which the bucket of a tenant does not.
  started.middleware.unshift(async (context, next) => {
    if (!('X-Amz-Algorithm' in context.query)) context.throw(403);
    await next();
  });
  endpoint = `http://127.0.0.1:${(await started.run()).port}`;
  return started;
}

async function createAdmin(): Promise<Profile> {
  const platformAdmin: Profile = JSON.parse(readFileSync(join(folder, 'data/platform-admin.json'), 'utf8'));
  const post = (path: string, body: object) =>
    signedRequest(platformAdmin, 'POST', `/api/v1/platform/tenants/demo/${path}`, { body });
  const { body } = await post('credentials', { client_id: 'demo-admin', name: 'Administrator' });
  expect((await post('role-bindings', { client_id: 'demo-admin', role: 'tenant_admin' })).status).toBe(201);
  return { ...operator, client_id: 'demo-admin', secret: body.secret };
}

async function presign(fields: object): Promise<Presigned> {
  const body = { resource_id: resourceId, ...fields };
  const answer = await signedRequest(operator, 'POST', '/api/v1/open/objects/presign', { body });
  expect(answer.status, answer.raw).toBe(200);
  return answer.body;
}

const presignUpload = (object_key: string, bytes: Buffer, fields: object = {}) =>
  presign({ operation: 'UPLOAD', object_key, content_type: 'image/png', content_length: bytes.length, ...fields });

const presignDownload = (object_key: string, fields: object = {}) =>
  presign({ operation: 'DOWNLOAD', object_key, ...fields });

/** Sends exactly this target and these headers to the store, which no client library tidies. */
async function send({ method, url, headers }: Omit<Presigned, 'expires_at'>, body?: Buffer) {
  const { hostname, port } = new URL(endpoint);
  const sending = request({ host: hostname, port, method, path: url.slice(endpoint.length), headers });
  // A refused body may be cut off after the answer.
  sending.on('error', () => {});
  sending.end(body);
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
}

async function upload(object_key: string, bytes: Buffer): Promise<void> {
  const presigned = await presignUpload(object_key, bytes);
  const { status, body } = await send(presigned, bytes);
  expect(status, body.toString()).toBe(200);
}

const stored = () =>
  readdirSync(join(folder, 'store/acme'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('._S3rver_object'))
    .map((name) => name.slice(0, -'._S3rver_object'.length));

test('an upload and a download work as any client sends them', async () => {
  const bytes = randomBytes(100_000);
  const up = await presignUpload('pump 7/2.4.1.bin', bytes, { checksum_sha256: 'A'.repeat(43).concat('=') });
  const put = await fetch(up.url, { method: up.method, headers: up.headers, body: new Blob([bytes]) });
  expect(put.status, await put.text()).toBe(200);

  const disposition = 'attachment; filename="2.4.1.bin"';
  const down = await presignDownload('pump 7/2.4.1.bin', { response_content_disposition: disposition });
  const get = await fetch(down.url, { method: down.method, headers: down.headers });
  expect([get.status, get.headers.get('content-type')]).toEqual([200, 'image/png']);
  expect(get.headers.get('content-disposition')).toBe(disposition);
  expect(bytes.equals(Buffer.from(await get.arrayBuffer()))).toBe(true);
});

const KEYS = [
  'plain',
  'with space',
  ' leading and trailing ',
  'double  space',
  'a+b',
  '+',
  'a%b',
  '100%',
  '%41',
  '%zz',
  'a%20b',
  'a%2Fb',
  'a%252fb',
  '%',
  '%%%',
  'folder/file',
  'a/b/c/d/e/f',
  'a/b c/d+e/f%g',
  'schlüssel',
  'Ключ/файл.txt',
  '鍵/文件',
  'مفتاح',
  '🔑/👩‍💻',
  'e\u0301 decomposed',
  '\u00e9 composed',
  "it's",
  '(parentheses)',
  'star*',
  'bang!',
  'tilde~',
  '~',
  'a&b=c',
  'a?b',
  'a#b',
  'a;b:c',
  'a@b$c',
  'a,b',
  'a|b',
  '"quoted"',
  '<angle>',
  '[brackets]',
  '{braces}',
  'a^b`c',
  'a=b',
  '...',
  '.hidden',
  'trailing.',
  'a..b',
  'x'.repeat(200),
  'q=1&X-Amz-Signature=0',
];

test('50 keys arrive literally, and are found again by the same key', async () => {
  expect(new Set(KEYS).size).toBe(50);
  const before = stored();
  for (const key of KEYS) await upload(`keys/${key}`, Buffer.from(key));
  const arrived = stored().filter((key) => !before.includes(key));
  expect(arrived.toSorted()).toEqual(KEYS.map((key) => `in/keys/${key}`).toSorted());
  for (const key of KEYS) {
    const { status, body } = await send(await presignDownload(`keys/${key}`));
    expect([key, status, body.toString()]).toEqual([key, 200, key]);
  }
});

describe('the store refuses', () => {
  const bytes = Buffer.from('0123456789');

  test('a URL with any one byte changed', async () => {
    await upload('changed/a b.bin', bytes);
    const presigned = await presignDownload('changed/a b.bin', { response_content_disposition: 'inline' });
    expect((await send(presigned)).status).toBe(200);
    const { url } = presigned;
    for (let at = endpoint.length + 1; at < url.length; at++) {
      const changed = `${url.slice(0, at)}${url[at] === '1' ? '2' : '1'}${url.slice(at + 1)}`;
      const { status, body } = await send({ ...presigned, url: changed });
      expect(status, changed).toBeGreaterThanOrEqual(400);
      expect(body.includes(bytes), changed).toBe(false);
    }
  });

  test('a URL with a parameter more, or one less', async () => {
    await upload('more.bin', bytes);
    const presigned = await presignDownload('more.bin');
    const parameters = presigned.url.slice(presigned.url.indexOf('?') + 1).split('&');
    expect(parameters).toHaveLength(6);
    const urls = parameters.map((parameter) => presigned.url.replace(parameter, 'x=1'));
    urls.push(`${presigned.url}&response-content-type=text/html`, `${presigned.url}&X-Amz-Expires=604800`);
    for (const url of urls) expect((await send({ ...presigned, url })).status, url).toBeGreaterThanOrEqual(400);
  });

  test('another method', async () => {
    await upload('method.bin', bytes);
    const down = await presignDownload('method.bin');
    const up = await presignUpload('method.bin', bytes);
    for (const presigned of [
      { ...down, method: 'PUT' },
      { ...down, method: 'DELETE' },
      { ...down, method: 'POST' },
      { ...up, method: 'GET', headers: {} },
      { ...up, method: 'DELETE' },
      { ...up, method: 'POST' },
    ]) {
      const { status } = await send(presigned, 'Content-Length' in presigned.headers ? bytes : undefined);
      expect(status, presigned.method).toBe(403);
    }
    expect((await send(down)).body.equals(bytes)).toBe(true);
  });

  test('another content type, and none', async () => {
    const presigned = await presignUpload('type.html', bytes);
    const { 'Content-Type': _, ...without } = presigned.headers;
    for (const headers of [{ ...presigned.headers, 'Content-Type': 'text/html' }, without]) {
      expect((await send({ ...presigned, headers }, bytes)).status).toBe(403);
    }
    expect(stored()).not.toContain('in/type.html');
    expect((await send(presigned, bytes)).status).toBe(200);
  });

  test('a larger body and a smaller one, and one of an unknown length', async () => {
    const presigned = await presignUpload('size.bin', bytes);
    for (const body of [Buffer.concat([bytes, bytes]), bytes.subarray(1), Buffer.alloc(0)]) {
      const headers = { ...presigned.headers, 'Content-Length': String(body.length) };
      expect((await send({ ...presigned, headers }, body)).status).toBe(403);
    }
    const { 'Content-Length': _, ...rest } = presigned.headers;
    const chunked = { ...rest, 'Transfer-Encoding': 'chunked' };
    expect((await send({ ...presigned, headers: chunked }, Buffer.concat([bytes, bytes]))).status).toBe(403);
    expect(stored()).not.toContain('in/size.bin');
    expect((await send(presigned, bytes)).status).toBe(200);
  });

  test('another checksum, and none', async () => {
    const checksum_sha256 = `${'A'.repeat(43)}=`;
    const presigned = await presignUpload('checksum.bin', bytes, { checksum_sha256 });
    const { 'X-Amz-Checksum-Sha256': _, ...without } = presigned.headers;
    for (const headers of [{ ...without, 'X-Amz-Checksum-Sha256': `${'B'.repeat(43)}=` }, without]) {
      expect((await send({ ...presigned, headers }, bytes)).status).toBe(403);
    }
    expect(stored()).not.toContain('in/checksum.bin');
  });

  test('an expired URL', async () => {
    await upload('expired.bin', bytes);
    const presigned = await presignDownload('expired.bin', { expires_in_seconds: 1 });
    const ask = async () => (await send(presigned)).body.toString();
    await expect.poll(ask, { timeout: 10_000 }).toContain('Request has expired');
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(presigned.expires_at));
    expect((await send(await presignDownload('expired.bin', { expires_in_seconds: 60 }))).status).toBe(200);
  });
});
