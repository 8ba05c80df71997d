import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Profile, signedRequest } from '@tenant-open-platform/testing';
import { type PrivatePostgres, startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { type RunningServer, startServer } from '@tenant-open-platform/testing/start-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS, newCommand } from '../test/support/commands.js';
import { expectRefusal } from '../test/support/expect-refusal.js';

let folder: string;
let database: PrivatePostgres;
let api: RunningServer;
let worker: RunningServer | undefined;
let demo: Profile;
let environment: Record<string, string>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'top-role-'));
  database = await startPrivatePostgres();
  const keyring = JSON.stringify({ primary: 'test', keys: { test: randomBytes(32).toString('base64') } });
  environment = { DATABASE_URL: database.url, KEYRING: keyring };
  api = await startServer({ ...environment, DATA_DIR: join(folder, 'api'), ROLE: 'api' });
  demo = JSON.parse(readFileSync(join(folder, 'api', 'demo.json'), 'utf8'));
});

afterAll(async () => {
  await api?.stop();
  await worker?.stop();
  await database?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('commands accepted by an api process wait for a worker, which dispatches them and answers no requests', async () => {
  const commandId = await newCommand(demo, { timeout_seconds: 300 });
  const read = (seconds: number) => signedRequest(demo, 'GET', `${COMMANDS}/${commandId}?wait_seconds=${seconds}`);
  expect((await read(1)).body.status).toBe('ACCEPTED');

  worker = await startServer({ ...environment, DATA_DIR: join(folder, 'worker'), ROLE: 'worker' });
  // The worker's signal wakes the api process.
  expect((await read(30)).body.status).toBe('SUCCEEDED');
  expectRefusal(await signedRequest(demo, 'GET', '/api/v1/open/me', { node: worker.baseUrl }), 'SERVICE_UNAVAILABLE');
  await expect.poll(async () => (await fetch(`${worker?.baseUrl}/readyz`)).status).toBe(200);
});
