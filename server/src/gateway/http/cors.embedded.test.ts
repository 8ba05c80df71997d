import { request as httpRequest } from 'node:http';
import { allOperations } from '@tenant-open-platform/contract';
import { databaseFolder, platform, signedRequest, startNode } from '@tenant-open-platform/testing';
import { ServerExited, startServer } from '@tenant-open-platform/testing/start-server';
import { expect, test } from 'vitest';
import { unique } from '../../../test/support/unique.js';

const PAGE = 'https://docs.example.com';
const LOCAL_PAGE = 'http://127.0.0.1:3000';
const COMMANDS = '/api/v1/open/downlink/commands';

const folder = databaseFolder();

const server = await startNode({ DATA_DIR: folder, CORS_ORIGINS: `${PAGE},${LOCAL_PAGE}` });
const { demo } = server;

type Headers = Record<string, string | string[] | undefined>;

/** A request that nobody signed. */
function unsigned(method: string, url: string, headers: Record<string, string>) {
  return new Promise<{ status: number; headers: Headers; text: string }>((resolve, reject) => {
    const sent = httpRequest(url, { method, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    sent.on('error', reject).end();
  });
}

const preflight = (origin: string, target = COMMANDS, baseUrl = server.baseUrl) =>
  unsigned('OPTIONS', `${baseUrl}${target}`, {
    Origin: origin,
    'Access-Control-Request-Method': 'POST',
    'Access-Control-Request-Headers': 'content-type,x-api-id,x-api-nonce,x-api-signature,x-api-timestamp',
  });

const listOf = (header: string | string[] | undefined) => String(header).toLowerCase().split(', ');

const corsHeaders = (headers: Headers) => Object.keys(headers).filter((name) => name.startsWith('access-control-'));

test('a preflight of a named origin is answered without a signature, with what a signed request needs', async () => {
  for (const origin of [PAGE, LOCAL_PAGE]) {
    const { status, headers, text } = await preflight(origin);
    expect([status, text]).toEqual([204, '']);
    expect(headers['access-control-allow-origin']).toBe(origin);
    expect(headers.vary).toBe('Origin');
    expect(headers).not.toHaveProperty('access-control-allow-credentials');
  }
});

test('a page may send and read every header that OpenAPI describes', async () => {
  const { components } = (await (await fetch(`${server.baseUrl}/openapi.json`)).json()) as {
    components: Record<'headers' | 'parameters' | 'securitySchemes', Record<string, { in?: string; name?: string }>>;
  };
  const { headers } = await preflight(PAGE);
  const sent = Object.values({ ...components.parameters, ...components.securitySchemes });
  const named = sent.filter((one) => one.in === 'header').map(({ name }) => String(name).toLowerCase());
  expect(named).toEqual(expect.arrayContaining(['x-api-signature', 'idempotency-key']));
  const allowed = listOf(headers['access-control-allow-headers']);
  expect(allowed.sort()).toEqual([...new Set([...named, 'content-type', 'traceparent'])].sort());
  const answer = await unsigned('GET', `${server.baseUrl}${COMMANDS}`, { Origin: PAGE });
  const exposed = listOf(answer.headers['access-control-expose-headers']);
  expect(exposed.sort()).toEqual(
    [...Object.keys(components.headers).map((name) => name.toLowerCase()), 'allow'].sort(),
  );
});

test('a preflight allows every method of the contract', async () => {
  const { headers } = await preflight(PAGE);
  const methods = new Set(allOperations.map(({ route }) => route.method.toLowerCase()));
  expect(listOf(headers['access-control-allow-methods']).sort()).toEqual([...methods].sort());
});

test('an answer to a named origin can be read, and so can the headers that it may have', async () => {
  const body = {
    vendor: 'vendor_a',
    device_id: 'ok-1',
    command_type: 'reboot',
    payload: {},
    idempotency_key: unique('key'),
  };
  const send = () => signedRequest(demo, 'POST', COMMANDS, { body, headers: { Origin: PAGE }, node: server.baseUrl });
  expect((await send()).status).toBe(202);
  const { status, headers } = await send();
  expect([status, headers['access-control-allow-origin'], headers['idempotent-replayed']]).toEqual([202, PAGE, 'true']);
  const exposed = listOf(headers['access-control-expose-headers']);
  const ofContract = allOperations.flatMap(({ route }) => route.metadata.answerHeaders ?? []);
  expect(exposed).toEqual(expect.arrayContaining(ofContract.map((name) => name.toLowerCase())));
  expect(exposed).toEqual(expect.arrayContaining(['x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy']));
});

test('a refusal can be read, whatever refused it', async () => {
  for (const [target, headers, status] of [
    [COMMANDS, {}, 401],
    ['/api/v1/nonsense', {}, 401],
    ['/api/v1/open/events?x', {}, 400],
  ] as const) {
    const answer = await unsigned('GET', `${server.baseUrl}${target}`, { Origin: PAGE, ...headers });
    expect([target, answer.status, answer.headers['access-control-allow-origin']]).toEqual([target, status, PAGE]);
  }
});

test('a page of another origin gets nothing, however near its origin is', async () => {
  for (const origin of [
    'https://evil.example.com',
    'http://docs.example.com',
    'https://docs.example.com:8443',
    'https://docs.example.com.evil.example',
    'https://DOCS.example.com',
    `${PAGE}/`,
    `${PAGE}, ${LOCAL_PAGE}`,
    'null',
  ]) {
    const asked = await preflight(origin);
    expect([origin, asked.status, corsHeaders(asked.headers)]).toEqual([origin, 401, []]);
    const { headers } = await unsigned('GET', `${server.baseUrl}${COMMANDS}`, { Origin: origin });
    expect([origin, corsHeaders(headers), headers.vary]).toEqual([origin, [], 'Origin']);
  }
});

test('a page may read the descriptions, and neither probes nor metrics', async () => {
  const headersOf = async (target: string) =>
    (await unsigned('GET', `${server.baseUrl}${target}`, { Origin: PAGE })).headers;
  const read = async (target: string) => (await headersOf(target))['access-control-allow-origin'];
  expect(await read('/openapi.json')).toBe(PAGE);
  expect((await headersOf('/openapi.json')).vary).toBe('Origin, Accept-Encoding');
  for (const target of ['/metrics', '/readyz', '/livez'])
    expect([target, await read(target)]).toEqual([target, undefined]);
});

test('without CORS_ORIGINS no origin is named, and OPTIONS is a method like any other', async () => {
  const [node = ''] = platform().nodes;
  const { status, headers } = await preflight(PAGE, COMMANDS, node);
  expect([status, corsHeaders(headers), headers.vary]).toEqual([401, [], undefined]);
});

test.each([
  '*',
  'null',
  'https://docs.example.com/',
  'https://Docs.example.com',
  'docs.example.com',
  `${PAGE}, ${PAGE}`,
])('CORS_ORIGINS %s is refused at start', async (CORS_ORIGINS) => {
  const outcome = await startServer({ DATA_DIR: folder, CORS_ORIGINS }).catch((error: unknown) => error);
  if (!(outcome instanceof ServerExited)) throw new Error('The server started.');
  expect(outcome.stderr).toContain('CORS_ORIGINS must be origins such as');
});
