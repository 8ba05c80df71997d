import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { credential } from '../test/fake-fetch.js';
import {
  cut,
  type Fault,
  halfAnAnswer,
  json,
  page,
  refuse,
  silence,
  startFaultServer,
} from '../test/start-fault-server.js';
import { type RetryEvent, TenantOpenPlatform, type TenantOpenPlatformOptions } from './index.js';

/**
 * The table of the README, row by row, against a server of real HTTP. The texts of the rows are compared with the README:
 * a row without a case fails, and so does a case without a row.
 */
type Row = {
  happened: string;
  next: string;
  cases: Record<string, Fault | 'no connection'>;
  delayMs?: number;
};

const RANDOM = 0.02;
/** Of the first back-off, which is at most half a second. */
const BACK_OFF_MS = RANDOM * 500;
const backOff = 'after a back-off';
const retryAfter = 'after `Retry-After` and a back-off';
const skew = () => refuse(401, 'CLOCK_SKEW', {}, { server_time: new Date().toISOString() });

const rows: Row[] = [
  {
    happened: 'no connection, or an untrusted certificate',
    next: backOff,
    cases: { refused: 'no connection' },
    delayMs: BACK_OFF_MS,
  },
  {
    happened: '429 or 503 of the platform',
    next: retryAfter,
    cases: {
      429: refuse(429, 'RATE_LIMITED', { 'Retry-After': '2' }),
      503: refuse(503, 'SERVICE_UNAVAILABLE', { 'Retry-After': '2' }),
    },
    delayMs: 2_000 + BACK_OFF_MS,
  },
  {
    happened: '401 `CLOCK_SKEW`',
    next: 'at once, with the time of the platform; does not count towards `maxRetries`',
    cases: { 'a wrong clock': skew() },
  },
  {
    happened: 'a lost connection, or no answer within `timeoutMs`',
    next: backOff,
    cases: { 'a lost connection': cut, silence },
    delayMs: BACK_OFF_MS,
  },
  {
    happened: '408 of the platform, or 5xx except 503',
    next: retryAfter,
    cases: {
      408: refuse(408, 'REQUEST_TIMEOUT', { 'Retry-After': '1' }),
      500: refuse(500, 'INTERNAL_ERROR', { 'Retry-After': '1' }),
    },
    delayMs: 1_000 + BACK_OFF_MS,
  },
  {
    happened: '408, 429 or 5xx of a proxy',
    next: retryAfter,
    cases: Object.fromEntries(
      [408, 429, 502, 503, 504].map((status) => [status, page(status, { 'Retry-After': '1' })]),
    ),
    delayMs: 1_000 + BACK_OFF_MS,
  },
  {
    happened: "an incomplete answer, or a 2xx whose body is not the platform's",
    next: backOff,
    cases: { 'half an answer': halfAnAnswer, 'a page with status 200': page(200) },
    delayMs: BACK_OFF_MS,
  },
  {
    happened: '401 `NONCE_REUSED`: a proxy sent the request twice',
    next: backOff,
    cases: { 'a used nonce': refuse(401, 'NONCE_REUSED') },
    delayMs: BACK_OFF_MS,
  },
  {
    happened: 'any other 3xx or 4xx',
    next: 'no',
    cases: Object.fromEntries([
      ['308', page(308, { Location: 'https://elsewhere.test/' })],
      ['404 of a proxy', page(404)],
      ...[400, 401, 403, 404, 405, 409, 413, 415, 422, 431].map((status) => [
        String(status),
        refuse(status, 'REFUSED'),
      ]),
    ]),
  },
];

const lasts: [call: string, howLong: string, passes: boolean, run: (client: TenantOpenPlatform) => Promise<unknown>][] =
  [
    ['a call', '`maxRetries` (2) and `deadlineMs` (60,000)', false, (client) => client.commands.get('c1')],
    ['each further page of an iteration', '`deadlineMs`', true, (client) => client.commands.list().toArray()],
    ['`wait`, `createAndWait`', '`timeoutSeconds` (330)', true, (client) => client.commands.wait('c1')],
    [
      '`events.follow`, `deviceRequests.follow`',
      'until you leave the loop',
      true,
      (client) => client.events.follow({ from: 'beginning' }).next(),
    ],
    [
      'presigning for an upload or download',
      '`deadlineMs`',
      true,
      (client) => client.objects.upload('r', 'k', 'content', { contentType: 'text/plain' }),
    ],
  ];

const sendCommand = (client: TenantOpenPlatform) => client.commands.create(reboot);
const createTenant = (client: TenantOpenPlatform) => client.tenants.create({ tenant_id: 'a', name: 'A' });
const reboot = { vendor: 'vendor_a', device_id: 'd', command_type: 'reboot', payload: {} };
const done = json(200, { request_id: 'r1', done: true });
const servers: { stop(): void }[] = [];

beforeAll(() => {
  vi.spyOn(Math, 'random').mockReturnValue(RANDOM);
});
afterAll(() => {
  for (const server of servers) server.stop();
  vi.restoreAllMocks();
});

/** A client of a server that fails as the script says. Without a connection, the first request goes to a closed port. */
async function start(script: (Fault | 'no connection')[], options: TenantOpenPlatformOptions = {}, rest = done) {
  const faults = script.filter((fault) => fault !== 'no connection');
  const server = await startFaultServer(faults, rest);
  servers.push(server);
  let unconnected = script.length - faults.length;
  const retries: RetryEvent[] = [];
  const client = new TenantOpenPlatform({
    baseUrl: server.url,
    ...credential,
    hooks: { onRetry: (event) => retries.push(event) },
    fetch: (url, init) => fetch(unconnected-- > 0 ? url.replace(server.url, 'http://127.0.0.1:2') : url, init),
    ...options,
  });
  return { client, server, retries };
}

const cases = rows.flatMap((row) => Object.entries(row.cases).map(([name, fault]) => ({ ...row, name, fault })));

test.concurrent.each(cases)('$happened ($name) is retried: $next', async ({ next, fault, delayMs }) => {
  for (const call of [sendCommand, createTenant]) {
    // Only the case without an answer waits for the timeout.
    const timeoutMs = fault === silence ? 1_000 : 60_000;
    const { client, server, retries } = await start([fault], { timeoutMs, deadlineMs: 100_000 });
    const result = await call(client).catch((error) => error);
    if (next !== 'no') {
      expect(result).toEqual({ request_id: 'r1', done: true });
      expect(retries.map((retry) => retry.delayMs).slice(0, 1)).toEqual(delayMs === undefined ? [] : [delayMs]);
    } else {
      expect(result).toMatchObject({ name: 'ApiError', attempts: 1 });
      expect(server.received).toHaveLength(1);
      expect(retries).toEqual([]);
    }
    // One command or tenant, although the answer to the first request was lost.
    const keys = server.received.map(
      ({ body, headers }) => JSON.parse(body).idempotency_key ?? headers['idempotency-key'],
    );
    expect(new Set(keys)).toEqual(new Set([expect.any(String)]));
  }
});

test.concurrent.each(rows.filter(({ next }) => next === retryAfter))(
  '$happened: no call waits for a Retry-After behind its deadline',
  async ({ cases }) => {
    for (const [status] of Object.entries(cases)) {
      const { client, server } = await start([refuse(Number(status), 'LATER', { 'Retry-After': '3600' })]);
      await expect(client.commands.get('c1')).rejects.toMatchObject({ retryAfterMs: 3_600_000, attempts: 1 });
      expect(server.received).toHaveLength(1);
    }
  },
);

/** An outage that outlives the retries of a call, where each request goes behind a first page. */
test.concurrent.each(lasts)('%s goes on for: %s', async (call, _, passes, run) => {
  const first = json(200, { items: [], next_cursor: 'n', request_id: 'r' });
  const outage = Array.from(
    { length: 9 },
    (_, index) => [cut, page(502), refuse(503, 'SERVICE_UNAVAILABLE')][index % 3] ?? cut,
  );
  const grant = ({ request }: { request: { headers: { host?: string } } }) => `http://${request.headers.host}/store`;
  const rest: Fault = (exchange) =>
    json(200, {
      command_id: 'c1',
      completed_at: 't',
      items: [{ cursor: 'c' }],
      next_cursor: null,
      request_id: 'r',
      ...{ presign_id: 'p', method: 'PUT', url: grant(exchange), headers: {} },
    })(exchange);
  const { client, server } = await start([...(call.includes('iteration') ? [first] : []), ...outage], {}, rest);
  if (passes) {
    await run(client);
    expect(server.received.length).toBeGreaterThan(outage.length);
  } else {
    await expect(run(client)).rejects.toMatchObject({ attempts: 3 });
    expect(server.received).toHaveLength(3);
  }
});

test('the README has these rows and no others', async () => {
  const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');
  const tableBelow = (head: string) => {
    const [, rest = ''] = readme.split(`${head}\n`);
    return rest.split('\n\n')[0]?.split('\n').slice(1);
  };
  expect(tableBelow('| failure | retried |')).toEqual(rows.map(({ happened, next }) => `| ${happened} | ${next} |`));
  expect(tableBelow('| call | is retried for |')).toEqual(lasts.map(([call, howLong]) => `| ${call} | ${howLong} |`));
});
