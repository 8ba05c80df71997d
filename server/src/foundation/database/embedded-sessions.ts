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
  /** Chunks of the next message, which is not complete yet. */
  pieces: Buffer[];
  arrived: number;
  /** The bytes that the next message needs at least. */
  needed: number;
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
    const next = { pieces: [], arrived: 0, needed: FIRST_HEADER };
    const client: Client = { socket, ...next, messages: [], hasStarted: false };
    clients.add(client);
    socket.on('data', (bytes) => {
      if (client === current) silentLooks = 0;
      client.pieces.push(bytes);
      client.arrived += bytes.length;
      if (client.arrived < client.needed) return;
      const messages = completeMessages(client);
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

/** Joins the pieces once, not at each arrival: a message may come in thousands. */
function completeMessages(client: Client): Uint8Array[] {
  const messages: Uint8Array[] = [];
  let rest = Buffer.concat(client.pieces);
  client.pieces = [];
  for (;;) {
    const { hasStarted, socket } = client;
    const header = hasStarted ? HEADER : FIRST_HEADER;
    const end = rest.length < header ? header : hasStarted ? 1 + rest.readInt32BE(1) : rest.readInt32BE(0);
    if (rest.length < Math.max(header, end)) {
      Object.assign(client, { pieces: [rest], arrived: rest.length, needed: end });
      return messages;
    }
    if (hasStarted ? rest[0] === TERMINATE : rest.readInt32BE(4) !== START_PROTOCOL_3) {
      socket.end();
      return messages;
    }
    client.hasStarted = true;
    messages.push(Uint8Array.from(rest.subarray(0, end)));
    rest = rest.subarray(end);
  }
}
