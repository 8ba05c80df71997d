import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { newKeyring, signedRequest, startNode, temporaryFolder } from '@tenant-open-platform/testing';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import connect from 'postgres';
import { expect, test, vi } from 'vitest';
import { COMMANDS, newCommand } from '../test/support/commands.js';
import { expectRefusal } from '../test/support/expect-refusal.js';
import { openSession } from '../test/support/open-pool.js';
import { runMain } from '../test/support/private-platform.js';
import { unique } from '../test/support/unique.js';

const readiness = async (baseUrl: string) => (await fetch(`${baseUrl}/readyz`)).json();

const READY = { status: 'ready' };
const unready = (reason: string) => ({ status: 'unready', reason });

/** Each node says so soon, a worker too. */
const everyNodeIs = (state: object) =>
  vi.waitFor(
    async () => {
      for (const { baseUrl } of servers) expect(await readiness(baseUrl)).toEqual(state);
    },
    { timeout: 60_000, interval: 100 },
  );

const create = () =>
  signedRequest(demo, 'POST', COMMANDS, {
    body: { vendor: 'vendor_a', device_id: 'd-1', command_type: 'reboot', payload: {}, idempotency_key: unique('k') },
  });

const environmentOf = (databaseUrl: string) => ({ DATABASE_URL: databaseUrl, KEYRING: newKeyring() });

const folder = temporaryFolder();
const database = await ownPostgres();
const superuser = openSession(database.superuserUrl);
const environment = environmentOf(database.url);
const server = await startNode(environment);
const servers = [server, await startNode({ ...environment, ROLE: 'api' })];
const { demo } = server;

test('a first start is ready once the profiles are written', async () => {
  await superuser`create database fresh owner platform`;
  const url = (of: string) => Object.assign(new URL(of), { pathname: '/fresh' }).href;
  const port = await freePort();
  const environment = { ...environmentOf(url(database.url)), DATA_DIR: join(folder, 'fresh'), PORT: String(port) };
  // It runs the migrations.
  expect(await runMain(['keys', 'status'], environment)).toMatchObject({ exitCode: 0 });
  const state = () => readiness(`http://127.0.0.1:${port}`);
  const profile = join(folder, 'fresh', 'demo.json');
  const inFresh = connect(url(database.superuserUrl), { max: 1 });
  const { start } = await inFresh.begin(async (tx) => {
    await tx`select from tenants where tenant_id = 'platform' for update`;
    const start = startNode(environment);
    const starting = async () => expect(await state()).toEqual(unready('starting'));
    await vi.waitFor(starting, { timeout: 60_000, interval: 50 });
    expect(existsSync(profile)).toBe(false);
    return { start };
  });
  servers.push(await start);
  expect(existsSync(profile)).toBe(true);
  await vi.waitFor(async () => expect(await state()).toEqual(READY), { timeout: 60_000, interval: 50 });
  expect(await servers.pop()?.stop()).toBe(0);
  await inFresh.end();
});

test('a standby is not ready and refuses requests with 503; once it is promoted it serves again', async () => {
  await superuser`
    do $$ begin
      execute format('copy (select) to %L', current_setting('data_directory') || '/standby.signal');
    end $$`;
  await database.suspend();
  await database.resume();
  await everyNodeIs(unready('the database refuses writes: it is read-only'));
  expectRefusal(await create(), 'SERVICE_UNAVAILABLE');

  await superuser`select pg_promote()`;
  await everyNodeIs(READY);
  await newCommand(demo);
});

/** Postgres refuses to insert into these tables, with this SQLSTATE. */
async function refuseInserts(code: string, ...tables: string[]): Promise<void> {
  await superuser.unsafe(`
    create or replace function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no more room' using errcode = '${code}'; end $$`);
  for (const table of tables) {
    await superuser.unsafe(`create trigger refuse before insert on ${table} execute function refuse()`);
  }
}

const acceptInserts = () => superuser.unsafe('drop function refuse cascade');

test('while the disk of the database is full it is not ready, and every request is refused with 503 and Retry-After', async () => {
  await refuseInserts('53100', 'write_probe', 'nonces');
  await everyNodeIs(unready('the database refuses writes: its disk is full'));
  const refused = [await create(), await signedRequest(demo, 'GET', '/api/v1/open/me')];
  for (const answer of refused) {
    expectRefusal(answer, 'SERVICE_UNAVAILABLE');
    expect(answer.headers['retry-after']).toBe('1');
  }
  await acceptInserts();
  await everyNodeIs(READY);
  await newCommand(demo);
});

test.each(['53000', '53200', '53400', '58030'])(
  'SQLSTATE %s in the transaction of a command is answered with 503 and Retry-After',
  async (code) => {
    await refuseInserts(code, 'commands');
    const answer = await create();
    await acceptInserts();
    expectRefusal(answer, 'SERVICE_UNAVAILABLE');
    expect(answer.headers['retry-after']).toBe('1');
  },
);

test('probes write a new page to the disk of the database at most every two seconds, and leave no row', async () => {
  const state = async () => {
    const [row] = await superuser<{ pages: number; rows: number }[]>`
      select pg_relation_size('write_probe') / 8192 as pages, (select count(*) from write_probe) as rows`;
    return { pages: Number(row?.pages), rows: Number(row?.rows) };
  };
  /** The next page is written between these instants. */
  const nextWrite = async () => {
    let from = performance.now();
    const { pages } = await state();
    await vi.waitFor(
      async () => {
        await readiness(servers[0]?.baseUrl as string);
        const lookedAt = performance.now();
        const isWritten = (await state()).pages > pages;
        if (!isWritten) from = lookedAt;
        expect(isWritten).toBe(true);
      },
      { timeout: 60_000, interval: 100 },
    );
    return { from, to: performance.now() };
  };
  const [first, second] = [await nextWrite(), await nextWrite()];
  expect(second.to - first.from).toBeGreaterThan(1_800);
  await superuser`vacuum write_probe`;
  expect(await state()).toEqual({ pages: 0, rows: 0 });
});
