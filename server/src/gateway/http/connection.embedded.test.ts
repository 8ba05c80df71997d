import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { databaseFolder, rawRequest, rawRequests, sign, startNode } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';
import { expectRefusal } from '../../../test/support/expect-refusal.js';

const COMMANDS = '/api/v1/open/downlink/commands';
const ME = '/api/v1/open/me';
const MAX_CONNECTIONS = 50;
const MAX_CONNECTIONS_PER_ADDRESS = 20;

/** A separate server: the defects that these tests look for would end it. */
const server = await startNode({
  MAX_CONNECTIONS: String(MAX_CONNECTIONS),
  MAX_CONNECTIONS_PER_ADDRESS: String(MAX_CONNECTIONS_PER_ADDRESS),
});
const caller = server.demo;

const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`;

const signed = (method: string, target: string, body = '', ...more: string[]) =>
  head(
    `${method} ${target} HTTP/1.1`,
    'Host: localhost',
    ...Object.entries(sign(caller, method, target, { body: Buffer.from(body) })).map((pair) => pair.join(': ')),
    ...more,
  );

function createCommand(
  idempotencyKey: string,
  lengthInHeader?: (body: string) => number,
  deviceId = 'caf\u00e9',
): string {
  const command = { vendor: 'vendor_a', device_id: deviceId, command_type: 'reboot', payload: {} };
  const body = JSON.stringify({ ...command, idempotency_key: idempotencyKey });
  const length = lengthInHeader?.(body) ?? Buffer.byteLength(body);
  const signedBody = Buffer.from(body).subarray(0, length).toString();
  return signed('POST', COMMANDS, signedBody, 'Content-Type: application/json', `Content-Length: ${length}`) + body;
}

async function open(localAddress = '127.0.0.1', { baseUrl } = server): Promise<Socket> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect({ port: Number(port), host: hostname, localAddress, allowHalfOpen: true });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

/** Unlike `once`, it does not reject if the other side resets the connection. */
const closed = (socket: Socket) => new Promise((resolve) => socket.once('close', resolve));

/** A half-open socket reads no more after its end, so it may never hear that the server has reset it. */
const answeredOrClosed = (socket: Socket) =>
  new Promise((resolve) => {
    if (socket.closed) resolve('closed');
    socket.once('data', () => resolve('answered'));
    for (const event of ['end', 'close']) socket.once(event, () => resolve('closed'));
  });

/** The server may notice late that its clients have closed. */
const WITHIN = { timeout: 60_000 };

const expectAlive = async () => {
  expect((await rawRequest(server.baseUrl, signed('GET', ME))).status).toBe(200);
  expect(server.process.exitCode).toBe(null);
};

test.each([
  ['half headers', 'GET / HTTP/1.1\r\nHost: local'],
  ['half a signed body', () => `${signed('POST', COMMANDS, '', 'Content-Length: 10')}12345`],
  ['a request that waits', () => signed('GET', '/api/v1/open/device-requests?wait_seconds=30')],
  ['CONNECT', head('CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443')],
  ['CONNECT with bytes behind it', `${head('CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443')}\x16\x03\x01`],
  ['a request before CONNECT', () => signed('GET', ME) + head('CONNECT a:443 HTTP/1.1', 'Host: a:443')],
  ['Upgrade', head('GET / HTTP/1.1', 'Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket')],
  ['a broken chunk', `${head(`POST ${ME} HTTP/1.1`, 'Host: localhost', 'Transfer-Encoding: chunked')}zz\r\n`],
  ['a request with a long answer', head('GET /openapi.json HTTP/1.1', 'Host: localhost')],
  ['many requests', head('GET /metrics HTTP/1.1', 'Host: localhost').repeat(100)],
  ['bytes that are not HTTP', '\x16\x03\x01\x02\x00\x01'],
])('a reset right after %s does not end the process', async (_, bytes) => {
  for (let round = 0; round < 10; round++) {
    const socket = await open();
    await new Promise((resolve) => socket.write(typeof bytes === 'string' ? bytes : bytes(), resolve));
    socket.resetAndDestroy();
  }
  await expectAlive();
});

test.each([
  ['CONNECT', head('CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443')],
  ['Upgrade', head('GET / HTTP/1.1', 'Host: localhost', 'Connection: Upgrade', 'Upgrade: websocket')],
  ['a broken chunk', `${head(`POST ${ME} HTTP/1.1`, 'Host: localhost', 'Transfer-Encoding: chunked')}zz\r\n`],
  ['a request with a long answer', head('GET /openapi.json HTTP/1.1', 'Host: localhost')],
  ['many requests', head('GET /metrics HTTP/1.1', 'Host: localhost').repeat(100)],
  ['bytes that are not HTTP', 'hello\r\n\r\n'],
])('a reset in the middle of the answer to %s does not end the process', async (_, bytes) => {
  for (let round = 0; round < 10; round++) {
    const socket = await open();
    socket.write(bytes);
    await once(socket, 'readable');
    socket.resetAndDestroy();
  }
  await expectAlive();
});

// Side by side: the server disconnects each of these clients after a second or more.
test.concurrent.each([
  ['a request without signature', head(`POST ${COMMANDS} HTTP/1.1`, 'Host: localhost', 'Content-Length: 999999999')],
  ['a body above the limit', () => signed('POST', COMMANDS, '', 'Content-Length: 999999999')],
  ['a probe with a body', head('GET /livez HTTP/1.1', 'Host: localhost', 'Content-Length: 999999999')],
  ['CONNECT', head('CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443')],
  ['bytes that are not HTTP', 'hello\r\n\r\n'],
  ['a complete request', () => signed('GET', ME)],
])('after %s a client that sends forever can read its answer and is disconnected', async (_, request) => {
  const socket = await open();
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.write(typeof request === 'string' ? request : request());
  const sending = setInterval(() => socket.write('a'.repeat(1_000)), 10);
  await closed(socket);
  clearInterval(sending);
  expect(received).toMatch(/^HTTP\/1\.1 [1-5]\d\d /);
  expect(received).toMatch(/^Connection: close\r$/m);
});

test.concurrent('a client that sends a whole large body before it reads still gets the refusal', async () => {
  const body = 'a'.repeat(3_000_000);
  const request = signed('POST', COMMANDS, body, `Content-Length: ${body.length}`) + body;
  const socket = await open();
  await new Promise((resolve) => socket.write(request, resolve));
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toContain('PAYLOAD_TOO_LARGE');
  socket.destroy();
});

test.concurrent('a connection whose headers do not arrive is closed after the refusal', async () => {
  const socket = await open();
  socket.write('GET / HTTP/1.1\r\nHost: local');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toContain('REQUEST_TIMEOUT');
  socket.resume();
  await once(socket, 'end');
  // This side stays open, so that only the server can end the connection.
  const probing = setInterval(() => socket.write('a'), 100);
  await closed(socket);
  clearInterval(probing);
});

test('a refusal before the body was read closes the connection; a refusal after it does not', async () => {
  const unsigned = await rawRequest(
    server.baseUrl,
    `${head(`POST ${COMMANDS} HTTP/1.1`, 'Host: localhost', 'Content-Length: 2')}{}`,
  );
  expectRefusal(unsigned, 'UNAUTHENTICATED');
  expect(unsigned.headers.connection).toBe('close');
  const invalid = await rawRequest(
    server.baseUrl,
    `${signed('POST', COMMANDS, '{}', 'Content-Type: application/json', 'Content-Length: 2')}{}`,
  );
  expectRefusal(invalid, 'VALIDATION_FAILED');
  expect(invalid.headers.connection).toBe('keep-alive');
});

test('requests of one connection are answered in order', async () => {
  const requests = ['1', '2', '3'].map((id) => signed('GET', ME, '', `X-Request-Id: ${id}`));
  const answers = await rawRequests(server.baseUrl, requests.join(''), 3);
  expect(answers.map(({ status, body }) => [status, body.request_id])).toEqual([
    [200, '1'],
    [200, '2'],
    [200, '3'],
  ]);
});

test('a request does not start before the previous request of its connection is answered', async () => {
  const waiting = signed('GET', '/api/v1/open/device-requests?wait_seconds=1');
  const sentAt = Date.now();
  const answers = await rawRequests(server.baseUrl, waiting + createCommand(randomUUID()), 2);
  expect(answers.map(({ status }) => status)).toEqual([200, 202]);
  expect(Date.parse(answers[1]?.body.accepted_at) - sentAt).toBeGreaterThanOrEqual(1_000);
});

test('of many requests sent at once the first is answered, and then the connection closes', async () => {
  const flood = head('GET /metrics HTTP/1.1', 'Host: localhost').repeat(2_000);
  const answers = await rawRequests(server.baseUrl, flood, 2_000);
  expect(answers.map(({ status }) => status)).toEqual([200]);
});

test('the connection also closes if the excess request is incomplete', async () => {
  const flood = head('GET /metrics HTTP/1.1', 'Host: localhost').repeat(11);
  const incomplete = head(`POST ${ME} HTTP/1.1`, 'Host: localhost', 'Content-Length: 1000');
  const answers = await rawRequests(server.baseUrl, flood + incomplete, 12);
  expect(answers.map(({ status }) => status)).toEqual([200]);
});

test('CONNECT is refused at once, even if its body is incomplete', async () => {
  const request = head('CONNECT a:443 HTTP/1.1', 'Host: a:443', 'Content-Length: 1000');
  expectRefusal(await rawRequest(server.baseUrl, request), 'MALFORMED_HTTP');
});

test.each([
  ['an extra byte', (body: string) => Buffer.byteLength(body) - 1],
  ['a length counted in characters', (body: string) => body.length],
])('%s after a request ends the connection only after its answer', async (_, length) => {
  const request = createCommand(randomUUID(), length);
  const answers = await rawRequests(server.baseUrl, request, 2);
  expect(answers.map(({ status }) => status)).toEqual([400]);
  expectRefusal(answers[0] as (typeof answers)[0], 'MALFORMED_JSON');
});

test('a command with extra bytes behind it is answered as stored, and no client gets the refusal of those bytes', async () => {
  for (const garbage of ['x', 'hello\r\n\r\n', '\0'.repeat(100_000), head('CONNECT a:443 HTTP/1.1', 'Host: a:443')]) {
    const answers = await rawRequests(server.baseUrl, createCommand(randomUUID()) + garbage, 2);
    expect(answers.map(({ status }) => status)).toEqual([202]);
  }
});

test('a request that offers an upgrade is answered in HTTP/1.1, and its connection closes', async () => {
  const offer = signed(
    'GET',
    ME,
    '',
    'Connection: Upgrade, HTTP2-Settings',
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABk',
  );
  const [answer, ...more] = await rawRequests(server.baseUrl, offer + signed('GET', ME), 2);
  expect([answer?.status, answer?.headers.connection, more]).toEqual([200, 'close', []]);
});

/** Each in a packet of its own. */
function sendPieces(socket: Socket, text: string): void {
  socket.setNoDelay(true);
  const [piece, rest] = [text.slice(0, 40), text.slice(40)];
  socket.write(piece, () => rest && setImmediate(sendPieces, socket, rest));
}

test('a request that offers an upgrade is answered, even if its body arrives after its headers, piece by piece', async () => {
  const command = { vendor: 'vendor_a', device_id: 'd-1', command_type: 'reboot', payload: {} };
  const body = JSON.stringify({ ...command, idempotency_key: randomUUID() });
  const headers = signed(
    'POST',
    COMMANDS,
    body,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: Upgrade, HTTP2-Settings',
    'Upgrade: h2c',
    'Expect: 100-continue',
  );
  const socket = await open();
  let received = '';
  socket.setEncoding('latin1').on('data', (text) => {
    // The server has read the headers.
    if (received === '') sendPieces(socket, body);
    received += text;
  });
  socket.write(headers);
  await vi.waitFor(() => expect(received).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 202 /), WITHIN);
  socket.destroy();
  await once(socket, 'close');
  // The server closed its end before it read this later request. So the connection counts for no limit of the next tests.
  await expectAlive();
});

const answerTo = async (socket: Socket, request: string): Promise<string> => {
  socket.write(request);
  const [answer] = await once(socket, 'data');
  return String(answer).split('\r\n', 1)[0] as string;
};

const OK = 'HTTP/1.1 200 OK';
const LIVEZ = head('GET /livez HTTP/1.1', 'Host: localhost');
const ADDRESSES = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'];

/** The counter of connections that met a limit. */
async function countAtLimit(outcome: string, limit: string): Promise<number> {
  const metrics = await (await fetch(`${server.baseUrl}/metrics`)).text();
  const line = new RegExp(`^top_connections_at_limit_total\\{outcome="${outcome}",limit="${limit}"\\} (\\d+)$`, 'm');
  return Number(line.exec(metrics)?.[1] ?? 0);
}

const openMany = (count: number, from: string, node = server) =>
  Promise.all(Array.from({ length: count }, () => open(from, node)));

const expectClosed = (sockets: Socket[], count: number) =>
  vi.waitFor(
    () => expect(sockets.filter((socket) => socket.closed || socket.readableEnded)).toHaveLength(count),
    WITHIN,
  );

test('connections above the maximum are closed; a closed connection makes room for a new one', async () => {
  const sockets = (
    await Promise.all(
      ['127.0.0.2', '127.0.0.3', '127.0.0.4'].map((from) => openMany(MAX_CONNECTIONS_PER_ADDRESS, from)),
    )
  ).flat();
  await expectClosed(sockets, 3 * MAX_CONNECTIONS_PER_ADDRESS - MAX_CONNECTIONS);
  for (const socket of sockets) socket.destroy();
  await vi.waitFor(async () => expect((await rawRequest(server.baseUrl, signed('GET', ME))).status).toBe(200), WITHIN);
});

test('one address gets no more than its share of the connections, and other addresses are served meanwhile', async () => {
  const greedy = await openMany(MAX_CONNECTIONS, '127.0.0.2');
  await expectClosed(greedy, MAX_CONNECTIONS - MAX_CONNECTIONS_PER_ADDRESS);
  await expectAlive();
  for (const socket of greedy) socket.destroy();
  await vi.waitFor(async () => {
    const again = await openMany(MAX_CONNECTIONS_PER_ADDRESS, '127.0.0.2');
    const answers = again.map(answeredOrClosed);
    for (const socket of again) socket.write(head('GET /livez HTTP/1.1', 'Host: localhost'));
    const ends = await Promise.all(answers);
    for (const socket of again) socket.destroy();
    expect(new Set(ends)).toEqual(new Set(['answered']));
  }, WITHIN);
});

test('behind a proxy, where all connections have the same address, only the maximum counts', async () => {
  const data = databaseFolder();
  const limits = { MAX_CONNECTIONS: '30', MAX_CONNECTIONS_PER_ADDRESS: '10' };
  const proxied = await startNode({ DATA_DIR: data, TRUST_PROXY: '1', ...limits });
  const sockets = await openMany(40, '127.0.0.1', proxied);
  await expectClosed(sockets, 10);
  for (const socket of sockets) socket.destroy();
});

test('a connection that is already reset when its request is read does not end a node behind a proxy', async () => {
  const proxied = await startNode({ TRUST_PROXY: '1' });
  for (let round = 0; round < 20; round++) {
    for (const socket of await openMany(MAX_CONNECTIONS_PER_ADDRESS, '127.0.0.1', proxied)) {
      socket.write(LIVEZ, () => socket.resetAndDestroy());
    }
  }
  expect((await rawRequest(proxied.baseUrl, LIVEZ)).status).toBe(200);
});

test('idle connections of four addresses keep nobody out: the one idle longest makes room, counted and logged', async () => {
  const admitted = await open();
  expect(await answerTo(admitted, signed('GET', ME))).toBe(OK);
  const idle: Socket[] = [];
  for (const from of ADDRESSES) {
    for (let count = 0; count < MAX_CONNECTIONS_PER_ADDRESS; count++) {
      const socket = await open(from);
      expect(await answerTo(socket, LIVEZ)).toBe(OK);
      socket.resume();
      idle.push(socket);
    }
  }
  const newcomer = await open();
  expect(await answerTo(newcomer, signed('GET', ME))).toBe(OK);
  await vi.waitFor(
    () => expect(idle.findLastIndex(({ readableEnded, closed }) => readableEnded || closed)).toBe(31),
    WITHIN,
  );
  expect(idle.slice(0, 32).every(({ readableEnded, closed }) => readableEnded || closed)).toBe(true);
  expect(await answerTo(admitted, signed('GET', ME))).toBe(OK);
  expect(await answerTo(newcomer, signed('GET', ME))).toBe(OK);
  await vi.waitFor(async () => expect(await countAtLimit('EVICTED', 'total')).toBeGreaterThan(30), WITHIN);
  const lines = server
    .stderr()
    .split('\n')
    .filter((line) => line.includes('made room'));
  expect(lines.map((line) => JSON.parse(line))).toContainEqual(expect.objectContaining({ limit: 'total' }));
  for (const socket of [...idle, admitted, newcomer]) socket.destroy();
});

/** Begins a request that waits, on a connection that was admitted before. Resolves once the server works on it. */
async function startWaiting(socket: Socket, device: string): Promise<void> {
  expect(await answerTo(socket, signed('GET', ME))).toBe(OK);
  const target = `/api/v1/open/device-requests?device_id=${device}&wait_seconds=30`;
  expect(await answerTo(socket, signed('GET', target, '', 'Expect: 100-continue'))).toBe('HTTP/1.1 100 Continue');
}

/** A simulated device sends a request after a reboot: it answers the requests that wait for it. */
async function wake(device: string): Promise<void> {
  expect((await rawRequest(server.baseUrl, createCommand(randomUUID(), undefined, device))).status).toBe(202);
}

test('large bodies of an address are read a few at a time: the slowest makes room; small ones and those of others are served', async () => {
  const BATCHES = '/api/v1/open/downlink/command-batches';
  const batch = (spaces: number) => {
    const command = { vendor: 'vendor_a', device_id: 'd-1', command_type: 'reboot', payload: {} };
    const body = JSON.stringify({ commands: [{ ...command, idempotency_key: randomUUID() }] }) + ' '.repeat(spaces);
    return signed('POST', BATCHES, body, 'Content-Type: application/json', `Content-Length: ${body.length}`) + body;
  };
  const send = async (spaces: number, address?: string) => {
    const socket = await open(address);
    const answer = await answerTo(socket, batch(spaces));
    socket.destroy();
    return answer;
  };
  const slow = await openMany(16, '127.0.0.1');
  let refused = 0;
  for (const socket of slow) {
    socket.on('data', (answer) => {
      if (String(answer).startsWith('HTTP/1.1 503')) refused++;
    });
    socket.write(`${signed('POST', BATCHES, '', 'Content-Length: 100000')}{`);
  }
  // They have announced large bodies, and take no place yet.
  expect(await send(100_000)).toContain(OK);
  expect(refused).toBe(0);
  for (const socket of slow) socket.write(' '.repeat(70_000));
  await vi.waitFor(async () => {
    expect(await send(100_000)).toContain(OK);
    expect(refused).toBeGreaterThan(0);
  }, WITHIN);
  expect(refused).toBeLessThan(slow.length);
  expect(await send(0)).toContain(OK);
  expect(await send(100_000, '127.0.0.9')).toContain(OK);
  for (const socket of slow) socket.destroy();
});

test('of one address, too, the connection idle longest makes room; an admitted one is never cut during a request', async () => {
  const waiting = await open('127.0.0.6');
  const device = `ok-${randomUUID()}`;
  await startWaiting(waiting, device);
  const idle = await openMany(MAX_CONNECTIONS_PER_ADDRESS - 1, '127.0.0.6');
  const before = await countAtLimit('EVICTED', 'address');
  const later = await openMany(MAX_CONNECTIONS_PER_ADDRESS, '127.0.0.6');
  await vi.waitFor(
    async () =>
      expect(await countAtLimit('EVICTED', 'address')).toBeGreaterThanOrEqual(before + MAX_CONNECTIONS_PER_ADDRESS),
    WITHIN,
  );
  const answering = once(waiting, 'data');
  await wake(device);
  expect(String(await answering)).toContain(OK);
  for (const socket of [...idle, ...later, waiting]) socket.destroy();
});

test('admitted requests in progress that fill an address refuse its new connections, counted and logged', async () => {
  const before = await countAtLimit('REFUSED', 'address');
  const waiting = await openMany(MAX_CONNECTIONS_PER_ADDRESS, '127.0.0.7');
  const device = `ok-${randomUUID()}`;
  await Promise.all(waiting.map((socket) => startWaiting(socket, device)));
  const answers = waiting.map((socket) => once(socket, 'data'));
  const refused = await open('127.0.0.7');
  expect(await answeredOrClosed(refused)).toBe('closed');
  await vi.waitFor(async () => expect(await countAtLimit('REFUSED', 'address')).toBeGreaterThan(before), WITHIN);
  expect(server.stderr()).toContain('a connection was refused');
  await wake(device);
  for (const [answer] of await Promise.all(answers)) expect(String(answer)).toContain(OK);
  for (const socket of waiting) socket.destroy();
});

test('a caller that was never admitted cannot hold its connection with half a body or an unread answer', async () => {
  const half = `${head(`POST ${COMMANDS} HTTP/1.1`, 'Host: localhost', 'Content-Length: 10')}12345`;
  const unread = head('GET /openapi.json HTTP/1.1', 'Host: localhost');
  const holding = await openMany(MAX_CONNECTIONS_PER_ADDRESS, '127.0.0.8');
  for (const [index, socket] of holding.entries()) socket.pause().write(index % 2 ? half : unread);
  const newcomer = await open('127.0.0.8');
  expect(await answerTo(newcomer, signed('GET', ME))).toBe(OK);
  for (const socket of [...holding, newcomer]) socket.destroy();
});
