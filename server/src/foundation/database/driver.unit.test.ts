import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import postgres from 'postgres';
import { expect, onTestFinished, test, vi } from 'vitest';

/** One connection to the scripted Postgres below. */
type Session = { socket: Socket; number: number; texts: string[] };

const message = (type: string, ...parts: (string | number | Buffer)[]) => {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part === 'string') return Buffer.from(`${part}\0`);
      if (typeof part !== 'number') return part;
      const bytes = Buffer.alloc(4);
      bytes.writeInt32BE(part);
      return bytes;
    }),
  );
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
};

const ready = (state: 'I' | 'T' = 'I') => message('Z', Buffer.from(state));
const done = (state: 'I' | 'T' = 'I') => Buffer.concat([message('C', 'SELECT 1'), ready(state)]);
/** A column `one` of type text. */
const columns = message(
  'T',
  Buffer.from([0, 1]),
  'one',
  0,
  Buffer.from([0, 0]),
  25,
  Buffer.from([255, 255]),
  -1,
  Buffer.from([0, 0]),
);
const row = (value: string) => message('D', Buffer.from([0, 1]), value.length, Buffer.from(value));
const rows = (...values: string[]) => Buffer.concat([columns, ...values.map(row), done()]);
const problem = (type: 'E' | 'N', severity: string, code: string) =>
  message(type, `S${severity}`, `V${severity}`, `C${code}`, 'Mmade up', Buffer.from([0]));

type Answer = (session: Session, text: string) => unknown;

/** What follows each message of the extended protocol. */
const EXTENDED: Record<string, Buffer> = {
  P: message('1'),
  D: Buffer.concat([message('t', Buffer.from([0, 0])), message('n')]),
  B: message('2'),
  E: message('C', 'SELECT 0'),
  S: ready(),
};

const begin = ({ socket }: Session) => void socket.write(Buffer.concat([message('R', 0), ready()]));

type Ways = {
  /** It never closes a connection. */
  isHalfOpen?: boolean;
  /** What it does with a new session. */
  start?: (session: Session) => void;
  port?: number;
};

/** A Postgres that answers statements as the test says, and those of the driver itself, such as `commit`. */
async function scriptedPostgres(answer: Answer, { isHalfOpen = false, start = begin, port = 0 }: Ways = {}) {
  const sessions: Session[] = [];
  const server = createServer({ allowHalfOpen: isHalfOpen }, (socket) => {
    const session: Session = { socket, number: sessions.length, texts: [] };
    sessions.push(session);
    let unread = Buffer.alloc(0);
    let hasStarted = false;
    const take = (type: string, body: Buffer) => {
      const text = body.toString('utf8').replace(/^\0|\0.*$/gs, '');
      if (type === 'Q' || type === 'P')
        session.texts.push(type === 'P' ? (body.toString('utf8').split('\0')[1] ?? '') : text);
      if (type === 'Q') answer(session, text);
      const next = EXTENDED[type];
      if (next) socket.write(next);
    };
    socket
      .on('error', () => {})
      .on('data', (chunk) => {
        unread = Buffer.concat([unread, chunk]);
        for (;;) {
          const at = hasStarted ? 1 : 0;
          if (unread.length < at + 4 || unread.length < at + unread.readInt32BE(at)) return;
          const length = at + unread.readInt32BE(at);
          const [type, body] = [unread.toString('utf8', 0, 1), unread.subarray(5, length)];
          unread = unread.subarray(length);
          if (hasStarted) take(type, body);
          else start(session);
          hasStarted = true;
        }
      });
  });
  await once(server.listen(port, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    for (const { socket } of sessions) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, sessions };
}

type Options = postgres.Options<Record<string, never>>;

function poolAt(port: number | number[], options: Options = {}) {
  const hosts = [port].flat().map((one) => `127.0.0.1:${one}`);
  const sql = postgres(`postgres://top@${hosts.join()}/top`, {
    max: 1,
    fetch_types: false,
    backoff: () => 0,
    onnotice: () => {},
    ...options,
  });
  onTestFinished(() => sql.end({ timeout: 0 }));
  return { sql, ask: (text = 'one') => sql.unsafe(text).execute() };
}

async function poolOf(answer: Answer, options: Options = {}, ways: Ways = {}) {
  const { port, sessions } = await scriptedPostgres(answer, ways);
  return { sessions, ...poolAt(port, options) };
}

const codeOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 'ok',
    (error: { code?: string }) => error.code,
  );
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const ANSWER = { answer_timeout: 0.3 };

test('each of the statements that were sent together has its own time for an answer', async () => {
  const { ask } = await poolOf(({ socket }, text) => text === 'first' && socket.write(rows('1')), ANSWER);
  await ask('first');
  const [first, second] = [ask('first'), ask('second')].map(codeOf);
  expect([await first, await second]).toEqual(['ok', 'ANSWER_TIMEOUT']);
});

test('an answer may take longer than its time while parts of it arrive', async () => {
  const { ask } = await poolOf(async ({ socket }) => {
    socket.write(columns);
    for (let part = 0; part < 6; part++) {
      await pause(100);
      socket.write(row(`${part}`));
    }
    socket.write(done());
  }, ANSWER);
  expect(await ask()).toHaveLength(6);
});

test('a connection that is idle for longer than an answer may take stays', async () => {
  const { ask, sessions } = await poolOf(({ socket }) => socket.write(rows('1')), ANSWER);
  await ask();
  await pause(500);
  await ask();
  expect(sessions).toHaveLength(1);
});

test('the time of a lost connection does not end the next one, which is slow to begin', async () => {
  const { ask, sessions } = await poolOf(
    ({ socket, number }) => (number === 0 ? socket.destroy() : socket.write(rows('1'))),
    ANSWER,
    { start: (session) => void setTimeout(begin, 600 * session.number, session) },
  );
  expect(await codeOf(ask())).toMatch(/CONNECTION_CLOSED|ECONNRESET/);
  expect(await codeOf(ask())).toBe('ok');
  expect(sessions).toHaveLength(2);
});

test('a connection that has served its time is replaced although the other side never closes it', async () => {
  const options = { ...ANSWER, max_lifetime: 0.2, queue_timeout: 5 };
  const { ask, sessions } = await poolOf(({ socket }) => socket.write(rows('1')), options, { isHalfOpen: true });
  await ask();
  await pause(300);
  await ask();
  expect(sessions.length).toBeGreaterThan(1);
});

test.each([
  ['gave no answer in time', 'ANSWER_TIMEOUT', () => {}],
  ['Postgres ended', '57P01', ({ socket }: Session) => socket.write(problem('E', 'FATAL', '57P01'))],
  ['crashed with Postgres', '57P02', ({ socket }: Session) => socket.write(problem('N', 'WARNING', '57P02'))],
])('who asks again at once is not given the connection that %s', async (_, code, fail) => {
  const { ask, sessions } = await poolOf(
    (session, text) => (text === 'lost' ? fail(session) : session.socket.write(rows('1'))),
    ANSWER,
  );
  await ask('first');
  let again: Promise<unknown> | undefined;
  const failed = await ask('lost').catch((error: { code: string }) => {
    again = codeOf(ask('again'));
    return error.code;
  });
  expect([failed, await again]).toEqual([code, 'ok']);
  expect(sessions.map(({ texts }) => texts)).toEqual([['first', 'lost'], ['again']]);
});

test.each([
  ['57P01', problem('E', 'FATAL', '57P01')],
  ['57P02', problem('N', 'WARNING', '57P02')],
])('who asks before the end of a session is known, with %s, gets another connection', async (code, end) => {
  let again: Promise<unknown> | undefined;
  const { ask, sessions } = await poolOf(
    ({ socket }, text) =>
      socket.write(text === 'lost' ? Buffer.concat([problem('N', 'NOTICE', '00000'), end]) : rows('1')),
    // Between the message that ends the session and the end of its socket.
    {
      onnotice: () =>
        setImmediate(() => {
          again = codeOf(ask('again'));
        }),
    },
  );
  await ask('first');
  expect([await codeOf(ask('lost')), await again]).toEqual([code, 'ok']);
  expect(sessions.map(({ texts }) => texts)).toEqual([['first', 'lost'], ['again']]);
});

test('who gets no connection after a lost one is told why', async () => {
  const { ask } = await poolOf(() => {}, ANSWER, {
    start: (session) =>
      session.number === 0 ? begin(session) : void session.socket.end(problem('E', 'FATAL', '53300')),
  });
  expect(await codeOf(ask())).toBe('ANSWER_TIMEOUT');
  expect(await codeOf(ask())).toBe('53300');
});

test('what is asked in the tick in which its connection closes fails, and is not sent over the next one', async () => {
  const { port, sessions } = await scriptedPostgres(({ socket }, text) => text !== 'hold' && socket.write(rows('1')));
  const sockets: Socket[] = [];
  const socket = async () => {
    const opened = connect(port, '127.0.0.1');
    sockets.push(opened);
    await once(opened, 'connect');
    return opened;
  };
  const { ask } = poolAt(port, { socket } as Options);
  await ask('first');
  const held = codeOf(ask('hold'));
  await vi.waitFor(() => expect(sessions[0]?.texts).toContain('hold'));
  const late = codeOf(ask('late'));
  await Promise.resolve().then(() => {});
  sockets[0]?.emit('close', false);
  expect([await held, await late]).toEqual(['CONNECTION_CLOSED', 'CONNECTION_CLOSED']);
  expect(await codeOf(ask('after'))).toBe('ok');
  expect(sessions[1]?.texts).toEqual(['after']);
});

test('rows of an answer that was cut off are not in the next one', async () => {
  const { ask } = await poolOf(({ socket, number }) => {
    if (number > 0) socket.write(rows('1'));
    else socket.end(Buffer.concat([columns, row('cut'), row('off')]));
  });
  await codeOf(ask());
  expect([...(await ask())]).toEqual([{ one: '1' }]);
});

test('a statement of a transaction that waits for the socket is not followed by one of another caller', async () => {
  const large = 'x'.repeat(8 * 1024 * 1024);
  const { sql, sessions } = await poolOf((session, text) => {
    if (text.startsWith('begin')) {
      // It answers the next statement before it has read it, as Postgres does if it refuses a large one.
      session.socket.write(done('T'));
      session.socket.pause();
      setTimeout(() => session.socket.write(done('T')), 100);
      setTimeout(() => session.socket.resume(), 300);
    } else if (!text.startsWith('x')) session.socket.write(done(text === 'commit' ? 'I' : 'T'));
  });
  let other: Promise<unknown> | undefined;
  await sql.begin(async (tx) => {
    const sent = tx.unsafe(large);
    other = sql.unsafe('other').execute();
    await sent;
    await pause(600);
  });
  await other;
  const texts = sessions.flatMap((session) => session.texts.map((text) => text.slice(0, 6)));
  expect(texts.indexOf('other')).toBeGreaterThan(texts.indexOf('commit'));
});

test('begin and the statements after it leave together, and no statement of another caller among them', async () => {
  const { sql, ask, sessions } = await poolOf(({ socket }, text) => {
    if (text === 'first') socket.write(Buffer.concat([done('T'), done('T')]));
    if (text === 'second') socket.write(done('T'));
    if (text === 'one') socket.write(done());
  });
  await ask();
  const transaction = () =>
    sql.begin(async (tx) => {
      await tx.unsafe('first');
      await tx.unsafe('second');
    });
  await Promise.all([transaction(), ask(), transaction(), ask()]);
  const sent = ['begin ', 'first', 'second'];
  // The second commit is prepared: it is sent without its text.
  expect(sessions[0]?.texts).toEqual(['one', ...sent, 'commit', 'one', ...sent, 'one']);
});

test('a transaction whose begin is refused fails with the reason, and sends no later statement', async () => {
  const { sql, sessions } = await poolOf(({ socket }, text) =>
    socket.write(text.startsWith('begin') ? Buffer.concat([problem('E', 'ERROR', '25006'), ready()]) : done()),
  );
  const transaction = sql.begin(async (tx) => {
    await tx.unsafe('first');
    await tx.unsafe('second');
  });
  expect(await codeOf(transaction)).toBe('25006');
  expect(sessions[0]?.texts.slice(1)).toEqual(['first']);
});

test('statements of a lost transaction fail with the reason, those that wait as well as later ones', async () => {
  const { sql } = await poolOf(
    ({ socket, number }, text) => {
      if (number > 0) socket.write(rows('1'));
      else if (text.startsWith('begin')) socket.write(done('T'));
      else if (text === 'last') socket.write(problem('E', 'FATAL', '57P01'));
    },
    { max_pipeline: 3 } as Options,
  );
  const codes: unknown[] = [];
  const transaction = sql.begin(async (tx) => {
    const asked = ['first', 'second', 'last', 'waits'].map((text) => codeOf(tx.unsafe(text).execute()));
    await pause(50);
    codes.push(...(await Promise.all(asked)), await codeOf(tx.unsafe('later').execute()));
  });
  expect(await codeOf(transaction)).toBe('57P01');
  await vi.waitFor(() => expect(codes).toHaveLength(5));
  expect(codes.slice(3)).toEqual(['57P01', '57P01']);
});

test('a caller waits for a connection no longer than its time, and its timer ends with its wait', async () => {
  const { sql, ask } = await poolOf(({ socket }, text) => socket.write(done(text.startsWith('begin') ? 'T' : 'I')), {
    queue_timeout: 0.2,
  });
  let release = () => {};
  const transaction = sql.begin(
    () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  );
  await pause(50);
  expect(await codeOf(ask())).toBe('QUEUE_TIMEOUT');
  expect(sql.pool()).toEqual({ size: 1, inUse: 1, waiting: 0 });
  const begun = vi.spyOn(globalThis, 'setTimeout');
  const ended = vi.spyOn(globalThis, 'clearTimeout');
  const waiting = codeOf(ask('waiting'));
  await vi.waitFor(() => expect(sql.pool().waiting).toBe(1));
  release();
  await transaction;
  expect(await waiting).toBe('ok');
  const timer = begun.mock.results[begun.mock.calls.findIndex(([, ms]) => ms === 200)]?.value;
  expect(ended.mock.calls.map(([one]) => one)).toContain(timer);
  begun.mockRestore();
  ended.mockRestore();
});

test('the first statement of each connection is that of on_connect, and a connection on which it fails is not used', async () => {
  const seen: unknown[] = [];
  const { ask, sessions } = await poolOf(
    ({ socket, number }, text) => {
      if (text !== 'look') socket.write(rows('1'));
      else if (number === 1) socket.write(rows('seen'));
      else socket.write(Buffer.concat([problem('E', 'ERROR', '25006'), ready()]));
    },
    { on_connect: { text: 'look', done: (found: unknown) => seen.push(found) } },
  );
  expect(await codeOf(ask())).toBe('25006');
  expect(await codeOf(ask())).toBe('ok');
  expect(sessions.map(({ texts }) => texts)).toEqual([['look'], ['look', 'one']]);
  expect(seen).toEqual([[{ one: 'seen' }]]);
});

const freePort = async () => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

test('of several hosts a silent one is left for the next', async () => {
  const answer: Answer = ({ socket }) => socket.write(rows('1'));
  const silent = await scriptedPostgres(answer, { start: () => {} });
  const good = await scriptedPostgres(answer);
  const { ask } = poolAt([silent.port, good.port], { connect_timeout: 0.3 });
  expect(await codeOf(ask())).toBe('ok');
});

test('each call tries every host once, also after a call that found none', async () => {
  const ports = [await freePort(), await freePort()] as const;
  const { ask } = poolAt([...ports]);
  expect(await codeOf(ask())).toBe('ECONNREFUSED');
  await scriptedPostgres(({ socket }) => socket.write(rows('1')), { port: ports[1] });
  expect(await codeOf(ask())).toBe('ok');
});

test('a call whose connection closes before it begins is told', async () => {
  const server = createServer((socket) => void socket.once('data', () => socket.end()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const { ask } = poolAt((server.address() as AddressInfo).port);
  expect(await codeOf(ask())).toMatch(/CONNECTION_/);
});
