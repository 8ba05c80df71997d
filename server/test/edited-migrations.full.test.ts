import { randomBytes } from 'node:crypto';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type PrivatePostgres, startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { ServerExited, startServer } from '@tenant-open-platform/testing/start-server';
import connect from 'postgres';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { runMain } from './support/private-platform.js';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const server = fileURLToPath(new URL('..', import.meta.url));
const OLD = 'An old development version created this database, and no migration leads from it to this version.';

let folder: string;
let postgres: PrivatePostgres;
/** Builds whose migrations differ from this one. */
let edited: string;
let later: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'top-migrations-'));
  postgres = await startPrivatePostgres();
  edited = buildWith((drizzle) => appendFileSync(join(drizzle, '0003_seed.sql'), '-- edited\n'));
  later = buildWith((drizzle) => addMigration(drizzle));
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
  for (const part of ['dist', 'drizzle', 'package.json']) {
    cpSync(join(server, part), join(copy, part), { recursive: true });
  }
  symlinkSync(join(server, 'node_modules'), join(copy, 'node_modules'));
  change(join(copy, 'drizzle'));
  return join(copy, 'dist/main.js');
}

function addMigration(drizzle: string, statement = 'CREATE TABLE "later" ();'): void {
  const journal = join(drizzle, 'meta/_journal.json');
  const { entries, ...rest } = JSON.parse(readFileSync(journal, 'utf8'));
  const last = entries.at(-1);
  entries.push({ ...last, idx: last.idx + 1, when: last.when + 1, tag: '9999_later' });
  writeFileSync(journal, JSON.stringify({ ...rest, entries }));
  writeFileSync(join(drizzle, '9999_later.sql'), statement);
}

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
    expect(await refusal(environment, edited)).toMatch(new RegExp(`^${OLD} Delete the data directory, [^\n]*\n$`));
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

test.each([
  ['CREATE TABLE "later" ();', 'Older nodes keep working'],
  ['ALTER TABLE "commands" DROP COLUMN "progress";', 'Stop all older nodes first: they may fail after 9999_later.'],
  ['ALTER TABLE "commands" RENAME COLUMN "progress" TO "steps";', 'Stop all older nodes first'],
])('migrate --plan: %s %s', async (statement, says) => {
  const environment = { DATABASE_URL: await newPostgresDatabase() };
  expect(await runMain(['migrate'], environment)).toMatchObject({ exitCode: 0 });
  const changed = buildWith((drizzle) => addMigration(drizzle, statement));
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
