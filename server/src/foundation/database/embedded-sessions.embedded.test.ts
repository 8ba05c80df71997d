import path from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { atEnd, temporaryFolder } from '@tenant-open-platform/testing';
import postgres from 'postgres';
import { expect, test } from 'vitest';
import { serveSessions } from './embedded-sessions.js';

const socket = path.join(temporaryFolder(), 'database.sock');
const database = await PGlite.create();
const server = await serveSessions(database, socket);
atEnd(async () => {
  await server.stop();
  await database.close();
});
const open = () => {
  const sql = postgres({ path: socket, user: 'postgres', max: 1, fetch_types: false, onnotice: () => {} });
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
async function leaveOpen(table: string) {
  const sql = open();
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

test('the transaction of a client that is silent is undone after seconds, and the others go on', async () => {
  await leaveOpen('rows_of_silent');
  expect(await countIn('rows_of_silent')).toBe(0);
});
