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

async function startUp(): Promise<string> {
  try {
    const server = await startServer({ DATA_DIR: folder, DATABASE_URL: database.url, KEYRING: keyring });
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
])('refuses to start, in one line, where row-level security would not bind: %s', async (_, role, weaken, restore) => {
  await superuser.unsafe(weaken);
  expect(await startUp()).toMatch(new RegExp(`^exit 1: .*${role}.*row-level security would not hold.*$`));
  await superuser.unsafe(restore);
  expect(await startUp()).toBe('exit 0');
});
