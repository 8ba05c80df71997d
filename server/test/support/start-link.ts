import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export type Link = {
  /** How many connections it has accepted. */
  connections: () => number;
  /** The same URL through this link. */
  through: (url: string) => string;
  /** From now on the link keeps what clients send, until it is let go. */
  hold: () => void;
  letGo: () => void;
  /** How many bytes it keeps. */
  held: () => number;
  /** From now on connections stay open and are accepted, but no bytes pass, as with an old primary after a failover. */
  blackHole: () => void;
  /**
   * New connections pass again. Old ones never do: their client must notice that itself. Postgres notices by its
   * keepalive after about 10 seconds. Until then a session that waits for the rest of a statement keeps its locks.
   */
  heal: () => void;
  /** Cuts all connections. Later ones lead to the server of this URL, or are cut too if there is none. */
  moveTo: (url: string | null) => void;
  stop: () => Promise<void>;
};

/** A TCP proxy in front of a server of this machine. */
export async function startLink(url: string): Promise<Link> {
  let target: string | null = url;
  const sockets = new Set<Socket>();
  /** The server-side sockets of connections that a black hole has swallowed. */
  const swallowed = new Set<Socket>();
  let isBlackHole = false;
  let connections = 0;
  let isHeld = false;
  const servers = new Set<Socket>();
  const onBlackHole: (() => void)[] = [];
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    connections++;
    keep(near);
    if (isBlackHole) return;
    if (target === null) return void near.destroy();
    const far = connect(Number(new URL(target).port), '127.0.0.1');
    keep(far);
    servers.add(far.once('close', () => servers.delete(far)));
    if (isHeld) far.cork();
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => {
      if (!swallowed.has(far)) near.destroy();
    });
    onBlackHole.push(() => swallowed.add(far));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    connections: () => connections,
    through: (original) => Object.assign(new URL(original), { port: String(port) }).href,
    hold() {
      isHeld = true;
      for (const far of servers) far.cork();
    },
    letGo() {
      isHeld = false;
      for (const far of servers) far.uncork();
    },
    held: () => [...servers].reduce((sum, far) => sum + far.writableLength, 0),
    blackHole() {
      isBlackHole = true;
      for (const swallow of onBlackHole.splice(0)) swallow();
      for (const socket of sockets) socket.unpipe();
    },
    heal() {
      isBlackHole = false;
      for (const socket of swallowed) socket.destroy();
    },
    moveTo(next) {
      target = next;
      for (const socket of sockets) socket.destroy();
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
