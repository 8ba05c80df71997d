import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type CuttingProxy = {
  url: string;
  /** How many connections it has refused. */
  refused: () => number;
  stop: () => void;
};

/**
 * A proxy in front of the platform. It loses the answer to the first request of a method: it closes every connection at
 * that moment and refuses the next ones.
 */
export async function startCuttingProxy(
  target: string,
  { method, refusals }: { method: 'GET' | 'POST'; refusals: number },
): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isCut = false;
  let refused = 0;
  const server = createServer((near) => {
    if (isCut && refused < refusals) {
      refused += 1;
      near.destroy();
      return;
    }
    const far = connect(Number(port), hostname);
    for (const end of [near, far]) sockets.add(end.on('error', () => {}));
    let isAwaited = false;
    near.on('data', (bytes) => {
      isAwaited ||= bytes.toString('latin1').startsWith(`${method} `);
    });
    far.on('data', () => {
      if (isCut || !isAwaited) return;
      isCut = true;
      for (const socket of sockets) socket.destroy();
    });
    near.pipe(far).pipe(near);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refused: () => refused,
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
