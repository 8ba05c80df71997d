import { expect, test } from 'vitest';
import { type Bucket, presignedUrl } from './presigned-url.js';

const store: Bucket = {
  endpoint: 'https://objects.example.com:9000',
  region: 'eu-central-1',
  forcePathStyle: true,
  bucket: 'acme',
  accessKeyId: 'ACMEFIRMWARE',
  secretAccessKey: 'wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY',
  sessionToken: null,
};

const download = {
  method: 'GET',
  key: 'a.txt',
  headers: {},
  query: {},
  signedAt: new Date('2026-01-31T09:30:00.999Z'),
  expiresInSeconds: 900,
} as const;

const presign = async (bucket: Partial<Bucket>, request: object = {}) =>
  new URL(await presignedUrl({ ...store, ...bucket }, { ...download, ...request }));

test('matches the example that AWS publishes', async () => {
  const aws = {
    endpoint: 'https://s3.amazonaws.com',
    region: 'us-east-1',
    forcePathStyle: false,
    bucket: 'examplebucket',
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  };
  const url = await presign(aws, {
    key: 'test.txt',
    signedAt: new Date('2013-05-24T00:00:00Z'),
    expiresInSeconds: 86_400,
  });
  expect(url.searchParams.get('X-Amz-Signature')).toBe(
    'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

test('puts the bucket into the path or into the host name, and keeps the port', async () => {
  expect((await presign({})).href).toMatch(/^https:\/\/objects\.example\.com:9000\/acme\/a\.txt\?/);
  expect((await presign({ forcePathStyle: false })).href).toMatch(
    /^https:\/\/acme\.objects\.example\.com:9000\/a\.txt\?/,
  );
  const behindPath = await presign({ endpoint: 'https://objects.example.com/storage/v1/s3' });
  expect(behindPath.href).toMatch(/^https:\/\/objects\.example\.com\/storage\/v1\/s3\/acme\/a\.txt\?/);
  expect((await presign({ endpoint: 'https://[2001:db8::1]' })).href).toMatch(/^https:\/\/\[2001:db8::1\]\/acme\//);
});

test('signs every given header', async () => {
  const headers = { 'Content-Type': 'image/png', 'Content-Length': '7', 'X-Amz-Checksum-Sha256': 'x' };
  const url = await presign({}, { method: 'PUT', headers });
  expect(url.searchParams.get('X-Amz-SignedHeaders')).toBe('content-length;content-type;host;x-amz-checksum-sha256');
  expect((await presign({})).searchParams.get('X-Amz-SignedHeaders')).toBe('host');
  const signatureWith = async (changed: object) =>
    (await presign({}, { method: 'PUT', headers: { ...headers, ...changed } })).searchParams.get('X-Amz-Signature');
  const signatures = await Promise.all([
    signatureWith({}),
    signatureWith({ 'Content-Type': 'image/gif' }),
    signatureWith({ 'Content-Length': '8' }),
    signatureWith({ 'X-Amz-Checksum-Sha256': 'y' }),
  ]);
  expect(new Set(signatures).size).toBe(4);
});

test('dates the signature with the given second, and includes expiry, region and session', async () => {
  const { searchParams } = await presign({ sessionToken: 'FwoGZXIvYXdzEBY+/=' });
  expect(Object.fromEntries(searchParams)).toEqual({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': 'ACMEFIRMWARE/20260131/eu-central-1/s3/aws4_request',
    'X-Amz-Date': '20260131T093000Z',
    'X-Amz-Expires': '900',
    'X-Amz-Security-Token': 'FwoGZXIvYXdzEBY+/=',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

test.each([
  ["a b+c%d'e(f)g*h!i~j_k-l.m", 'a%20b%2Bc%25d%27e%28f%29g%2Ah%21i~j_k-l.m'],
  ['%2e%2e', '%252e%252e'],
  ['..%2fx', '..%252fx'],
  ['a/b/c', 'a/b/c'],
  ['a//b/', 'a//b/'],
  ['a?b#c&d=e', 'a%3Fb%23c%26d%3De'],
  ['ключ/鍵', '%D0%BA%D0%BB%D1%8E%D1%87/%E9%8D%B5'],
  ['🔑', '%F0%9F%94%91'],
  ['a:b@c;d,e|f"g<h>i[j]k^l`m{n}', 'a%3Ab%40c%3Bd%2Ce%7Cf%22g%3Ch%3Ei%5Bj%5Dk%5El%60m%7Bn%7D'],
  ['e\u0301', 'e%CC%81'],
])('encodes the key %j once, strictly', async (key, path) => {
  const text = await presignedUrl(store, { ...download, key });
  expect(text.slice(0, text.indexOf('?'))).toBe(`https://objects.example.com:9000/acme/${path}`);
  expect(new URL(text).href).toBe(text);
  expect(decodeURIComponent(new URL(text).pathname)).toBe(`/acme/${key}`);
});

test('encodes the query strictly too, especially spaces', async () => {
  const disposition = `attachment; filename="a+b (c)'*~.txt"`;
  const url = await presign({}, { query: { 'response-content-disposition': disposition } });
  expect(url.search).toContain(
    'response-content-disposition=attachment%3B%20filename%3D%22a%2Bb%20%28c%29%27%2A~.txt%22',
  );
  expect(url.search).not.toContain('+');
  expect(url.searchParams.get('response-content-disposition')).toBe(disposition);
});
