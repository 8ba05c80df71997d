import { platform } from '@tenant-open-platform/testing';
import { sql as fragment } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openPool } from '../../../test/open-pool.js';
import type { Database } from './database.js';
import { errorCodeOf, hasUnknownEffect } from './database-error.js';
import { asSystem, asTenant } from './roles.js';

const MAX = 3;
const EVENTUALLY = { timeout: 5_000, interval: 5 };
const application_name = 'lost-connection-test';

let database: Database;
let administrator: Database;

beforeEach(() => {
  const url = platform().databaseUrl as string;
  database = openPool(url, { max: MAX, backoff: () => 0.01, connection: { application_name } });
  administrator = openPool(url, { max: 1 });
});

afterEach(() => Promise.all([database.close(), administrator.close()]));

const one = () => asSystem<{ one: number }>(database, (sql) => sql`select 1 as one`);

const cutOffAll = () =>
  administrator.sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${application_name}`;

/** Cuts off the connection that runs this statement, once it does. */
async function cutOffWhere(statement: string): Promise<void> {
  await vi.waitFor(async () => {
    const cut = await administrator.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = ${application_name} and state = 'active' and query like ${statement}`;
    expect(cut.length).toBeGreaterThan(0);
  }, EVENTUALLY);
}

/** An idle connection that was cut off may refuse one more caller before the driver hears of it. */
async function expectToServe(): Promise<void> {
  await vi.waitFor(async () => {
    const answers = await Promise.all(Array.from({ length: MAX * 4 }, () => one()));
    expect(answers.map(([row]) => row?.one)).toEqual(Array(MAX * 4).fill(1));
  }, EVENTUALLY);
}

test('serves many callers at once from a pool that has not connected yet', async () => {
  await expectToServe();
});

test('rejects what was sent and what waits on a connection that is lost, and serves on', async () => {
  for (let round = 0; round < MAX * 3; round++) {
    const losing = asSystem(database, (sql) => sql`select pg_sleep(${60}::float8)::text as it`).catch(
      (reason: unknown) => reason,
    );
    await cutOffWhere('%pg_sleep(%float8)%');
    expect(hasUnknownEffect(await losing)).toBe(true);
  }
  await expectToServe();
});

test('ends a transaction whose connection is lost, and runs nothing more of it elsewhere', async () => {
  for (let round = 0; round < MAX * 3; round++) {
    const transaction = asTenant(database, 'a', async (tx) => {
      await tx.execute(fragment`select set_config('role', 'none', true)`);
      await tx.execute(fragment`select pg_terminate_backend(pg_backend_pid())`).catch(() => {});
      return tx.execute(fragment`select current_user as name`);
    });
    expect(hasUnknownEffect(await transaction.catch((reason: unknown) => reason))).toBe(true);
  }
  await expectToServe();
});

test('settles every caller, those that wait for a connection too, when all connections are cut off', async () => {
  for (let round = 0; round < 5; round++) {
    await one();
    const slow = Array.from({ length: MAX * 6 }, (_, index) =>
      index % 2
        ? asSystem(database, (sql) => sql`select pg_sleep(0.02)::text as it`)
        : asTenant(database, 'a', (tx) => tx.execute(fragment`select pg_sleep(0.02)`)),
    );
    const settled = Promise.allSettled(slow);
    await cutOffAll();
    const codes = (await settled).map((result) => (result.status === 'fulfilled' ? 'ok' : errorCodeOf(result.reason)));
    expect(codes.filter((code) => !['ok', 'CONNECTION_CLOSED', 'ECONNRESET', '57P01'].includes(code ?? ''))).toEqual(
      [],
    );
    await expectToServe();
  }
});

test('gives the next caller its own rows after a connection was lost in the middle of a result', async () => {
  for (let round = 0; round < 5; round++) {
    const many = Promise.allSettled([
      asSystem(
        database,
        (sql) => sql`select repeat('x', 100) as x, pg_sleep(0.001)::text as it from generate_series(1, 60000)`,
      ),
    ]);
    await cutOffWhere('%repeat%');
    await many;
    await expectToServe();
  }
});
