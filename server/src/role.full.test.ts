import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeyring, signedRequest, temporaryFolder } from '@tenant-open-platform/testing';
import { startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { type RunningServer, startServer } from '@tenant-open-platform/testing/start-server';
import { afterAll, expect, test } from 'vitest';
import { COMMANDS, newCommand } from '../test/support/commands.js';
import { expectRefusal } from '../test/support/expect-refusal.js';

let worker: RunningServer | undefined;

const folder = temporaryFolder();
const database = await startPrivatePostgres();
const keyring = newKeyring();
const environment = { DATABASE_URL: database.url, KEYRING: keyring };
const api = await startServer({ ...environment, DATA_DIR: join(folder, 'api'), ROLE: 'api' });
const demo = JSON.parse(readFileSync(join(folder, 'api', 'demo.json'), 'utf8'));

afterAll(async () => {
  await api?.stop();
  await worker?.stop();
  await database?.stop();
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
