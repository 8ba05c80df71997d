import { signedRequest, startNode } from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, test } from 'vitest';
import { COMMANDS, newCommand } from '../test/support/commands.js';
import { expectRefusal } from '../test/support/expect-refusal.js';

const database = await ownPostgres();
const { demo } = await startNode({ DATABASE_URL: database.url, ROLE: 'api' });

test('commands accepted by an api process wait for a worker, which dispatches them and answers no requests', async () => {
  const commandId = await newCommand(demo, { timeout_seconds: 300 });
  const read = (seconds: number) => signedRequest(demo, 'GET', `${COMMANDS}/${commandId}?wait_seconds=${seconds}`);
  expect((await read(1)).body.status).toBe('ACCEPTED');

  const worker = await startNode({ DATABASE_URL: database.url, ROLE: 'worker' });
  // The worker's signal wakes the api process.
  expect((await read(30)).body.status).toBe('SUCCEEDED');
  expectRefusal(await signedRequest(demo, 'GET', '/api/v1/open/me', { node: worker.baseUrl }), 'SERVICE_UNAVAILABLE');
  await expect.poll(async () => (await fetch(`${worker.baseUrl}/readyz`)).status).toBe(200);
});
