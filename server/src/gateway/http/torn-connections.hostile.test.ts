import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { signedRequest, startNode, unlimited } from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, test, vi } from 'vitest';
import { newCommand } from '../../../test/support/commands.js';
import { hostileRequests, randomNumbers } from '../../../test/support/hostile-requests.js';

const CONNECTIONS = 20_000;
const AT_ONCE = 100;
const SIGNED_EVERY_MS = 20;
const MAX_GROWTH_BYTES = 50 * 2 ** 20;
/** A request that stays incomplete is refused after 10 s. */
const WITHIN = { timeout: 60_000, interval: 500 };

const postgres = await ownPostgres();
const server = await startNode({
  // V8 collects garbage early in a small heap, so that held memory can be told apart from garbage.
  NODE_OPTIONS: '--max-semi-space-size=1 --max-old-space-size=128',
  DATABASE_URL: postgres.url,
  ...unlimited,
});
const { demo } = server;

const seed = Number(process.env.SEED ?? randomBytes(4).readUInt32BE());
const random = randomNumbers(seed);
const below = (limit: number) => Math.floor(random() * limit);

/** Figures that the server's process reports, and the kernel's figures for its sockets. */
async function measure() {
  const text = await (await fetch(`${server.baseUrl}/metrics`)).text();
  const value = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(text)?.[1]);
  return {
    startedAt: value('process_start_time_seconds'),
    rssBytes: value('process_resident_memory_bytes'),
    ...heldSockets(),
  };
}

/**
 * Counts both ends of the connections to the server. The kernel shows inode 0 for a socket that its process has closed.
 */
function heldSockets() {
  const port = Number(new URL(server.baseUrl).port).toString(16).toUpperCase().padStart(4, '0');
  const LISTEN = '0A';
  const held = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state !== LISTEN && inode !== '0');
  return {
    serverSockets: held.filter(([, local]) => local?.endsWith(`:${port}`)).length,
    clientSockets: held.filter(([, , remote]) => remote?.endsWith(`:${port}`)).length,
  };
}

/** From a separate address, so that its failures do not count for the signed requests. */
async function open(): Promise<Socket> {
  const { hostname, port } = new URL(server.baseUrl);
  const socket = connect({ port: Number(port), host: hostname, localAddress: '127.0.0.2', allowHalfOpen: true });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}

const written = (socket: Socket, bytes: Buffer) => new Promise((resolve) => socket.write(bytes, resolve));

/** Sends some or all of a request in pieces, and then ends the connection in one of several ways. */
async function tear(bytes: Buffer): Promise<void> {
  const socket = await open();
  const end = below(4) === 0 ? bytes.length : below(bytes.length + 1);
  for (let start = 0; start < end && !socket.destroyed; ) {
    const next = Math.min(end, start + 1 + below(end));
    await written(socket, bytes.subarray(start, next));
    start = next;
  }
  const closed = new Promise((resolve) => socket.once('close', resolve));
  const ways: Array<() => unknown> = [
    () => socket.resetAndDestroy(),
    () => socket.destroy(),
    () => socket.end(() => socket.resetAndDestroy()),
    // Only the server can close a connection that its client keeps half open.
    () => socket.end().resume(),
    // In the middle of the answer to a completely sent request.
    () => socket.once('readable', () => socket.resetAndDestroy()),
  ];
  ways[below(end === bytes.length ? ways.length : ways.length - 1)]?.();
  await closed;
}

/** Sends signed reads and commands in turn, at a fixed rate whether or not earlier ones are answered. */
function sendSigned(): () => Promise<number[]> {
  const answers: Promise<number>[] = [];
  const read = async () => {
    const sentAt = performance.now();
    const { status } = await signedRequest(demo, 'GET', '/api/v1/open/me');
    // While the machine stalls, the server refuses some with 503, after 5 seconds at the earliest.
    return status === 503 && performance.now() - sentAt > 5_000 ? 200 : status;
  };
  const timer = setInterval(() => {
    const isRead = answers.length % 2 === 0;
    answers.push(isRead ? read() : newCommand(demo).then(() => 202));
  }, SIGNED_EVERY_MS);
  return () => {
    clearInterval(timer);
    return Promise.all(answers);
  };
}

test(`${CONNECTIONS} connections that are cut at any point leave nothing behind and disturb no signed request`, async () => {
  const nextRequest = hostileRequests(demo, random);
  const before = await measure();
  const stopSigned = sendSigned();
  let left = CONNECTIONS;
  const keepTearing = async () => {
    while (left-- > 0) await tear(nextRequest());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, keepTearing));
  const statuses = await stopSigned();

  expect(new Set(statuses), `SEED=${seed} repeats it`).toEqual(new Set([200, 202]));
  const after = await vi.waitFor(async () => {
    const now = await measure();
    expect(now.serverSockets).toBeLessThanOrEqual(now.clientSockets);
    expect(now.rssBytes - before.rssBytes).toBeLessThan(MAX_GROWTH_BYTES);
    return now;
  }, WITHIN);
  expect(server.process.exitCode).toBe(null);
  expect(after.startedAt).toBe(before.startedAt);
  console.log(`SEED=${seed}, ${statuses.length} signed requests`, { before, after });
}, 900_000);
