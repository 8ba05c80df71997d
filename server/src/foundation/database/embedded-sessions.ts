import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { PGlite } from '@electric-sql/pglite';

/**
 * A program that holds a transaction open and is silent must not stop the others who wait: as in session-settings.ts.
 */
const MOST_SILENT_LOOKS = 5;
const LOOK_EVERY_MS = 1_000;

const START_PROTOCOL_3 = 196_608;
/** The types of messages. The first one of a connection has none: its length begins with 0. */
const START = 0;
const QUERY = 0x51;
const SYNC = 0x53;
const TERMINATE = 0x58;

const message = (type: number, body = '') => {
  const text = Buffer.from(body && `${body}\0`);
  const header = Buffer.alloc(5);
  header[0] = type;
  header.writeInt32BE(4 + text.length, 1);
  return Buffer.concat([header, text]);
};

/** Ends whatever a client has begun. */
const ABANDON = [message(SYNC), message(QUERY, 'rollback')];

type Client = {
  socket: Socket;
  /** The beginning of the next message, whose rest has not arrived yet. */
  header: Buffer | null;
  messages: Uint8Array[];
  hasStarted: boolean;
};

/** Of the first message: its length and the version. Of the others: type and length. */
const FIRST_HEADER = 8;
const HEADER = 5;

/**
 * Serves PGlite to several connections, although it has one session: they take turns. A turn lasts until the end of a
 * transaction, because portals and statements without a name belong to the session.
 */
export async function serveSessions(
  database: PGlite,
  socketPath: string,
  onLeave = () => {},
): Promise<{ stop(): Promise<void> }> {
  const clients = new Set<Client>();
  const waiting: Client[] = [];
  let current: Client | undefined;
  let silentLooks = 0;
  let isWorking = false;
  let isStopping = false;
  let lastWork = Promise.resolve();

  async function work(): Promise<void> {
    isWorking = true;
    for (;;) {
      current ??= waiting.shift();
      const next = current?.messages.shift();
      if (!current || !next) break;
      const { socket } = current;
      await database.runExclusive(() =>
        database.execProtocolRawStream(next, { onRawData: (bytes) => void socket.write(Buffer.from(bytes)) }),
      );
      const mayEnd = next[0] === SYNC || next[0] === QUERY || next[0] === START;
      if (!mayEnd || database.isInTransaction()) continue;
      if (current.messages.length > 0) waiting.push(current);
      current = undefined;
    }
    silentLooks = 0;
    isWorking = false;
  }

  function take(client: Client, messages: Uint8Array[]): void {
    if (client !== current && !waiting.includes(client)) waiting.push(client);
    client.messages.push(...messages);
    if (!isWorking) lastWork = work();
  }

  const looking = setInterval(() => {
    silentLooks = current && !isWorking && waiting.length > 0 ? silentLooks + 1 : 0;
    if (silentLooks > MOST_SILENT_LOOKS) current?.socket.destroy();
  }, LOOK_EVERY_MS).unref();

  const server = createServer((socket) => {
    const client: Client = { socket, header: null, messages: [], hasStarted: false };
    clients.add(client);
    socket.on('readable', () => {
      if (client === current) silentLooks = 0;
      const messages: Uint8Array[] = [];
      for (let next = readMessage(client); next; next = readMessage(client)) messages.push(next);
      if (messages.length > 0) take(client, messages);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clients.delete(client);
      client.messages = [];
      const place = waiting.indexOf(client);
      if (place >= 0) waiting.splice(place, 1);
      // A database that closes undoes what is open, and answers nothing any more.
      if (client === current && !isStopping) take(client, ABANDON);
      onLeave();
    });
  });
  await once(server.listen(socketPath), 'listening');
  return {
    async stop() {
      isStopping = true;
      clearInterval(looking);
      const closed = once(server, 'close');
      server.close();
      for (const { socket } of clients) socket.destroy();
      await closed;
      await lastWork;
    },
  };
}

/** The next message, once it has arrived. The socket joins its pieces once: a message may come in thousands. */
function readMessage(client: Client): Uint8Array | null {
  const { socket, hasStarted } = client;
  client.header ??= readBytes(socket, hasStarted ? HEADER : FIRST_HEADER);
  const { header } = client;
  if (!header) return null;
  if (hasStarted ? header[0] === TERMINATE : header.readInt32BE(4) !== START_PROTOCOL_3) {
    socket.destroy();
    return null;
  }
  const length = hasStarted ? header.readInt32BE(1) - 4 : header.readInt32BE(0) - FIRST_HEADER;
  const rest = length > 0 ? readBytes(socket, length) : Buffer.alloc(0);
  if (!rest) return null;
  Object.assign(client, { header: null, hasStarted: true });
  return Uint8Array.from(Buffer.concat([header, rest]));
}

/** At the end of a connection, a socket has less than what was asked for. */
function readBytes(socket: Socket, count: number): Buffer | null {
  const bytes: Buffer | null = socket.read(count);
  return bytes?.length === count ? bytes : null;
}
