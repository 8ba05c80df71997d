import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy in front of nats-server. While it is deaf, nothing that the server says reaches the client. */
export async function startDeafProxy(target: string) {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isDeaf = false;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const end of [near, far])
      sockets.add(end.on('error', () => {}).on('close', () => [near, far].map((e) => e.destroy())));
    near.pipe(far);
    far.on('data', (bytes) => {
      if (!isDeaf) near.write(bytes);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    beDeaf() {
      isDeaf = true;
    },
    /** With new connections: the client has lost its place in those of before. */
    hear() {
      isDeaf = false;
      for (const socket of sockets) socket.destroy();
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
