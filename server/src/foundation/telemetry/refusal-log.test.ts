import { randomBytes, randomUUID } from 'node:crypto';
import { rawRequest, signedRequest, startNode } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';

const ME = '/api/v1/open/me';

const server = await startNode({ TRUST_PROXY: '1' });
const { demo } = server;

type Line = Record<string, unknown> & { code?: string; left_out?: number };

const lines = (): Line[] =>
  server
    .stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));

const lineOf = (requestId: string) =>
  vi.waitFor(
    () => {
      const [line, ...more] = lines().filter(({ request_id }) => request_id === requestId);
      if (!line) throw new Error(`There is no line of ${requestId} in the log.`);
      expect(more).toEqual([]);
      return line;
    },
    { timeout: 60_000 },
  );

test('a refused request is in the log under its request_id, with caller, location and reason', async () => {
  const requestId = randomUUID();
  await signedRequest(demo, 'GET', '/api/v1/open/nothing?device_id=d-1', {
    headers: { 'X-Request-Id': requestId, 'X-Forwarded-For': '203.0.113.9' },
  });
  expect(await lineOf(requestId)).toMatchObject({
    level: 30,
    code: 'NOT_FOUND',
    status: 404,
    tenant_id: 'demo',
    client_id: demo.client_id,
    address: '203.0.113.9',
    method: 'GET',
    path: '/api/v1/open/nothing',
  });
});

test.each([
  ['of 300 characters', ['a'.repeat(300)], 'a'.repeat(200)],
  ['sent twice', ['one', 'two'], 'one, two'],
  ['with bytes that cannot be printed', ['caf\u00e9\t=1'], 'caf=1'],
])(
  'of an X-Request-Id %s the log keeps the first 200 printable characters beside the generated id',
  async (_, ids, kept) => {
    const sent = ids.map((id) => `X-Request-Id: ${id}\r\n`).join('');
    const text = `GET ${ME} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${sent}\r\n`;
    const { status, body } = await rawRequest(server.baseUrl, Buffer.from(text, 'latin1'));
    expect([status, body.request_id]).toEqual([401, expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)]);
    expect(await lineOf(body.request_id)).toMatchObject({ replaced_request_id: kept });
  },
);

test.each([
  ['of CONNECT', 'CONNECT localhost:1 HTTP/1.1\r\n', ''],
  ['of a body that is not HTTP', `POST ${ME} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n`, 'no size\r\n'],
])('the refusal %s at the socket is logged with the id that was replaced', async (_, start, rest) => {
  const { body } = await rawRequest(server.baseUrl, `${start}Host: localhost\r\nX-Request-Id: Root=1\r\n\r\n${rest}`);
  expect(await lineOf(body.request_id)).toMatchObject({ code: 'MALFORMED_HTTP', replaced_request_id: 'Root=1' });
});

test('at level debug also the line of a success has the id that was replaced', async () => {
  const debug = await startNode({ LOG_LEVEL: 'debug' });
  const { status, body } = await signedRequest(debug.demo, 'GET', ME, { headers: { 'X-Request-Id': 'Root=1' } });
  expect(status).toBe(200);
  await vi.waitFor(
    () => {
      const line = debug
        .stderr()
        .split('\n')
        .find((text) => text.includes(body.request_id));
      expect(JSON.parse(line ?? '{}')).toMatchObject({ status: 200, replaced_request_id: 'Root=1' });
    },
    { timeout: 60_000 },
  );
});

test('an unauthenticated caller is logged with the client id that it claims, and without a tenant', async () => {
  const requestId = randomUUID();
  const forged = { ...demo, secret: 'osk_wrong' };
  await signedRequest(forged, 'GET', ME, { headers: { 'X-Request-Id': requestId } });
  const line = await lineOf(requestId);
  expect(line).toMatchObject({ code: 'UNAUTHENTICATED', client_id: demo.client_id });
  expect(line).not.toHaveProperty('tenant_id');
});

test('a request that is not HTTP is logged under the request_id of its answer', async () => {
  const { body } = await rawRequest(server.baseUrl, 'hello\r\n\r\n');
  expect(await lineOf(body.request_id)).toMatchObject({ code: 'MALFORMED_HTTP', status: 400, address: '127.0.0.1' });
});

test('a success is not logged', async () => {
  const requestId = randomUUID();
  await signedRequest(demo, 'GET', ME, { headers: { 'X-Request-Id': requestId } });
  const refusedLater = randomUUID();
  await signedRequest(demo, 'GET', '/nothing', { headers: { 'X-Request-Id': refusedLater } });
  await lineOf(refusedLater);
  expect(server.stderr()).not.toContain(requestId);
});

test('the log contains no signature, no query and no secret from a wrong header', async () => {
  const hidden = `osk_${randomBytes(24).toString('hex')}`;
  const requestId = randomUUID();
  const sent = { 'X-Request-Id': requestId, 'X-Api-Id': hidden, 'X-Api-Signature': `v1=${hidden}`, Cookie: hidden };
  await signedRequest(demo, 'GET', `${ME}?secret=${hidden}`, { headers: sent });
  await lineOf(requestId);
  const absolute = `GET http://user:${hidden}@host/ HTTP/1.1\r\nHost: localhost\r\n\r\n`;
  const { body } = await rawRequest(server.baseUrl, absolute);
  await lineOf(body.request_id);
  expect(server.stderr()).not.toContain(hidden);
});

test('a flood of one refusal writes a few lines a second and the number of suppressed lines', async () => {
  const code = 'METHOD_NOT_ALLOWED';
  const requests = Array.from({ length: 200 }, () => signedRequest(demo, 'DELETE', ME));
  expect((await Promise.all(requests)).map(({ body }) => body.code)).toEqual(requests.map(() => code));
  await vi.waitFor(
    () => {
      const written = lines().filter((line) => line.code === code);
      const leftOut = written.reduce((sum, { left_out = 0 }) => sum + left_out, 0);
      const alone = written.filter(({ left_out }) => left_out === undefined).length;
      expect(alone + leftOut).toBe(200);
      expect(alone).toBeLessThan(100);
    },
    { timeout: 60_000 },
  );
});
