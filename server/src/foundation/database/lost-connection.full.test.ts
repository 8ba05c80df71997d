import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { platform } from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openPool } from '../../../test/support/open-pool.js';
import { startLink } from '../../../test/support/start-link.js';
import type { Database } from './database.js';
import { errorCodeOf, hadNoEffect, hasUnknownEffect } from './database-error.js';
import { asAllTenantsStatement, asTenant } from './row-level-security.js';
import { nodeSettings } from './session-settings.js';

const MAX = 3;
const EVENTUALLY = { timeout: 60_000, interval: 5 };
const application_name = 'lost-connection-test';

let database: Database;
let administrator: Database;

beforeEach(() => {
  const url = platform().databaseUrl as string;
  database = openPool(url, { max: MAX, backoff: () => 0.01, connection: { application_name } });
  administrator = openPool(url, { max: 1 });
});

afterEach(() => Promise.all([database.close(), administrator.close()]));

const one = () => asAllTenantsStatement<{ one: number }>(database, sql`select 1 as one`);

const cutOffAll = () =>
  administrator.sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${application_name}`;

/**
 * Terminates the connection that runs this statement until the caller is told. Once is not enough: a session terminated
 * in an earlier round may still be listed with its statement.
 */
async function cutOff<T>(caller: Promise<T>, statement: string): Promise<T> {
  let isSettled = false;
  const settled = caller.finally(() => {
    isSettled = true;
  });
  await vi.waitFor(async () => {
    await administrator.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = ${application_name} and state = 'active' and query like ${statement}`;
    expect(isSettled).toBe(true);
  }, EVENTUALLY);
  return settled;
}

/** A terminated idle connection may fail one more caller before the driver notices. */
async function expectToServe(): Promise<void> {
  await vi.waitFor(async () => {
    const answers = await Promise.all(Array.from({ length: MAX * 4 }, () => one()));
    expect(answers.map(([row]) => row?.one)).toEqual(Array(MAX * 4).fill(1));
  }, EVENTUALLY);
}

test('serves many callers at once from a pool without open connections', async () => {
  await expectToServe();
});

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => null,
    (reason: unknown) => reason,
  );

test('a statement whose session an administrator terminates has no effect, and the pool continues to serve', async () => {
  for (let round = 0; round < MAX * 3; round++) {
    const losing = failureOf(
      round % 2
        ? asAllTenantsStatement(database, sql`select pg_sleep(${60}::float8)::text as it`)
        : asTenant(database, 'a', (tx) => tx.execute(sql`select pg_sleep(${60}::float8)::text as it`)),
    );
    const failure = await cutOff(losing, '%pg_sleep(%float8)%');
    expect([errorCodeOf(failure), hadNoEffect(failure)]).toEqual(['57P01', true]);
  }
  await expectToServe();
});

test('a commit whose session an administrator terminates has an unknown effect', async () => {
  const losing = failureOf(
    database.sql.begin(async (tx) => {
      await tx.unsafe(`
        create temporary table slow (id int) on commit drop;
        create function pg_temp.sleep() returns trigger language plpgsql as
          'begin perform pg_sleep(60); return null; end';
        create constraint trigger slow after insert on slow deferrable initially deferred
          for each row execute function pg_temp.sleep();
        insert into slow values (1)`);
    }),
  );
  const failure = await cutOff(losing, 'commit%');
  expect([errorCodeOf(failure), hasUnknownEffect(failure)]).toEqual(['57P01', true]);
  await expectToServe();
});

test('a running statement has no effect when another session crashes', async () => {
  const postgres = await ownPostgres();
  const [running, crashing] = [1, 2].map(() => openPool(postgres.superuserUrl, { max: 1 })) as [Database, Database];
  const [session] = await crashing.sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const losing = failureOf(running.sql`select pg_sleep(60)`);
  await vi.waitFor(async () => {
    const sleeping = await crashing.sql`select from pg_stat_activity where wait_event = 'PgSleep'`;
    expect(sleeping).toHaveLength(1);
  }, EVENTUALLY);
  process.kill(session?.pid as number, 'SIGKILL');
  const failure = await losing;
  expect([errorCodeOf(failure), hadNoEffect(failure)]).toEqual(['57P02', true]);
});

test('ends a transaction whose connection is lost, and runs nothing more of it on another connection', async () => {
  for (let round = 0; round < MAX * 3; round++) {
    const transaction = asTenant(database, 'a', async (tx) => {
      await tx.execute(sql`select set_config('role', 'none', true)`);
      await tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`).catch(() => {});
      return tx.execute(sql`select current_user as name`);
    });
    expect(hadNoEffect(await failureOf(transaction))).toBe(true);
  }
  await expectToServe();
});

test('settles every caller, even those that wait for a connection, when all connections are cut', async () => {
  for (let round = 0; round < 5; round++) {
    await one();
    const slow = Array.from({ length: MAX * 6 }, (_, index) =>
      index % 2
        ? asAllTenantsStatement(database, sql`select pg_sleep(0.02)::text as it`)
        : asTenant(database, 'a', (tx) => tx.execute(sql`select pg_sleep(0.02)`)),
    );
    const settled = Promise.allSettled(slow);
    await cutOffAll();
    const codes = (await settled).map((result) => (result.status === 'fulfilled' ? 'ok' : errorCodeOf(result.reason)));
    expect(
      codes.filter(
        (code) => !['ok', 'CONNECTION_CLOSED', 'ECONNRESET', '57P01', 'LOST_BEFORE_COMMIT'].includes(code ?? ''),
      ),
    ).toEqual([]);
    await expectToServe();
  }
});

test('gives the next caller its own rows after a connection was lost in the middle of a result', async () => {
  for (let round = 0; round < 5; round++) {
    const many = Promise.allSettled([
      asAllTenantsStatement(
        database,
        sql`
        select repeat('x', 100) as x, pg_sleep(0.001)::text as it from generate_series(1, 60000)`,
      ),
    ]);
    await cutOff(many, '%repeat%');
    await expectToServe();
  }
});

/** Postgres answers within these seconds on a busy machine, too, unless it stalls. */
const impatient = { max: MAX, backoff: () => 0.01, answer_timeout: 3, connect_timeout: 3, queue_timeout: 3 };
/** Postgres answers within these seconds even if it stalls: for answers that must not fail. */
const patient = { ...impatient, max: 1, answer_timeout: 10, connect_timeout: 30, queue_timeout: 60 };

test('settles every caller within a bounded time while connections are half open, and serves over new ones', async () => {
  const url = platform().databaseUrl as string;
  const link = await startLink(url);
  const pool = openPool(link.through(url), impatient);
  onTestFinished(async () => {
    // Otherwise the pool waits five seconds for its half-open connections.
    await link.stop();
    await pool.close();
  });
  const ways: (() => Promise<unknown>)[] = [
    // Admission and accept are one plain statement.
    async () => await pool.sql`select 1`.execute(),
    () => asAllTenantsStatement(pool, sql`select 1`),
    () => asTenant(pool, 'a', (tx) => tx.execute(sql`select 1`)),
  ];
  const call = (index: number) => (ways[index % ways.length] as () => Promise<unknown>)();
  await vi.waitFor(() => Promise.all(Array.from({ length: MAX * 2 }, (_, index) => call(index))), EVENTUALLY);
  link.blackHole();
  const codes = new Set<string | undefined>();
  for (let round = 0; round < 3; round++) {
    const settled = await Promise.allSettled(Array.from({ length: MAX * 6 }, (_, index) => call(index)));
    for (const result of settled) codes.add(result.status === 'fulfilled' ? 'ok' : errorCodeOf(result.reason));
  }
  const expected = ['ANSWER_TIMEOUT', 'CONNECTION_CLOSED', 'CONNECT_TIMEOUT', 'QUEUE_TIMEOUT', 'LOST_BEFORE_COMMIT'];
  expect([...codes].filter((code) => !expected.includes(code ?? ''))).toEqual([]);
  expect(codes).toContain('ANSWER_TIMEOUT');

  link.heal();
  await vi.waitFor(() => Promise.all(Array.from({ length: MAX * 4 }, (_, index) => call(index))), EVENTUALLY);
});

test('never gives a waiting caller a connection that was given up', async () => {
  const url = platform().databaseUrl as string;
  const link = await startLink(url);
  const pool = openPool(link.through(url), patient);
  onTestFinished(async () => {
    // Otherwise the pool waits five seconds for its half-open connections.
    await link.stop();
    await pool.close();
  });
  const ask = () => asAllTenantsStatement<{ one: number }>(pool, sql`select 1 as one`);
  for (let round = 0; round < 3; round++) {
    await ask();
    link.blackHole();
    const given = failureOf(ask());
    const waiting = Promise.all([ask(), ask()]);
    link.heal();
    const failure = await given;
    expect([errorCodeOf(failure), errorCodeOf((failure as Error).cause)]).toEqual([
      'LOST_BEFORE_COMMIT',
      'ANSWER_TIMEOUT',
    ]);
    expect(await waiting).toEqual([[{ one: 1 }], [{ one: 1 }]]);
  }
});

test.each([
  ['before its commit', 'no'],
  ['in its commit', 'an unknown'],
])('a transaction whose connection is lost %s has %s effect', async (lost, effect) => {
  const url = platform().databaseUrl as string;
  const link = await startLink(url);
  const pool = openPool(link.through(url), patient);
  onTestFinished(async () => {
    // Otherwise the pool waits five seconds for its half-open connections.
    await link.stop();
    await pool.close();
  });
  const losing = asTenant(pool, 'a', async (tx) => {
    await tx.execute(sql`select 1`);
    link.blackHole();
    if (lost === 'before its commit') await tx.execute(sql`select 2`);
  });
  const failure = await failureOf(losing);
  expect([hadNoEffect(failure), hasUnknownEffect(failure)]).toEqual([effect === 'no', effect !== 'no']);
});

test('Postgres ends a session whose client stops reading an answer, and releases its locks', async () => {
  const url = platform().databaseUrl as string;
  const link = await startLink(url);
  expect(nodeSettings.tcp_user_timeout).toBe('10s');
  const settings: Record<string, string> = { ...nodeSettings, statement_timeout: '0', tcp_user_timeout: '2s' };
  const node = openPool(link.through(url), { connection: settings });
  onTestFinished(() => link.stop());
  const LOCK = 1_704_211;
  const answer = failureOf(node.sql`
    select pg_advisory_xact_lock(${LOCK}::int), repeat('x', 1000) from generate_series(1, 1000000)`);
  const holders = () =>
    administrator.sql`select from pg_locks where locktype = 'advisory' and objid = ${LOCK} and granted`;
  await vi.waitFor(async () => expect(await holders()).toHaveLength(1), EVENTUALLY);
  link.blackHole();
  await vi.waitFor(async () => expect(await holders()).toHaveLength(0), { timeout: 25_000, interval: 200 });
  await node.close();
  expect(await answer).not.toBeNull();
});

test('gives up a half-open connection even while callers keep sending on it', async () => {
  const url = platform().databaseUrl as string;
  const link = await startLink(url);
  const pool = openPool(link.through(url), { ...impatient, max: 1 });
  onTestFinished(async () => {
    // Otherwise the pool waits five seconds for its half-open connections.
    await link.stop();
    await pool.close();
  });
  await vi.waitFor(async () => void (await pool.sql`select 1`), EVENTUALLY);
  link.blackHole();
  const codes: (string | undefined)[] = [];
  const look = () => void pool.sql`select 1`.catch((error: unknown) => codes.push(errorCodeOf(error)));
  const looking = setInterval(look, 100);
  onTestFinished(() => clearInterval(looking));
  // Callers that wait for the connection are refused, too: after this process was suspended, perhaps first.
  await expect.poll(() => codes).toContain('ANSWER_TIMEOUT');
});

test('an answer that arrived while this process was suspended still counts', async () => {
  const pool = openPool(platform().databaseUrl as string, { ...impatient, max: 1 });
  onTestFinished(() => pool.close());
  await vi.waitFor(async () => void (await pool.sql`select 1`), EVENTUALLY);
  const answer = pool.sql`select 1 as one`.execute();
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000);
  expect(await answer).toEqual([{ one: 1 }]);
});

test('a commit whose wait for a synchronous standby is canceled has an unknown effect: a failover may lose it', async () => {
  const postgres = await ownPostgres({ settings: { synchronous_standby_names: '*' } });
  const local = openPool(postgres.superuserUrl, { max: 1, connection: { synchronous_commit: 'local' } });
  const pool = openPool(postgres.superuserUrl, { max: 1 });
  await local.sql`create table facts (id int)`;
  const writes = [
    async () => await pool.sql`insert into facts values (1)`.execute(),
    () => pool.sql.begin((tx) => tx`insert into facts values (2)`),
  ];
  for (const write of writes) {
    const failure = failureOf(write());
    await vi.waitFor(async () => {
      const canceled =
        await local.sql`select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'`;
      expect(canceled).toHaveLength(1);
    }, EVENTUALLY);
    expect(hasUnknownEffect(await failure)).toBe(true);
  }
  expect(await pool.sql`select 1 as one`).toEqual([{ one: 1 }]);
});

test('tries the next host if one is silent or is still starting', async () => {
  const url = platform().databaseUrl as string;
  const { host } = new URL(url);
  const silent = await startLink(url);
  silent.blackHole();
  const starting = createServer((socket) => {
    const fields = 'SFATAL\0VFATAL\0C57P03\0Mthe database system is starting up\0\0';
    const refusal = Buffer.alloc(5 + fields.length);
    refusal.write('E');
    refusal.writeInt32BE(4 + fields.length, 1);
    refusal.write(fields, 5);
    socket.on('error', () => {}).once('data', () => socket.end(refusal));
  });
  await once(starting.listen(0, '127.0.0.1'), 'listening');
  const hosts = [new URL(silent.through(url)).host, `127.0.0.1:${(starting.address() as AddressInfo).port}`, host];
  const pool = openPool(url.replace(host, hosts.join()), { ...patient, connect_timeout: 10 });
  onTestFinished(async () => {
    await pool.close();
    await silent.stop();
    starting.close();
  });
  expect(await pool.sql`select 1 as one`).toEqual([{ one: 1 }]);
});

test('tries each host of a cluster, and rejects if none answers', async () => {
  const url = platform().databaseUrl as string;
  const { host } = new URL(url);
  const nobody = '127.0.0.1:1';
  const half = openPool(url.replace(host, `${nobody},${host}`), patient);
  const none = openPool(url.replace(host, `${nobody},${nobody}`), patient);
  onTestFinished(() => Promise.all([half.close(), none.close()]).then(() => {}));
  expect(await half.sql`select 1 as one`).toEqual([{ one: 1 }]);
  expect(errorCodeOf(await none.sql`select 1`.catch((reason: unknown) => reason))).toBe('ECONNREFUSED');
});
