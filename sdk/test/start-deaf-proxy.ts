import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy in front of nats-server. While it is deaf, nothing that the server says reaches the client. */
export async function startDeafProxy(target: string) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isDeaf = false;
  let last: string | undefined;
  let left = 0;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const end of [near, far])
      sockets.add(end.on('error', () => {}).on('close', () => [near, far].map((e) => e.destroy())));
    near.pipe(far);
    far.on('data', (bytes) => {
      if (!isDeaf) near.write(bytes);
      if (last === undefined) return;
      left -= bytes.toString('latin1').split(last).length - 1;
      if (left <= 0) isDeaf = true;
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    beDeaf() {
      isDeaf = true;
    },
    /** Once the server has said this so often. */
    beDeafAfter(said: string, times: number) {
      last = said;
      left = times;
    },
    /** With new connections: the client has lost its place in those of before. */
    hear() {
      isDeaf = false;
      last = undefined;
      for (const socket of sockets) socket.destroy();
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
