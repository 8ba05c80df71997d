import { once } from 'node:events';
import { connect } from 'node:net';
import { sign, startNode, unlimited } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { startKeptCalls } from '../../../test/support/kept-calls.js';

const ME = '/api/v1/open/me';

test('SIGTERM loses no call of clients that keep their connections: the last answer to each says that it closes', async () => {
  const node = await startNode(unlimited);
  const calls = startKeptCalls(node.demo);
  await expect.poll(calls.answered).toBeGreaterThan(100);
  expect(await node.stop()).toBe(0);
  for (const client of await calls.ended) {
    expect(client).toMatchObject({ isLost: false, toldToClose: true, statuses: new Set([200]) });
  }
});

test('a node that stops says so to its probe, and answers calls of connections that are open', async () => {
  const node = await startNode();
  const { hostname, port } = new URL(node.baseUrl);
  const [probe, call] = await Promise.all(
    [1, 2].map(async () => {
      const socket = connect(Number(port), hostname).setEncoding('utf8');
      await once(socket, 'connect');
      return socket;
    }),
  );
  node.process.kill('SIGTERM');
  await expect.poll(node.stderr).toContain('stopping');
  const get = async (socket = probe, target = '/readyz', headers = {}) => {
    const lines = Object.entries({ Host: 'localhost', ...headers }).map((pair) => pair.join(': '));
    socket?.write(`${[`GET ${target} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`);
    return once(socket as NonNullable<typeof socket>, 'data').then(String);
  };
  expect(await get()).toMatch(/^HTTP\/1\.1 503 .*stopping/s);
  expect(await get(call, ME, sign(node.demo, 'GET', ME))).toMatch(/^HTTP\/1\.1 200 .*^connection: close\r$/ims);
});
