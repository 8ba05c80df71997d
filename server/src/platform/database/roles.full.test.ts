import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PrivatePostgres, startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { ServerExited, startServer } from '@tenant-open-platform/testing/start-server';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';

let folder: string;
let database: PrivatePostgres;
let superuser: postgres.Sql;
const keyring = JSON.stringify({ primary: 'test', keys: { test: randomBytes(32).toString('base64') } });

async function startUp(url = database.url): Promise<string> {
  try {
    const server = await startServer({ DATA_DIR: folder, DATABASE_URL: url, KEYRING: keyring });
    return `exit ${await server.stop()}`;
  } catch (error) {
    if (!(error instanceof ServerExited)) throw error;
    return `exit ${error.exitCode}: ${error.stderr.trimEnd()}`;
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'top-roles-'));
  database = await startPrivatePostgres();
  expect(await startUp()).toBe('exit 0');
  superuser = postgres(database.superuserUrl, { max: 1 });
});

afterAll(async () => {
  await superuser?.end();
  await database?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  ['BYPASSRLS', 'top_system', 'alter role top_system bypassrls', 'alter role top_system nobypassrls'],
  ['superuser', 'top_ingest', 'alter role top_ingest superuser', 'alter role top_ingest nosuperuser'],
  ['owner of the tables', 'top_app', 'alter table commands owner to top_app', 'alter table commands owner to platform'],
])('refuses to start, in one line, if row-level security would not apply: %s', async (_, role, weaken, restore) => {
  await superuser.unsafe(weaken);
  expect(await startUp()).toMatch(new RegExp(`^exit 1: .*${role}.*row-level security would not apply.*$`));
  await superuser.unsafe(restore);
  expect(await startUp()).toBe('exit 0');
});

const inherits = () => superuser`select pg_has_role('platform', 'top_system', 'usage') as inherits`;

test('stops its login from inheriting the roles of the platform', async () => {
  await superuser`alter role platform inherit`;
  expect(await inherits()).toEqual([{ inherits: true }]);
  expect(await startUp()).toBe('exit 0');
  expect(await inherits()).toEqual([{ inherits: false }]);
});

test('migrates a database whose owner does not inherit the right to create objects in it', async () => {
  await superuser`alter role platform noinherit`;
  await superuser`create database another owner platform`;
  const another = database.url.replace(/platform$/, 'another');
  expect(await startUp(another)).toBe('exit 0');
});

test('refuses to start, in one line with the fix, if a statement without a role would see rows of tenants', async () => {
  await superuser`grant pg_monitor to platform`;
  await superuser`alter role platform inherit`;
  const fix = 'ALTER ROLE platform NOINHERIT';
  const refusal = await startUp();
  expect(refusal).toMatch(/^exit 1: A statement without SET ROLE sees rows of every tenant.*commands, .*$/);
  expect(refusal).toContain(`${fix};`);
  await superuser.unsafe(fix);
  expect(await startUp()).toBe('exit 0');
  await superuser`revoke pg_monitor from platform`;
});

test('refuses to start if the owner of a table is exempt from its row-level security', async () => {
  await superuser`alter table credentials no force row level security`;
  expect(await startUp()).toMatch(
    /^exit 1: A statement without SET ROLE sees rows of every tenant.*\(credentials\).*$/,
  );
  await superuser`alter table credentials force row level security`;
  expect(await startUp()).toBe('exit 0');
});

test('refuses a superuser before it creates a table', async () => {
  await superuser`create database untouched`;
  const url = database.superuserUrl.replace(/platform$/, 'untouched');
  expect(await startUp(url)).toMatch(
    /^exit 1: The database user postgres is a superuser.*CREATE ROLE platform LOGIN CREATEROLE .*$/,
  );
  const untouched = postgres(url, { max: 1 });
  expect(await untouched`select from pg_tables where schemaname = 'public'`).toHaveLength(0);
  await untouched.end();
});

test('a statement without a role sees no row of any tenant', async () => {
  const login = postgres(database.url, { max: 1 });
  const tables = await login<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relrowsecurity order by 1`;
  expect(tables.length).toBeGreaterThan(10);
  for (const { name } of tables) expect([name, await login`select from ${login(name)}`]).toEqual([name, []]);
  const [all] = await superuser`select count(*)::int as credentials from credentials`;
  expect(all?.credentials).toBeGreaterThan(0);
  await login.end();
});
