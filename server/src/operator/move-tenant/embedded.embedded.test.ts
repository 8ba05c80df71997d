import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signedRequest, startNode, temporaryFolder, unlimited } from '@tenant-open-platform/testing';
import postgres from 'postgres';
import { expect, test, vi } from 'vitest';
import { move, runMove } from '../../../test/support/cells.js';
import { completed, newCommand } from '../../../test/support/commands.js';
import { runMain } from '../../../test/support/private-platform.js';

const openDatabase = ({ folder }: { folder: string }) =>
  postgres({ path: join(folder, 'database.sock'), user: 'postgres', max: 1, fetch_types: false });
const soon = { timeout: 50_000, interval: 50 };

async function startCell() {
  const node = await startNode(unlimited);
  return { ...node, environment: { DATA_DIR: node.folder } };
}
const [a, b] = await Promise.all([startCell(), startCell()]);
const admin = (method: string, path: string, body: object) =>
  signedRequest(a.admin, method, `/api/v1/platform/tenants${path}`, { body, node: a.baseUrl });

async function newTenant(tenant_id: string) {
  await admin('POST', '', { tenant_id, name: tenant_id });
  const { body } = await admin('POST', `/${tenant_id}/credentials`, { client_id: tenant_id, name: tenant_id });
  await admin('POST', `/${tenant_id}/role-bindings`, { client_id: tenant_id, role: 'integration_operator' });
  return { base_url: a.baseUrl, tenant_id, client_id: tenant_id, secret: body.secret };
}

test('a tenant moves between two platforms as `npm start` runs them, which go on: with DATA_DIR and TO_DATA_DIR alone', async () => {
  const profile = await newTenant('acme');
  const ids: string[] = [];
  for (let n = 0; n < 20; n++) ids.push(await newCommand(profile, { device_id: `ok-${n}` }));
  const plan = await runMove(a, b, ['acme', '--to-url', b.baseUrl, '--plan']);
  expect(plan.stdout).toMatch(/^acme can move\. Nothing has changed/);
  await move(a, b, 'acme');

  const there = { ...profile, base_url: b.baseUrl };
  for (const id of ids) expect((await completed(there, id)).status).toBe('SUCCEEDED');
  expect(await completed(there, await newCommand(there, { device_id: 'ok-1' }))).toMatchObject({ status: 'SUCCEEDED' });
  // The source heard of it at once: without a signal it looks once a minute.
  await vi.waitFor(async () => {
    const { body } = await signedRequest(a.admin, 'GET', '/api/v1/platform/tenants/acme', { node: a.baseUrl });
    expect(body).toMatchObject({ status: 'MOVED', deletion: { finished_at: expect.any(String) } });
  }, soon);

  const file = join(temporaryFolder(), 'b.map');
  const written = await runMain(['cell-map', '--upstream', 'cell_b', '--file', file], b.environment);
  expect([written.stderr, readFileSync(file, 'utf8')]).toEqual(['', 'acme cell_b;\ndemo cell_b;\n']);
});

test('a device request that another program stored is expired in time: the platform hears when the program leaves', async () => {
  const open = () => openDatabase(b);
  // It stays: what it reads tells the platform nothing. An answer of the API has the status that is due.
  const reader = open();
  // After the first one nothing is due: the platform would look again in a minute.
  for (const id of [randomUUID(), randomUUID()]) {
    const writer = open();
    await writer`
      insert into device_requests (
        tenant_id, device_request_id, vendor, device_id, request_type, payload, dedupe_id, status, received_at, expires_at
      )
      values ('demo', ${id}, 'vendor_a', 'd', 'ask', '{}', ${id}, 'PENDING', now(), now())`;
    await writer.end();
    await vi.waitFor(
      async () =>
        expect(await reader`select status from device_requests where device_request_id = ${id}`).toEqual([
          { status: 'EXPIRED' },
        ]),
      { timeout: 60_000, interval: 50 },
    );
  }
  await reader.end();
});

test('refuses in one line a second command, and a platform that does not run', async () => {
  const profile = await newTenant('twice');
  // The open command keeps the first one waiting, until the test lets it expire: the device does not answer.
  const id = await newCommand(profile, { device_id: 'offline-1', timeout_seconds: 120 });
  const args = ['twice', '--to-url', b.baseUrl];
  let second: ReturnType<typeof runMove> | undefined;
  const first = await runMove(a, b, args, 'waiting for', async () => {
    second = runMove(a, b, args);
    await second;
    const source = openDatabase(a);
    await source`update commands set deadline_at = now() where command_id = ${id}`;
    await source.end();
  });
  expect(first.exitCode).toBe(0);
  expect(await second).toMatchObject({
    exitCode: 1,
    stderr: `Another command is moving a tenant of ${a.folder} now.\n`,
  });
  const stopped = { environment: { DATA_DIR: temporaryFolder() } };
  expect(await runMove(stopped, b, args)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`no platform is running in DATA_DIR ${stopped.environment.DATA_DIR}`),
  });
});
