import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { type Profile, sign, signedRequest, startNode } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { newCommand } from '../../test/support/commands.js';
import { expectRefusal } from '../../test/support/expect-refusal.js';

const { demo } = await startNode({ WAITING_REQUESTS_PER_TENANT: '3' });

const waitForEvent = (caller: Profile, cursor: string) =>
  signedRequest(caller, 'GET', `/api/v1/open/events?cursor=${cursor}&wait_seconds=30`);

test('a tenant may have as many waiting requests as its limit allows, whatever they wait for', async () => {
  const { body: me } = await signedRequest(demo, 'GET', '/api/v1/open/me');
  expect(me.limits.waiting_requests).toBe(3);

  const { next_cursor } = (await signedRequest(demo, 'GET', '/api/v1/open/events')).body;
  const more = Array.from({ length: 4 }, () => waitForEvent(demo, next_cursor));
  const refused = await Promise.race(more);
  expectRefusal(refused, 'RATE_LIMITED');
  expect(refused.headers['retry-after']).toBe('1');
  expect(refused.body.metadata).toEqual({ quota: 'waiting', limit: 3 });
  expect(refused.body.message).toMatch(/^3 requests of the tenant wait on this node already\./);
  expectRefusal(await signedRequest(demo, 'GET', '/api/v1/open/device-requests?wait_seconds=30'), 'RATE_LIMITED');
  expect((await signedRequest(demo, 'GET', '/api/v1/open/events')).status).toBe(200);

  const id = await newCommand(demo);
  const answers = (await Promise.all(more)).filter(({ status }) => status === 200);
  for (const { body } of answers) expect(body.items[0].data.command_id).toBe(id);
  expect(answers).toHaveLength(3);
  expect((await waitForEvent(demo, next_cursor)).status).toBe(200);
});

/** No event comes: there is no such command. */
const target = `/api/v1/open/events?command_id=${randomUUID()}&wait_seconds=30`;
const another = () => signedRequest(demo, 'GET', target.replace(/30$/, '1'));

function openWait(sent?: (socket: Socket) => void): Socket {
  const { hostname, port } = new URL(demo.base_url);
  const socket = connect(Number(port), hostname);
  const headers = Object.entries(sign(demo, 'GET', target)).map((pair) => `${pair.join(': ')}\r\n`);
  socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n${headers.join('')}\r\n`, () => sent?.(socket));
  return socket;
}

test('a wait whose connection is closed gives its place back at once', async () => {
  let refused = 0;
  // One more than may wait: once it is refused, the others wait.
  const abandoned = Array.from({ length: 4 }, () =>
    openWait().on('data', (answer) => {
      if (String(answer).startsWith('HTTP/1.1 429')) refused++;
    }),
  );
  await expect.poll(() => refused, { timeout: 25_000 }).toBe(1);
  expect((await another()).status).toBe(429);
  for (const socket of abandoned) socket.destroy();
  // Within a second instead of the 30 that they would have waited.
  await expect.poll(async () => (await another()).status, { timeout: 25_000 }).toBe(200);
});

test('a wait whose connection is closed before it begins takes no place', async () => {
  const closed = Array.from({ length: 12 }, () =>
    once(
      openWait((socket) => socket.destroy()),
      'close',
    ),
  );
  await Promise.all(closed);
  // They were sent before: once these are answered, they have been admitted.
  for (let more = 0; more < 12; more++) await signedRequest(demo, 'GET', '/api/v1/open/me');
  expect((await another()).status).toBe(200);
});
