import { gzipSync } from 'node:zlib';
import { createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { type Parts, sendBytes, sendSignedBytes } from '../../../test/support/send-bytes.js';

const COMMANDS = '/api/v1/open/downlink/commands';
const ME = '/api/v1/open/me';
/** The default limits of the server. */
const BODY_LIMIT_BYTES = 65_536;
const HEADERS_LIMIT_BYTES = 16_384;

const tenant = await createTenant();

const command = (fields: object = {}) => ({
  vendor: 'vendor_a',
  device_id: 'device-1',
  command_type: 'reboot',
  payload: {},
  idempotency_key: 'gates',
  ...fields,
});

const send = (parts: Parts) => sendBytes(tenant.operator, parts);

const sendSigned = (parts: Parts & { signedBody?: Buffer }) => sendSignedBytes(tenant.operator, parts);

describe('request target', () => {
  test.each([
    ['absolute form', `http://localhost${ME}`],
    ['absolute form of another scheme', `https://localhost${ME}`],
    ['authority first', `//localhost${ME}`],
    ['a fragment', `${ME}#top`],
    ['a trailing slash', `${ME}/`],
    ['two slashes', '/api/v1/open//me'],
    ['an encoded slash', '/api/v1/open%2Fme'],
    ['an encoded letter', '/api/v1/open/%6de'],
    ['a dot segment', '/api/v1/open/./me'],
    ['a dot-dot segment', '/api/v1/platform/../open/me'],
    ['a semicolon', `${ME};v=1`],
    ['the asterisk form', '*'],
    ['another case of the prefix', '/API/v1/open/me'],
    ['no version', '/api/open/me'],
    ['a path of 1025 bytes', `/api/v1/open/${'p'.repeat(1025 - '/api/v1/open/'.length)}`],
    ['a query of 2049 bytes', `${COMMANDS}?cursor=${'c'.repeat(2049 - 'cursor='.length)}`],
    ['a bare question mark', `${ME}?`],
    ['an empty value', `${COMMANDS}?limit=`],
    ['a name without value', `${COMMANDS}?limit`],
    ['a repeated name', `${COMMANDS}?limit=1&limit=1`],
    ['a literal plus', `${COMMANDS}?accepted_after=2026-01-01T00:00:00+01:00`],
    ['NUL', `${COMMANDS}?device_id=%00`],
    ['bytes that are not UTF-8', `${COMMANDS}?device_id=%FF`],
  ])('with %s is refused before any authentication', async (_, target) => {
    expectRefusal(await send({ method: 'GET', target }), 'INVALID_TARGET');
    expectRefusal(await sendSigned({ method: 'GET', target }), 'INVALID_TARGET');
  });

  test.each(['/api/v1/open/ME', '/api/v1/open/nothing', '/api/v1/nothing', '/api/v1/open/me/more'])(
    '%s is unknown, but only a signed request learns that',
    async (target) => {
      expectRefusal(await send({ method: 'GET', target }), 'UNAUTHENTICATED');
      expectRefusal(await sendSigned({ method: 'GET', target }), 'NOT_FOUND');
    },
  );

  test.each(['/open/me', '/apis', '/favicon.ico', '/livez/', '/readyz/more', '/%2e%2e/etc', '/a//b?'])(
    '%s is outside the API and unknown',
    async (target) => {
      expectRefusal(await send({ method: 'GET', target }), 'NOT_FOUND');
      expectRefusal(await sendSigned({ method: 'GET', target }), 'NOT_FOUND');
    },
  );

  test.each(['0', '501', '-1', '01', '1e2', '1.0', '0x10', '%2010', '9999999999', 'ten'])(
    'refuses limit=%s instead of clamping it',
    async (limit) => {
      const answer = await sendSigned({ method: 'GET', target: `${COMMANDS}?limit=${limit}` });
      expectRefusal(answer, 'VALIDATION_FAILED');
      expect(answer.body.details).toMatchObject([{ location: 'query/limit' }]);
    },
  );
});

describe('X-Request-Id', () => {
  test.each([
    ...['', 'a b', 'a/b', 'caf\u00e9', 'a'.repeat(129)],
    // What gateways add.
    ...[
      'JKJaXmPLvHcESHA=',
      'Root=1-67891233-abcdef012345678912345678',
      '105445aa7843bc8bf206b12000100000/1;o=1',
      '|4bf92f.1.',
    ],
    'a\r\nx-request-id: a',
  ])('%j is replaced by a generated id', async (requestId) => {
    const answer = await sendSigned({ method: 'GET', target: ME, headers: [`X-Request-Id: ${requestId}`] });
    expect([answer.status, answer.body.request_id]).toEqual([200, answer.headers['x-request-id']]);
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  test('is kept up to 128 characters, and generated if missing', async () => {
    const longest = '~'.repeat(128);
    const kept = await sendSigned({ method: 'GET', target: ME, headers: [`X-Request-Id: ${longest}`] });
    expect([kept.status, kept.headers['x-request-id'], kept.body.request_id]).toEqual([200, longest, longest]);
    const made = await sendSigned({ method: 'GET', target: ME });
    expect(made.body.request_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });
});

describe('body', () => {
  const JSON_TYPE = 'Content-Type: application/json';
  const post = { method: 'POST', target: COMMANDS };
  const bytes = Buffer.from(JSON.stringify(command()));
  const chunked = (body: Buffer) =>
    Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);

  test('is accepted chunked, and the hash covers its bytes without the chunk framing', async () => {
    const headers = [JSON_TYPE, 'Transfer-Encoding: chunked'];
    const answer = await sendSigned({ ...post, headers, body: chunked(bytes), signedBody: bytes });
    expect(answer.status).toBe(202);
  });

  test.each(['gzip', 'GZIP', 'br', 'identity, gzip', 'x-unknown'])(
    'with Content-Encoding %s is refused',
    async (encoding) => {
      const headers = [JSON_TYPE, `Content-Encoding: ${encoding}`];
      expectRefusal(await sendSigned({ ...post, headers, body: gzipSync(bytes) }), 'UNSUPPORTED_MEDIA_TYPE');
    },
  );

  test('with Content-Encoding identity is accepted', async () => {
    const headers = [JSON_TYPE, 'Content-Encoding: identity'];
    expect((await sendSigned({ ...post, headers, body: bytes })).status).toBe(202);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'text/json',
    'application/merge-patch+json',
    'application/json; charset=latin1',
  ])('of type %s is refused, but only to an authenticated caller', async (type) => {
    const headers = [`Content-Type: ${type}`];
    expectRefusal(await send({ ...post, headers, body: bytes }), 'UNAUTHENTICATED');
    expectRefusal(await sendSigned({ ...post, headers, body: bytes }), 'UNSUPPORTED_MEDIA_TYPE');
  });

  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])('of type %s is accepted', async (type) => {
    expect((await sendSigned({ ...post, headers: [`Content-Type: ${type}`], body: bytes })).status).toBe(202);
  });

  test('of exactly the limit is read, and of one byte more is refused', async () => {
    const padded = (size: number) => Buffer.concat([bytes, Buffer.alloc(size - bytes.length, ' ')]);
    const longest = { ...post, headers: [JSON_TYPE], body: padded(BODY_LIMIT_BYTES) };
    expect((await sendSigned(longest)).status).toBe(202);
    const unsent = [JSON_TYPE, `Content-Length: ${BODY_LIMIT_BYTES + 1}`];
    expectRefusal(await sendSigned({ ...post, headers: unsent }), 'PAYLOAD_TOO_LARGE');
  });

  test('above the limit is refused in chunks too, and the connection is closed', async () => {
    const tooLong = Buffer.alloc(BODY_LIMIT_BYTES + 1, ' ');
    const unfinished = Buffer.concat([Buffer.from(`${tooLong.length.toString(16)}\r\n`), tooLong]);
    const headers = [JSON_TYPE, 'Transfer-Encoding: chunked'];
    const answer = await sendSigned({ ...post, headers, body: unfinished, signedBody: tooLong });
    expectRefusal(answer, 'PAYLOAD_TOO_LARGE');
    expect(answer.headers.connection).toBe('close');
  });

  test.each(['GET', 'HEAD', 'DELETE'])('is refused for %s before the signature is checked', async (method) => {
    const answer = await sendSigned({ method, target: ME, body: Buffer.from('{}'), signedBody: Buffer.from('[]') });
    expect(answer.status).toBe(400);
  });

  test.each(['PATCH', 'OPTIONS'])(
    'of %s is read like any other: only an authenticated caller learns more',
    async (method) => {
      const body = Buffer.from('{}');
      expectRefusal(await send({ method, target: ME, body }), 'UNAUTHENTICATED');
      expectRefusal(await sendSigned({ method, target: ME, body }), 'METHOD_NOT_ALLOWED');
      expectRefusal(await sendSigned({ method, target: ME, body, signedBody: Buffer.from('[]') }), 'UNAUTHENTICATED');
    },
  );

  test('is refused for GET in every framing, and an empty framing counts as none', async () => {
    const get = { method: 'GET', target: ME };
    const body = Buffer.from('{}');
    expectRefusal(await sendSigned({ ...get, body }), 'MALFORMED_HTTP');
    const headers = ['Transfer-Encoding: chunked'];
    expectRefusal(await sendSigned({ ...get, headers, body: chunked(body), signedBody: body }), 'MALFORMED_HTTP');
    expect((await sendSigned({ ...get, headers: ['Content-Length: 0'] })).status).toBe(200);
  });
});

describe('JSON', () => {
  test.each([
    ['a syntax error', '{"vendor":}', 'body/vendor'],
    ['an unfinished object', '{"payload":{"a":1', 'body/payload/a'],
    ['extra characters after the end', '{} {}', 'body'],
    ['single quotes', "{'vendor':1}", 'body'],
    ['a comment', '{/*x*/}', 'body'],
    ['a comma at the end', '{"vendor":"a",}', 'body'],
    ['NaN', '{"payload":{"a":NaN}}', 'body/payload/a'],
    ['a repeated name', '{"vendor":"a","vendor":"b"}', 'body/vendor'],
    ['a repeated name, once escaped', '{"payload":{"a":1,"\\u0061":2}}', 'body/payload/a'],
    ['__proto__', '{"payload":{"__proto__":{}}}', 'body/payload/__proto__'],
    ['__proto__, escaped', '{"payload":{"\\u005f_proto__":{}}}', 'body/payload/__proto__'],
    ['an integer over 2^53-1', '{"payload":{"a":[1,9007199254740993]}}', 'body/payload/a/1'],
    ['an integer under 1-2^53', '{"payload":{"a":-9007199254740992}}', 'body/payload/a'],
    ['too many digits', '{"payload":{"a":0.1234567890123456789}}', 'body/payload/a'],
    ['overflow', '{"payload":{"a":1e999}}', 'body/payload/a'],
    ['underflow', '{"payload":{"a":1e-999}}', 'body/payload/a'],
    ['NUL', '{"payload":{"a":"\\u0000"}}', 'body/payload/a'],
    ['a lone surrogate', '{"payload":{"a":"\\ud800"}}', 'body/payload/a'],
    ['33 levels', `{"payload":${'['.repeat(32)}${']'.repeat(32)}}`, `body/payload${'/0'.repeat(31)}`],
  ])('with %s is refused with the place', async (_, text, location) => {
    const answer = await signedRequest(tenant.operator, 'POST', COMMANDS, { body: Buffer.from(text) });
    expectRefusal(answer, 'MALFORMED_JSON');
    expect(answer.body.details).toEqual([{ location, code: 'MALFORMED_JSON', message: expect.any(String) }]);
  });

  test.each([
    ['17 significant digits', '21.300000000000001', 21.3],
    ['17 significant digits with an exponent', '-2.2250738585072014e-308', -2.2250738585072014e-308],
    ['a negative zero', '-0', 0],
    ['a negative zero with a fraction', '-0.0', 0],
    ['the largest integer', '9007199254740991', 2 ** 53 - 1],
    ['the smallest integer', '-9007199254740991', 1 - 2 ** 53],
  ])('with %s is accepted, and the record has the double', async (_, text, number) => {
    const vendor = '/api/v1/platform/catalog/vendors/gates';
    await signedRequest(platform().admin, 'PUT', vendor, { body: { enabled: true } });
    const body = Buffer.from(`{"description":"a","payload_schema":{"default":[${text}]}}`);
    const answer = await signedRequest(platform().admin, 'PUT', `${vendor}/command-types/gate`, { body });
    expect(answer.status, answer.raw).toBe(200);
    expect(answer.body.payload_schema).toEqual({ default: [number] });
  });

  test.each([
    ['a byte order mark', Buffer.from('\ufeff{}'), 'body'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0x22, 0x61, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]), 'body/a'],
    ['only white space', Buffer.from('  '), 'body'],
  ])('with %s is refused', async (_, body, location) => {
    const answer = await signedRequest(tenant.operator, 'POST', COMMANDS, { body });
    expectRefusal(answer, 'MALFORMED_JSON');
    expect(answer.body.details).toMatchObject([{ location }]);
  });

  test('is not parsed before the caller is authenticated and permitted', async () => {
    const body = Buffer.from('{');
    expectRefusal(await send({ method: 'POST', target: COMMANDS, body }), 'UNAUTHENTICATED');
    expectRefusal(await signedRequest(tenant.reader, 'POST', COMMANDS, { body }), 'FORBIDDEN');
  });

  test('with long names is refused with a short location, cut between characters', async () => {
    const name = `${'n'.repeat(127)}\u{1f600}`;
    const text = `{"payload":${`{"${name}":`.repeat(20)}NaN${'}'.repeat(21)}`;
    const answer = await signedRequest(tenant.operator, 'POST', COMMANDS, { body: Buffer.from(text) });
    expectRefusal(answer, 'MALFORMED_JSON');
    expect(answer.body.details[0].location).toBe(`body/payload${`/${'n'.repeat(127)}`.repeat(7)}`);
  });

  test('with several wrong fields names them all', async () => {
    const body = command({ vendor: 'Vendor A', timeout_seconds: 301, idempotency_key: '', device_id: 'a\nb' });
    const answer = await signedRequest(tenant.operator, 'POST', COMMANDS, { body });
    expectRefusal(answer, 'VALIDATION_FAILED');
    const locations = answer.body.details.map(({ location }: { location: string }) => location).sort();
    expect(locations).toEqual(['body/device_id', 'body/idempotency_key', 'body/timeout_seconds', 'body/vendor']);
  });
});

test('headers up to the limit are accepted, and above it refused', async () => {
  const padding = (size: number) => [`X-Padding: ${'a'.repeat(size)}`];
  expect((await sendSigned({ method: 'GET', target: ME, headers: padding(HEADERS_LIMIT_BYTES - 1_000) })).status).toBe(
    200,
  );
  const answer = await sendSigned({ method: 'GET', target: ME, headers: padding(HEADERS_LIMIT_BYTES) });
  expectRefusal(answer, 'HEADERS_TOO_LARGE');
});
