import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createAccount, createUser } from '@nats-io/nkeys';
import { type Profile, signedRequest } from '@tenant-open-platform/testing';
import { type PrivateNats, startPrivateNats } from '@tenant-open-platform/testing/private-nats';
import { type PrivatePostgres, startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { type RunningServer, startServer } from '@tenant-open-platform/testing/start-server';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';

const topctl = fileURLToPath(new URL('../../cli/bin/topctl.mjs', import.meta.url));
const platformUser = createUser();

let folder: string;
let postgres: PrivatePostgres;
let nats: PrivateNats;
let server: RunningServer;

const platformAlone = `accounts { TOP { jetstream: enabled, users: [ { nkey: ${platformUser.getPublicKey()} } ] } }`;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'top-adapter-'));
  [postgres, nats] = await Promise.all([startPrivatePostgres(), startPrivateNats(platformAlone)]);
  server = await startServer({
    DATA_DIR: folder,
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    NATS_NKEY_SEED_FILE: seedFile('platform', platformUser),
    KEYRING: JSON.stringify({ primary: 'test', keys: { test: randomBytes(32).toString('base64') } }),
  });
});

afterAll(async () => {
  await server?.stop();
  await Promise.all([nats?.stop(), postgres?.stop()]);
  rmSync(folder, { recursive: true, force: true });
});

function seedFile(name: string, key: ReturnType<typeof createUser>): string {
  const file = join(folder, `${name}.nk`);
  writeFileSync(file, key.getSeed(), { mode: 0o600 });
  return file;
}

/** As docs/operating.md says. */
async function letPrincipalsIn(): Promise<void> {
  const { base_url, client_id, secret } = profile('platform-admin.json');
  const argv = [topctl, 'bus', 'render-config', '--platform-user-public-key', platformUser.getPublicKey()];
  const { stdout } = await promisify(execFile)(process.execPath, argv, {
    env: { PATH: process.env.PATH, TOP_BASE_URL: base_url, TOP_CLIENT_ID: client_id, TOP_SECRET: secret },
  });
  for (const _ of ['accounts', 'imports']) await nats.reconfigure(stdout);
}

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
  await letPrincipalsIn();
  const { log } = startAdapter({
    TENANT_ID: 'demo',
    VENDOR: 'vendor_a',
    NATS_NKEY_SEED_FILE: seedFile('adapter', key),
  });
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
