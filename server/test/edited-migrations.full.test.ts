import { randomBytes } from 'node:crypto';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addMigration, makeVersion } from '@tenant-open-platform/testing/made-up-version';
import { type PrivatePostgres, startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { ServerExited, startServer } from '@tenant-open-platform/testing/start-server';
import connect from 'postgres';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { runMain } from './support/private-platform.js';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const OLD =
  /^A development version created this database, and no migration leads from it to this version: docs\/upgrading\.md [^.\n]*\.\n$/;

let folder: string;
let postgres: PrivatePostgres;
/** Builds whose migrations differ from this one. */
let edited: string;
let later: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'top-migrations-'));
  postgres = await startPrivatePostgres();
  edited = buildWith((drizzle) => appendFileSync(join(drizzle, '0000_schema.sql'), '-- edited\n'));
  later = withMigration('CREATE TABLE "later" ();');
});

afterAll(async () => {
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
});

let made = 0;
const newFolder = () => join(folder, String(++made));

/** The build with other migrations: returns its main.js. */
function buildWith(change: (drizzle: string) => void): string {
  const copy = newFolder();
  makeVersion(copy, '999.0.0', change);
  return join(copy, 'dist/main.js');
}

const withMigration = (sql: string) => buildWith((drizzle) => addMigration(drizzle, '9999_later', sql));

type Environment = Record<string, string>;

async function startAndStop(environment: Environment, main?: string): Promise<void> {
  const running = await startServer(environment, main);
  expect(await running.stop()).toBe(0);
}

/** What a refused start prints. */
async function refusal(environment: Environment, main?: string): Promise<string> {
  const outcome = await startAndStop(environment, main).catch((error: unknown) => error);
  if (!(outcome instanceof ServerExited)) throw new Error('The server started.', { cause: outcome });
  expect(outcome.exitCode).toBe(1);
  return outcome.stderr;
}

async function newPostgresDatabase(): Promise<string> {
  const name = `d${++made}`;
  const superuser = connect(postgres.superuserUrl, { max: 1 });
  await superuser.unsafe(`create database ${name} owner platform`);
  await superuser.end();
  return Object.assign(new URL(postgres.url), { pathname: `/${name}` }).href;
}

const KEYRING = JSON.stringify({ primary: 'k1', keys: { k1: randomBytes(32).toString('base64') } });

/** The environment of a platform on a new database. */
const databases: [string, () => Promise<Environment>][] = [
  ['the embedded database', async () => ({ DATA_DIR: newFolder() })],
  ['Postgres', async () => ({ DATA_DIR: newFolder(), KEYRING, DATABASE_URL: await newPostgresDatabase() })],
];

describe.each(databases)('on %s', (_, newDatabase) => {
  test('a build with an edited migration refuses a database of its earlier text, in one line', async () => {
    const environment = await newDatabase();
    await startAndStop(environment);
    expect(await refusal(environment, edited)).toMatch(OLD);
    await startAndStop(environment);
  });

  test('a build with one more migration applies it; the build before still starts, beside it', async () => {
    const environment = await newDatabase();
    await startAndStop(environment);
    await startAndStop(environment, later);
    await startAndStop(environment);
    await startAndStop(environment, later);
  });
});

test('a database of a development version is refused, and keeps all that it has', async () => {
  const environment = { DATA_DIR: newFolder(), KEYRING, DATABASE_URL: await newPostgresDatabase() };
  const owner = connect(environment.DATABASE_URL, { max: 1 });
  onTestFinished(() => owner.end());
  await owner`create schema drizzle`;
  await owner`create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`;
  await owner`
    insert into drizzle.__drizzle_migrations (hash, created_at)
    select 'of development ' || number, number from generate_series(1, 19) as number`;
  await owner`create table drizzle.content as select 'acme' as tenant_id`;
  const content = async () => [
    await owner`select table_schema, table_name from information_schema.tables where table_schema = 'drizzle'`,
    await owner`select * from drizzle.__drizzle_migrations`,
    await owner`select * from drizzle.content`,
  ];
  const before = await content();
  expect(await refusal(environment)).toMatch(OLD);
  for (const flags of [[], ['--plan']]) {
    const refused = await runMain(['migrate', ...flags], environment);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(OLD) });
  }
  expect(await content()).toEqual(before);
});

test.each([
  ['CREATE TABLE "later" ();', 'Older nodes keep working'],
  ['ALTER TABLE "commands" DROP COLUMN "progress";', 'Stop all older nodes first: they may fail after 9999_later.'],
  ['ALTER TABLE "commands" RENAME COLUMN "progress" TO "steps";', 'Stop all older nodes first'],
])('migrate --plan: %s %s', async (statement, says) => {
  const environment = { DATABASE_URL: await newPostgresDatabase() };
  expect(await runMain(['migrate'], environment)).toMatchObject({ exitCode: 0 });
  const changed = withMigration(statement);
  const plan = await runMain(['migrate', '--plan'], environment, changed);
  expect(plan).toMatchObject({ exitCode: 0, stdout: `-- 9999_later\n${statement}\n\n` });
  expect(plan.stderr).toContain(says);
});

test('a running node is unready while its database has other migrations, or too few', async () => {
  const environment = { DATA_DIR: newFolder(), KEYRING, DATABASE_URL: await newPostgresDatabase() };
  const running = await startServer(environment);
  const owner = connect(environment.DATABASE_URL, { max: 1 });
  onTestFinished(async () => {
    await owner.end();
    await running.stop();
  });
  const isReady = (state: object) =>
    expect.poll(async () => (await fetch(`${running.baseUrl}/readyz`)).json()).toEqual(state);
  const [applied] = await owner`select id, hash from drizzle.__drizzle_migrations order by id limit 1`;
  const setHash = (hash: string) =>
    owner`update drizzle.__drizzle_migrations set hash = ${hash} where id = ${applied?.id}`;
  await setHash('other');
  await isReady({ status: 'unready', reason: 'the database has other migrations' });
  await setHash(applied?.hash);
  await isReady({ status: 'ready' });
  await owner`delete from drizzle.__drizzle_migrations where id = (select max(id) from drizzle.__drizzle_migrations)`;
  await isReady({ status: 'unready', reason: 'migrations are missing' });
});
