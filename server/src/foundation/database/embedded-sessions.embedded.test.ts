import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { atEnd, temporaryFolder } from '@tenant-open-platform/testing';
import postgres from 'postgres';
import { expect, test, vi } from 'vitest';
import { serveSessions } from './embedded-sessions.js';

// The server looks at silent clients when a test says so.
vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
atEnd(() => void vi.useRealTimers());
const look = (times: number) => void vi.advanceTimersByTime(times * 1_000);
const CUT_OFF = 6;

async function serve() {
  const socket = path.join(temporaryFolder(), 'database.sock');
  const database = await PGlite.create();
  const server = await serveSessions(database, socket);
  const stop = async () => {
    await server.stop();
    await database.close();
  };
  return { socket, stop };
}

const { socket, stop } = await serve();
atEnd(stop);
const open = (path = socket) => {
  const sql = postgres({ path, user: 'postgres', max: 1, fetch_types: false, onnotice: () => {} });
  atEnd(() => sql.end({ timeout: 0 }));
  return sql;
};

test('clients that send at the same time each get their own answers, inside transactions and outside', async () => {
  const ask = async (client: number) => {
    const sql = open();
    const alone = Array.from(
      { length: 50 },
      async (_, n) => (await sql`select ${client}::int * 1000 + ${n}::int as n`)[0],
    );
    const together = sql.begin(async (tx) => {
      await tx`select set_config('test.client', ${String(client)}, true)`;
      const found = await Promise.all(
        Array.from({ length: 50 }, async () => (await tx`select current_setting('test.client') as client`)[0]),
      );
      return found.filter((row) => row?.client !== String(client));
    });
    expect(await Promise.all(alone)).toEqual(Array.from({ length: 50 }, (_, n) => ({ n: client * 1000 + n })));
    expect(await together).toEqual([]);
  };
  await Promise.all([1, 2, 3, 4].map(ask));
});

/** Leaves a transaction open that has inserted a row. Resolves to its client. */
async function leaveOpen(table: string, path = socket) {
  const sql = open(path);
  await sql.unsafe(`create table ${table} (n int)`);
  await new Promise<void>((inserted) => {
    const open = sql.begin(async (tx) => {
      await tx.unsafe(`insert into ${table} values (1)`);
      inserted();
      await new Promise(() => {});
    });
    open.catch(() => {});
  });
  return sql;
}
const countIn = async (table: string) => (await open().unsafe(`select count(*)::int as n from ${table}`))[0]?.n;

test('the transaction of a client that dies is undone, and the others go on', async () => {
  const sql = await leaveOpen('rows_of_dead');
  const counting = countIn('rows_of_dead');
  await sql.end({ timeout: 0 });
  expect(await counting).toBe(0);
});

/** Until the server has read what the sockets have sent: it ends one that does not begin as Postgres says. */
async function untilRead() {
  const last = connect(socket).end(Buffer.alloc(8)).resume();
  await once(last, 'close');
}

test('the transaction of a client that is silent is undone when others have waited for seconds', async () => {
  const waiter = open();
  await waiter`select`;
  await leaveOpen('rows_of_silent');
  const counting = waiter`select count(*)::int as n from rows_of_silent`.execute();
  await untilRead();
  look(CUT_OFF);
  expect(await counting).toEqual([{ n: 0 }]);
});

test('a client that is silent goes on if nobody waits, and if it only sends slowly', async () => {
  const own = open();
  const inserted = await own.begin(async (tx) => {
    await tx`create table rows_of_slow (n int)`;
    look(10 * CUT_OFF);
    return tx`insert into rows_of_slow values (1) returning n`;
  });
  expect(inserted).toEqual([{ n: 1 }]);

  const waiter = open();
  await waiter`select`;
  const slow = connect(socket).on('error', () => {});
  atEnd(() => slow.destroy());
  const answers: Buffer[] = [];
  slow.on('data', (bytes: Buffer) => answers.push(bytes));
  const statement = 'insert into rows_of_slow values (2); commit\0';
  const length = (bytes: number) => Buffer.from([0, 0, 0, bytes]);
  slow.write(Buffer.concat([length(23), Buffer.from('\0\x03\0\0user\0postgres\0\0')]));
  slow.write(Buffer.concat([Buffer.from('Q'), length(10), Buffer.from('begin\0')]));
  await untilRead();
  const counting = waiter`select count(*)::int as n from rows_of_slow`.execute();
  for (const byte of Buffer.concat([Buffer.from('Q'), length(4 + statement.length), Buffer.from(statement)])) {
    await untilRead();
    look(CUT_OFF - 1);
    slow.write(Uint8Array.of(byte));
  }
  expect(await counting).toEqual([{ n: 2 }]);
});

test('a message that arrives in many pieces is whole', async () => {
  const text = 'abcdefg'.repeat(1_000_000);
  const [row] = await open()`select md5(${text}) as hash, length(${text})::int as length`;
  expect(row).toEqual({ hash: createHash('md5').update(text).digest('hex'), length: text.length });
});

test('a stop while a client holds a transaction open is clean', async () => {
  const other = await serve();
  await leaveOpen('rows', other.socket);
  await other.stop();
});
