import { execFile, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { createAccount, createUser } from '@nats-io/nkeys';
import { connect, nkeyAuthenticator } from '@nats-io/transport-node';
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
let seeds: { demo: string; platform: string };

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
  seeds = { demo: await register('demo'), platform: await register('platform') };
  await letPrincipalsIn();
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

/** As in docs/nats.md. */
async function letPrincipalsIn(): Promise<void> {
  const { base_url, client_id, secret } = profile('platform-admin.json');
  const argv = [topctl, 'bus', 'render-config', '--platform-user-public-key', platformUser.getPublicKey()];
  const { stdout } = await promisify(execFile)(process.execPath, argv, {
    env: { PATH: process.env.PATH, TOP_BASE_URL: base_url, TOP_CLIENT_ID: client_id, TOP_SECRET: secret },
  });
  for (const _ of ['accounts', 'imports']) await nats.reconfigure(stdout);
}

const profile = (name: string): Profile => JSON.parse(readFileSync(join(folder, name), 'utf8'));

/** Registers a principal; returns the file with its seed. */
async function register(tenantId: string): Promise<string> {
  const key = createUser();
  const target = `/api/v1/platform/tenants/${tenantId}/bus/principals`;
  const body = {
    bus_user: 'adapter',
    bus_account_public_key: createAccount().getPublicKey(),
    bus_user_public_key: key.getPublicKey(),
    principal_type: 'SERVICE',
  };
  const registered = await signedRequest(profile('platform-admin.json'), 'POST', target, { body });
  expect(registered.status).toBe(201);
  return seedFile(`${tenantId}-adapter`, key);
}

/** As `npm start` in this folder runs it. Resolves when it reads commands. */
async function startAdapter(tenantId: 'demo' | 'platform', vendor = 'vendor_a') {
  const environment = { TENANT_ID: tenantId, VENDOR: vendor, NATS_NKEY_SEED_FILE: seeds[tenantId] };
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
  const stop = async () => {
    adapter.kill('SIGTERM');
    expect(await exited, log).toEqual([0, null]);
  };
  onTestFinished(stop);
  const logged = (text: string) => vi.waitFor(() => expect(log).toContain(text), { timeout: 20_000, interval: 5 });
  await logged(`Serving ${vendor} for ${tenantId}.`);
  return { log: () => log, logged, stop };
}

const commands = '/api/v1/open/downlink/commands';

async function send(command: object): Promise<string> {
  const body = { vendor: 'vendor_a', device_id: 'd-1', idempotency_key: randomBytes(8).toString('hex'), ...command };
  const accepted = await signedRequest(profile('demo.json'), 'POST', commands, { body });
  expect(accepted.status).toBe(202);
  return accepted.body.command_id;
}

const outcomeOf = (commandId: string) =>
  vi.waitFor(
    async () => {
      const { body } = await signedRequest(profile('demo.json'), 'GET', `${commands}/${commandId}`);
      expect(body.completed_at).not.toBeNull();
      return body;
    },
    { timeout: 25_000, interval: 100 },
  );

test('carries out commands of its tenant with the key of its principal, and reports the results', async () => {
  await startAdapter('demo');
  expect(await outcomeOf(await send({ command_type: 'reboot', payload: {} }))).toMatchObject({
    status: 'SUCCEEDED',
    adapter_status: 'DELIVERED',
    device_execution_status: 'SUCCEEDED',
    result: { uptime_seconds: 0 },
  });
  expect(await outcomeOf(await send({ command_type: 'set_power', payload: { power: 'on' } }))).toMatchObject({
    status: 'REJECTED',
    device_execution_status: 'REJECTED',
    status_reason: { code: 'DOOR_OPEN' },
  });
});

test('carries out commands of every tenant with the key of a principal of the tenant platform', async () => {
  await startAdapter('platform', 'vendor_b');
  const commandId = await send({ vendor: 'vendor_b', command_type: 'reboot', payload: {} });
  expect(await outcomeOf(commandId)).toMatchObject({ status: 'SUCCEEDED' });
});

test('carries out a command only once if it is redelivered meanwhile', async () => {
  const connection = await connect({
    servers: nats.url.slice('nats://'.length),
    authenticator: nkeyAuthenticator(platformUser.getSeed()),
  });
  onTestFinished(() => connection.close());
  const manager = await jetstreamManager(connection);
  const { log, logged } = await startAdapter('demo');
  const command = {
    command_id: randomUUID(),
    tenant_id: 'demo',
    vendor: 'vendor_a',
    device_id: 'd-again',
    command_type: 'reboot',
    payload: {},
    accepted_at: new Date().toISOString(),
    deadline_at: new Date(Date.now() + 30_000).toISOString(),
  };
  const twice = [1, 2].map(() =>
    jetstream(connection).publish('tenants.demo.commands.vendor_a', JSON.stringify(command)),
  );
  await Promise.all(twice);
  await logged('d-again: reboot');
  await vi.waitFor(
    async () => {
      const { num_pending, num_ack_pending } = await manager.consumers.info('TOP_COMMANDS', 'demo+vendor_a');
      expect([num_pending, num_ack_pending]).toEqual([0, 0]);
    },
    { timeout: 20_000 },
  );
  expect(log().match(/d-again: reboot/g)).toHaveLength(1);
});

test('on SIGTERM reports the results of commands in progress, and exits', async () => {
  const { logged, stop } = await startAdapter('demo');
  const commandId = await send({ device_id: 'd-last', command_type: 'reboot', payload: {} });
  await logged('d-last: reboot');
  await stop();
  expect(await outcomeOf(commandId)).toMatchObject({ status: 'SUCCEEDED' });
});
