import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that Linux, macOS and Windows give to outgoing connections: none of them takes a port meanwhile. */
const FIRST = 11_000;
const LAST = 32_000;

/**
 * UDP sockets with the numbers of the ports. They tell the other test processes that a port is taken, also while its
 * server is down. They are gone when the process ends, however it ends. TCP does not notice them.
 */
const reservations: Socket[] = [];

let next = randomInt(FIRST, LAST);

/** A port of 127.0.0.1 on which nothing listens, another one on each call, also in other processes. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next;
    next = port === LAST ? FIRST : port + 1;
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}

async function reserve(port: number): Promise<boolean> {
  const socket = createSocket('udp4').bind({ port, address: '127.0.0.1', exclusive: true });
  try {
    await once(socket, 'listening');
  } catch {
    socket.close();
    return false;
  }
  reservations.push(socket.unref());
  return true;
}
