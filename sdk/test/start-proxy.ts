import { connect, createServer, type Socket } from 'node:net';

/** A proxy in front of the platform. While it is closed, it destroys every connection at once. */
export async function startProxy(target: string) {
  const { hostname, port: upstreamPort } = new URL(target);
  const sockets = new Set<Socket>();
  let isClosed = false;
  let refused = 0;
  let requests = 0;
  const server = createServer((socket) => {
    if (isClosed) {
      refused += 1;
      socket.destroy();
      return;
    }
    const upstream = connect(Number(upstreamPort), hostname);
    for (const [end, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(end);
      end.on('error', () => {}).on('close', () => other.destroySoon());
    }
    socket.on('data', (bytes) => {
      if (/^(GET|POST) /.test(bytes.toString('latin1'))) requests += 1;
    });
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const closeConnections = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    /** How many connections it refused. */
    refused: () => refused,
    /** How many requests reached it while it was open. */
    requests: () => requests,
    close() {
      isClosed = true;
      closeConnections();
    },
    open() {
      isClosed = false;
    },
    stop() {
      closeConnections();
      server.close();
    },
  };
}
