import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount, createUser } from '@nats-io/nkeys';
import { type Profile, signedRequest } from '@tenant-open-platform/testing';
import { type PrivateNats, startPrivateNats } from '@tenant-open-platform/testing/private-nats';
import { type PrivatePostgres, startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { type RunningServer, startServer } from '@tenant-open-platform/testing/start-server';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';

let folder: string;
let postgres: PrivatePostgres;
let nats: PrivateNats;
let server: RunningServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'top-adapter-'));
  [postgres, nats] = await Promise.all([startPrivatePostgres(), startPrivateNats()]);
  server = await startServer({
    DATA_DIR: folder,
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    KEYRING: JSON.stringify({ primary: 'test', keys: { test: randomBytes(32).toString('base64') } }),
  });
});

afterAll(async () => {
  await server?.stop();
  await Promise.all([nats?.stop(), postgres?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

const profile = (name: string): Profile => JSON.parse(readFileSync(join(folder, name), 'utf8'));

/** As `npm start` in this folder runs it. */
function startAdapter(environment: Record<string, string>): { log: () => string } {
  const adapter = spawn(process.execPath, ['--import', 'tsx', 'adapter.ts'], {
    cwd: import.meta.dirname,
    env: { PATH: process.env.PATH, NATS_URL: nats.url, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const exited = once(adapter, 'exit');
  let log = '';
  adapter.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text;
  });
  onTestFinished(async () => {
    adapter.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
  });
  return { log: () => log };
}

async function outcomeOf(command: object) {
  const demo = profile('demo.json');
  const commands = '/api/v1/open/downlink/commands';
  const body = { vendor: 'vendor_a', device_id: 'd-1', idempotency_key: randomBytes(8).toString('hex'), ...command };
  const accepted = await signedRequest(demo, 'POST', commands, { body });
  expect(accepted.status).toBe(202);
  return vi.waitFor(
    async () => {
      const { body: found } = await signedRequest(demo, 'GET', `${commands}/${accepted.body.command_id}`);
      expect(found.completed_at).not.toBeNull();
      return found;
    },
    { timeout: 25_000, interval: 100 },
  );
}

test('carries out commands of its tenant with the key of its principal, and tells what became of them', async () => {
  const key = createUser();
  const seedFile = join(folder, 'adapter.nk');
  writeFileSync(seedFile, key.getSeed(), { mode: 0o600 });
  const { log } = startAdapter({ TENANT_ID: 'demo', VENDOR: 'vendor_a', NATS_NKEY_SEED_FILE: seedFile });
  await vi.waitFor(() => expect(log()).toContain('No commands to read yet'), { timeout: 20_000 });

  const registered = await signedRequest(
    profile('platform-admin.json'),
    'POST',
    '/api/v1/platform/tenants/demo/bus/principals',
    {
      body: {
        bus_user: 'demo-adapter',
        bus_account_public_key: createAccount().getPublicKey(),
        bus_user_public_key: key.getPublicKey(),
        principal_type: 'SERVICE',
      },
    },
  );
  expect(registered.status).toBe(201);
  await vi.waitFor(() => expect(log()).toContain('Serving vendor_a for demo.'), { timeout: 20_000 });

  expect(await outcomeOf({ command_type: 'reboot', payload: {} })).toMatchObject({
    status: 'SUCCEEDED',
    adapter_status: 'DELIVERED',
    device_execution_status: 'SUCCEEDED',
    result: { uptime_seconds: 0 },
  });
  expect(await outcomeOf({ command_type: 'set_power', payload: { power: 'on' } })).toMatchObject({
    status: 'REJECTED',
    device_execution_status: 'REJECTED',
    status_reason: { code: 'DOOR_OPEN' },
  });
});
