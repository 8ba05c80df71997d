import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { AtLimit } from './connections.js';
import { createHttpServer } from './http-server.js';

async function serve(listener: RequestListener, maxConnections = 10) {
  const outcomes: AtLimit['outcome'][] = [];
  const { server, drain } = createHttpServer(listener, {
    maxConnections,
    maxConnectionsPerNetwork: maxConnections,
    logRefusal: () => {},
    reportLimit: ({ outcome }) => outcomes.push(outcome),
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => drain(0));
  return { port: (server.address() as AddressInfo).port, outcomes, drain };
}

async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

const request = (line: string, ...headers: string[]) =>
  `${[`${line} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;

/** Admits `/admitted…`, as admission does. Never answers `…/waiting`. */
function admitting() {
  const begun: string[] = [];
  const listener: RequestListener = ({ url = '' }, res) => {
    begun.push(url);
    Object.assign(res, { locals: url.startsWith('/admitted') ? { call: {} } : {} });
    if (!url.endsWith('/waiting')) res.end();
  };
  return { listener, begun };
}

test('connections busy with requests that are never admitted keep out neither new connections nor admitted idle ones', async () => {
  const { listener, begun } = admitting();
  const { port, outcomes } = await serve(listener, 3);
  const admitted = await open(port);
  admitted.write(request('GET /admitted'));
  await once(admitted, 'data');
  const busy = [await open(port), await open(port)];
  for (const socket of busy) socket.write(request('GET /waiting'));
  await expect.poll(() => begun).toHaveLength(3);

  const newcomers = [];
  for (const oldest of busy) {
    const closed = once(oldest, 'close');
    const newcomer = await open(port);
    await closed;
    newcomer.write(request('GET /admitted/waiting'));
    newcomers.push(newcomer);
  }
  await expect.poll(() => begun).toHaveLength(5);
  admitted.write(request('GET /admitted/waiting'));
  await expect.poll(() => begun).toHaveLength(6);
  expect(outcomes).toEqual(['EVICTED', 'EVICTED']);

  const refused = await open(port);
  await once(refused, 'close');
  expect(outcomes).toEqual(['EVICTED', 'EVICTED', 'REFUSED']);
  expect([admitted, ...newcomers].some(({ closed, readableEnded }) => closed || readableEnded)).toBe(false);
});

test('at the limit a first request in progress outlives admitted idle connections, until new ones have a tenth of the places', async () => {
  const { listener, begun } = admitting();
  const { port, outcomes } = await serve(listener, 20);
  const admitted = await Promise.all(
    Array.from({ length: 19 }, async () => {
      const socket = await open(port);
      socket.write(request('GET /admitted'));
      await once(socket, 'data');
      return socket;
    }),
  );
  const first = await open(port);
  first.write(request('GET /waiting'));
  await expect.poll(() => begun).toHaveLength(20);
  const closed = () => admitted.filter((socket) => socket.closed).length;

  for (const count of [1, 2]) {
    await open(port);
    await expect.poll(closed).toBe(count);
  }
  expect(first.closed).toBe(false);
  await open(port);
  await once(first, 'close');
  expect([closed(), outcomes]).toEqual([2, ['EVICTED', 'EVICTED', 'EVICTED']]);
});

test('a request that has arrived when the server stops is answered, on an idle connection and on a new one', async () => {
  const { listener } = admitting();
  const { port, drain } = await serve(listener);
  const idle = await open(port);
  idle.write(request('GET /admitted'));
  await once(idle, 'data');
  const fresh = await open(port);
  const answers = [idle, fresh].map((socket) => once(socket, 'data'));
  // The kernel has both before the server can look.
  for (const socket of [idle, fresh]) socket.write(request('GET /admitted'));
  await drain(1_000);
  for (const [bytes] of await Promise.all(answers)) expect(String(bytes)).toMatch(/^HTTP\/1\.1 200 /);
});

/** How long a server that stops goes on answering. */
const LAST_CALLS_MS = 1_000;

/** Until a run was fast enough: a machine that stalls misses the second in which the server goes on answering. */
async function inTime<Result>(
  run: (drained: (drain: () => Promise<void>) => void) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    let startedAt = Number.POSITIVE_INFINITY;
    let draining = Promise.resolve();
    const result = await run((drain) => {
      startedAt = performance.now();
      draining = drain();
    });
    const tookMs = performance.now() - startedAt;
    await draining;
    if (tookMs < LAST_CALLS_MS) return result;
  }
}

/** The status and the header Connection of each answer, once there are so many or the connection has ended. */
async function answersOf(socket: Socket, count: number): Promise<string[]> {
  let text = '';
  const answers = () =>
    [...text.matchAll(/HTTP\/1\.1 (\d+) .*?^connection: (\S+)$/gims)].map((found) => found.slice(1).join(' '));
  socket.on('data', (bytes) => {
    text += bytes;
  });
  while (answers().length < count && !socket.readableEnded && !socket.destroyed) {
    await Promise.race(['data', 'end', 'close'].map((event) => once(socket, event)));
  }
  return answers();
}

test('a server that stops listens on, and closes each connection after its answer', async () => {
  const answers = await inTime(async (stop) => {
    const { port, drain } = await serve(admitting().listener);
    const idle = await open(port);
    stop(() => drain(5_000));
    const all = [];
    for (const socket of [await open(port), idle]) {
      socket.write(request('GET /admitted'));
      all.push(...(await answersOf(socket, 1)));
    }
    return all;
  });
  expect(answers).toEqual(['200 close', '200 close']);
});

test('without a connection it listens on, too', async () => {
  const answers = await inTime(async (stop) => {
    const { port, drain } = await serve(admitting().listener);
    stop(() => drain(5_000));
    const socket = await open(port).catch(() => null);
    socket?.write(request('GET /admitted'));
    return socket && answersOf(socket, 1);
  });
  expect(answers).toEqual(['200 close']);
});

test('a busy server that stops answers every connection that waits in the kernel when its last second is over', async () => {
  const { port, drain } = await serve(admitting().listener, 100);
  const stoppedAt = performance.now();
  const draining = drain(5_000);
  const answers = Array.from({ length: 50 }, () => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request('GET /admitted')));
    socket.on('error', () => {});
    return answersOf(socket, 1);
  });
  // Nothing else runs meanwhile.
  while (performance.now() < stoppedAt + LAST_CALLS_MS + 50);
  expect((await Promise.all(answers)).flat()).toEqual(answers.map(() => '200 close'));
  await draining;
});

test('pipelined requests that arrive before or while a server stops are answered, and the last answer says so', async () => {
  const answers = await inTime(async (stop) => {
    const waiting: ServerResponse[] = [];
    const { port, drain } = await serve((_req, res) => void waiting.push(res));
    const socket = await open(port);
    const answered = answersOf(socket, 4);
    socket.write(request('GET /1') + request('GET /2'));
    await expect.poll(() => waiting.length).toBe(1);
    stop(() => drain(5_000));
    socket.write(request('GET /3'));
    const other = await open(port);
    other.write(request('GET /other'));
    // The server has read the third.
    await expect.poll(() => waiting.length).toBe(2);
    for (let next = 0; next < 4; next++) {
      await expect.poll(() => waiting.length).toBeGreaterThan(next);
      waiting[next]?.end();
    }
    return answered;
  });
  expect(answers).toEqual(['200 keep-alive', '200 keep-alive', '200 close']);
});

test('who was told before the stop that the connection stays open gets an answer to the next call', async () => {
  const answers = await inTime(async (stop) => {
    const begun: ServerResponse[] = [];
    const { port, drain } = await serve((_req, res) => {
      begun.push(res);
      res.writeHead(200, { 'Content-Length': 2 }).write('a');
    });
    const socket = await open(port);
    const answered = answersOf(socket, 2);
    socket.write(request('GET /1'));
    await expect.poll(() => begun.length).toBe(1);
    stop(() => drain(5_000));
    begun[0]?.end('b');
    await once(socket, 'data');
    socket.write(request('GET /2'));
    await expect.poll(() => begun.length).toBe(2);
    begun[1]?.end('b');
    return answered;
  });
  expect(answers).toEqual(['200 keep-alive', '200 close']);
});
