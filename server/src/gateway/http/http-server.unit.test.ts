import { once } from 'node:events';
import type { RequestListener } from 'node:http';
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

test('while the server stops it listens on, and each answer is the last one of its connection', async () => {
  const { listener } = admitting();
  const { port, drain } = await serve(listener);
  const idle = await open(port);
  const stopping = drain(5_000);
  const answers: string[] = [];
  for (const socket of [await open(port), idle]) {
    const answered = once(socket, 'data');
    socket.write(request('GET /admitted'));
    answers.push(String(await answered));
  }
  for (const answer of answers) expect(answer).toMatch(/^HTTP\/1\.1 200 .*connection: close/is);
  await stopping;
});
