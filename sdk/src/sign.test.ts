import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { credential } from '../test/fake-fetch.js';
import { difference, explain, sign, verify } from './sign.js';

interface Vector {
  name: string;
  secret: string;
  client_id: string;
  timestamp: string;
  nonce: string;
  method: string;
  target: string;
  body_base64: string;
  string_to_sign: string;
  x_api_signature: string;
}

const url = new URL('../../contract/vectors/vectors.json', import.meta.url);
const vectors: { accept: Vector[]; reject: { name: string; judge: string; method: string; target: string }[] } =
  JSON.parse(readFileSync(url, 'utf8'));

test.each(vectors.accept)('signs the vector $name', async (vector) => {
  const { client_id, body_base64, string_to_sign, x_api_signature, ...parts } = vector;
  const body = Buffer.from(body_base64, 'base64');
  expect(await explain({ ...parts, clientId: client_id, body })).toEqual({
    stringToSign: string_to_sign,
    headers: {
      'X-Api-Id': client_id,
      'X-Api-Timestamp': parts.timestamp,
      'X-Api-Nonce': parts.nonce,
      'X-Api-Signature': x_api_signature,
    },
  });
});

test.each(vectors.reject.filter(({ judge }) => judge === 'target'))('refuses the vector $name', async (vector) => {
  await expect(sign({ ...credential, method: vector.method, target: vector.target })).rejects.toThrow(/target/);
});

test('signs a text as its UTF-8 bytes', async () => {
  const request = { ...credential, method: 'POST', target: '/api/v1/x', timestamp: 1767225600, nonce: 'nonce-of-test' };
  const ofText = await sign({ ...request, body: '{"name":"Küche 設備"}' });
  expect(await sign({ ...request, body: new TextEncoder().encode('{"name":"Küche 設備"}') })).toEqual(ofText);
});

test('uses a new nonce and the current time by default', async () => {
  const request = { ...credential, method: 'GET', target: '/api/v1/open/me' };
  const [first, second] = await Promise.all([sign(request), sign(request)]);
  expect(first['X-Api-Nonce']).not.toBe(second['X-Api-Nonce']);
  expect(Math.abs(Number(first['X-Api-Timestamp']) - Date.now() / 1000)).toBeLessThan(5);
});

const request = { ...credential, method: 'POST', target: '/api/v1/open/me', body: '{}', timestamp: 1767225600 };

test.each([
  ['as it was signed', {}, true],
  ['of another body', { body: '{ }' }, false],
  ['of another target', { target: '/api/v1/open/catalog' }, false],
  ['of another method', { method: 'PUT' }, false],
  ['of another time', { timestamp: 1767225601 }, false],
  ['of another secret', { secret: `${credential.secret}x` }, false],
  ['with a signature of another form', { signature: 'v1=00' }, false],
])('verifies a request %s: %s', async (_, change, isRight) => {
  const headers = await sign({ ...request, nonce: 'nonce-of-test' });
  const signature = headers['X-Api-Signature'];
  expect(await verify({ ...request, nonce: 'nonce-of-test', signature, ...change })).toBe(isRight);
});

test('names the lines in which two texts to sign differ', async () => {
  const { stringToSign } = await explain({ ...request, nonce: 'nonce-of-test' });
  expect(difference(stringToSign, stringToSign)).toEqual([]);
  const other = stringToSign.replace('/api/v1/open/me', '/api/v1/open/me?a=b').replace('1767225600', '1767225700');
  expect(difference(stringToSign, other)).toEqual([
    { part: 'target', yours: '/api/v1/open/me', platforms: '/api/v1/open/me?a=b' },
    { part: 'timestamp', yours: '1767225600', platforms: '1767225700' },
  ]);
});
