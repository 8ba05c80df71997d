import { type ErrorCode, errors } from '@tenant-open-platform/contract';
import { type Answer, createTenant, rawRequest, sign } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';

const ME = '/api/v1/open/me';

const { operator } = await createTenant();
const caller = operator;
const node = operator.base_url;

const lines = (...head: string[]) => `${head.join('\r\n')}\r\n\r\n`;

const signed = (method: string, target: string, ...more: string[]) =>
  lines(
    `${method} ${target} HTTP/1.1`,
    'Host: localhost',
    ...Object.entries(sign(caller, method, target)).map((pair) => pair.join(': ')),
    ...more,
  );

function expectRefusal({ status, headers, body }: Answer, code: ErrorCode): void {
  expect(status).toBe(errors[code].status);
  expect(body).toEqual({ code, message: expect.any(String), request_id: headers['x-request-id'] });
  expect(headers).toMatchObject({ 'cache-control': 'no-store', connection: 'close' });
  expect(headers['content-type']).toBe('application/json; charset=utf-8');
}

test.each([
  ['no HTTP at all', 'hello\r\n\r\n'],
  ['HTTP/2 with prior knowledge', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['an unknown version', lines(`GET ${ME} HTTP/3.1`, 'Host: localhost')],
  ['HTTP/0.9', lines(`GET ${ME} HTTP/0.9`, 'Host: localhost')],
  ['HTTP/2.0 in the syntax of 1.1', lines(`GET ${ME} HTTP/2.0`, 'Host: localhost')],
  ['an unknown method', lines(`FROBNICATE ${ME} HTTP/1.1`, 'Host: localhost')],
  ['no Host', lines(`GET ${ME} HTTP/1.1`)],
  ['an empty Host', lines(`GET ${ME} HTTP/1.1`, 'Host:')],
  ['a Host with a path', lines(`GET ${ME} HTTP/1.1`, 'Host: localhost/a')],
  ['a Host with a user', lines(`GET ${ME} HTTP/1.1`, 'Host: user@localhost')],
  ['a Host with a word for a port', lines(`GET ${ME} HTTP/1.1`, 'Host: localhost:http')],
  ['a bad Host in HTTP/1.0', lines(`GET ${ME} HTTP/1.0`, 'Host: a b')],
  ['two Hosts', lines(`GET ${ME} HTTP/1.1`, 'Host: localhost', 'Host: localhost')],
  ['a space in the target', lines(`GET ${ME}?a=b c HTTP/1.1`, 'Host: localhost')],
  ['non-ASCII bytes in the target', lines('GET /api/v1/open/caf\u00e9 HTTP/1.1', 'Host: localhost')],
  ['bare line feeds', `GET ${ME} HTTP/1.1\nHost: localhost\n\n`],
  ['a folded header', lines(`GET ${ME} HTTP/1.1`, 'Host: localhost', 'X-A: b', ' c')],
  ['white space before the colon', lines(`GET ${ME} HTTP/1.1`, 'Host: localhost', 'X-A : b')],
  ['NUL in a header', lines(`GET ${ME} HTTP/1.1`, 'Host: localhost', 'X-A: b\0c')],
  ['two lengths', lines(`POST ${ME} HTTP/1.1`, 'Host: localhost', 'Content-Length: 1', 'Content-Length: 2')],
  ['a negative length', lines(`POST ${ME} HTTP/1.1`, 'Host: localhost', 'Content-Length: -1')],
  [
    'a length and chunks',
    `${lines(`POST ${ME} HTTP/1.1`, 'Host: localhost', 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
  ],
  ['a broken chunk', `${lines(`POST ${ME} HTTP/1.1`, 'Host: localhost', 'Transfer-Encoding: chunked')}zz\r\n\r\n`],
  ...['gzip, chunked', 'chunked, chunked', 'identity', 'Chunked'].map((coding) => [
    `Transfer-Encoding ${coding}`,
    lines(`POST ${ME} HTTP/1.1`, 'Host: localhost', `Transfer-Encoding: ${coding}`),
  ]),
  ['chunks in HTTP/1.0', lines(`POST ${ME} HTTP/1.0`, 'Transfer-Encoding: chunked')],
  ['CONNECT', lines('CONNECT localhost:443 HTTP/1.1', 'Host: localhost:443')],
])('answers %s with MALFORMED_HTTP and closes the connection', async (_, bytes) => {
  expectRefusal(await rawRequest(node, bytes), 'MALFORMED_HTTP');
});

test('refuses a broken chunk in the body of a signed request instead of dropping the connection', async () => {
  const head = signed('POST', '/api/v1/open/downlink/commands', 'Transfer-Encoding: chunked');
  expectRefusal(await rawRequest(node, `${head}zz\r\n`), 'MALFORMED_HTTP');
});

test.each(['localhost', 'LOCALHOST:8787', '127.0.0.1:1', '[::1]:8787', 'my_service.internal:'])(
  'accepts the Host %s',
  async (host) => {
    const answer = await rawRequest(node, lines('GET /livez HTTP/1.1', `Host: ${host}`));
    expect(answer.status).toBe(200);
  },
);

test('serves HTTP/1.0 without Host', async () => {
  expect((await rawRequest(node, lines('GET /livez HTTP/1.0'))).status).toBe(200);
});

test.each(['/livez', ME])('answers a conditional GET of %s in full', async (target) => {
  for (const condition of ['If-None-Match: *', 'If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT']) {
    const { status, raw } = await rawRequest(node, signed('GET', target, condition));
    expect([status, raw.length > 0]).toEqual([200, true]);
  }
});

test('refuses an unsupported Expect header, with the request id that the caller sent', async () => {
  const answer = await rawRequest(node, signed('GET', ME, 'Expect: coffee', 'X-Request-Id: abc'));
  expectRefusal(answer, 'EXPECTATION_FAILED');
  expect(answer.body.request_id).toBe('abc');
});

test('lets a client that expects 100 Continue send its body', async () => {
  expect((await rawRequest(node, signed('GET', ME, 'Expect: 100-continue'))).status).toBe(200);
});

test('refuses headers of more than 16 KiB', async () => {
  const padding = Array.from({ length: 20 }, (_, index) => `X-Padding-${index}: ${'a'.repeat(1_000)}`);
  expectRefusal(await rawRequest(node, signed('GET', ME, ...padding)), 'HEADERS_TOO_LARGE');
});

test('answers REQUEST_TIMEOUT if the headers do not arrive within 5 seconds', async () => {
  expectRefusal(await rawRequest(node, `GET ${ME} HTTP/1.1\r\nHost: localhost\r\n`), 'REQUEST_TIMEOUT');
});
