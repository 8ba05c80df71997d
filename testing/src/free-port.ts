import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that Linux, macOS and Windows give to outgoing connections: none of them takes a port meanwhile. */
const FIRST = 11_000;
const LAST = 32_000;

/** A start of its own, so that two processes do not find the same port. */
let next = randomInt(FIRST, LAST);

/** A port of 127.0.0.1 on which nothing listens, another one on each call. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = next;
    next = port === LAST ? FIRST : port + 1;
    if (await isFree(port)) return port;
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
