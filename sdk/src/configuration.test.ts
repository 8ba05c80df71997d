import { afterEach, expect, test, vi } from 'vitest';
import { answer, credential, fakeClient } from '../test/fake-fetch.js';
import { ConfigurationError, TenantOpenPlatform, type TenantOpenPlatformOptions } from './index.js';
import { sign } from './sign.js';

const id = { clientId: credential.clientId };
const good = { baseUrl: 'https://platform.test', ...credential };

afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

test('reads missing options from the environment', () => {
  vi.stubEnv('TOP_BASE_URL', 'https://env.test/prefix/');
  vi.stubEnv('TOP_CLIENT_ID', 'env-client');
  vi.stubEnv('TOP_SECRET', credential.secret);
  expect(new TenantOpenPlatform()).toMatchObject({ baseUrl: 'https://env.test/prefix', clientId: 'env-client' });
  expect(new TenantOpenPlatform(credential)).toMatchObject({ baseUrl: 'https://env.test/prefix', ...id });
});

test.each<[string, TenantOpenPlatformOptions]>([
  ['clientId', id],
  ['secret', { secret: credential.secret }],
])('a %s alone is never completed from the environment', (_, half) => {
  vi.stubEnv('TOP_CLIENT_ID', 'env-client');
  vi.stubEnv('TOP_SECRET', credential.secret);
  const construct = () => new TenantOpenPlatform({ baseUrl: good.baseUrl, ...half });
  expect(construct).toThrow(ConfigurationError);
  expect(construct).toThrow(/clientId and secret together/);
});

test('needs no process object', () => {
  vi.stubGlobal('process', undefined);
  expect(new TenantOpenPlatform(good).clientId).toBe('demo-client');
});

test('signs with a key that cannot be read back, as with the secret', async () => {
  const bytes = new TextEncoder().encode(credential.secret);
  const secret = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const { client, fetch } = fakeClient([answer(200, {})], { secret });
  await client.me.get();
  const { headers = {} } = fetch.sent[0] ?? {};
  const signed = await sign({
    ...credential,
    method: 'GET',
    target: '/api/v1/open/me',
    timestamp: headers['X-Api-Timestamp'],
    nonce: headers['X-Api-Nonce'],
  });
  expect(headers['X-Api-Signature']).toBe(signed['X-Api-Signature']);
});

test('names all missing options at once', () => {
  for (const name of ['TOP_BASE_URL', 'TOP_CLIENT_ID', 'TOP_SECRET']) vi.stubEnv(name, '');
  expect(() => new TenantOpenPlatform()).toThrow(
    'Missing: baseUrl (or TOP_BASE_URL), clientId (or TOP_CLIENT_ID), secret (or TOP_SECRET).',
  );
});

const wrong: [string, TenantOpenPlatformOptions, RegExp][] = [
  ['a base URL without scheme', { baseUrl: 'platform.test' }, /whole URL/],
  ['a base URL of another scheme', { baseUrl: 'ftp://platform.test' }, /https:/],
  ['a base URL with a password', { baseUrl: 'https://a:b@platform.test' }, /no user, password/],
  ['a base URL with a query', { baseUrl: 'https://platform.test/?a=b' }, /query/],
  ['a base URL with the path of the API', { baseUrl: 'https://platform.test/api/v1/' }, /before \/api\/v1/],
  ['a key that cannot sign', { secret: {} as never }, /secret must be text, or a CryptoKey that signs/],
  ['a malformed client id', { clientId: 'a b' }, /clientId/],
  ['a secret with a typo', { secret: credential.secret.replace('Z', 'z') }, /typo/],
  ['no time for an attempt', { timeoutMs: 0 }, /timeoutMs must be a number from 1/],
  ['no time for a call', { deadlineMs: Number.NaN }, /deadlineMs/],
  ['fewer than no retries', { maxRetries: -1 }, /maxRetries must be a number from 0/],
];

test.each(wrong)('refuses %s at construction', (_, options, message) => {
  const construct = () => new TenantOpenPlatform({ ...good, ...options });
  expect(construct).toThrow(ConfigurationError);
  expect(construct).toThrow(message);
});

test('refuses a browser unless told that it is safe there', () => {
  vi.stubGlobal('window', { document: {} });
  expect(() => new TenantOpenPlatform(good)).toThrow(/browser/);
  expect(new TenantOpenPlatform({ ...good, dangerouslyAllowBrowser: true }).clientId).toBe('demo-client');
});

test('refuses a worker of a page too', () => {
  vi.stubGlobal('importScripts', () => {});
  expect(() => new TenantOpenPlatform(good)).toThrow(/browser/);
});

test('an edge worker does not count as a browser, whatever its compatibility date', () => {
  vi.stubGlobal('importScripts', () => {});
  vi.stubGlobal('WebSocketPair', class {});
  expect(new TenantOpenPlatform(good).clientId).toBe('demo-client');
});

test('reports missing WebCrypto', () => {
  vi.stubGlobal('crypto', undefined);
  expect(() => new TenantOpenPlatform(good)).toThrow(/WebCrypto/);
});
