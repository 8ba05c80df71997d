import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { jetstreamManager } from '@nats-io/jetstream';
import { createAccount, createUser } from '@nats-io/nkeys';
import { connect, nkeyAuthenticator } from '@nats-io/transport-node';
import { atEnd, signedRequest, startNode, temporaryFolder } from '@tenant-open-platform/testing';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, onTestFinished, vi } from 'vitest';

const topctl = fileURLToPath(new URL('../../cli/bin/topctl.mjs', import.meta.url));
const commands = '/api/v1/open/downlink/commands';

type AdapterOptions = {
  argv: string[];
  tenantId?: 'demo' | 'platform';
  vendor?: string;
  /** The file with the seed of its principal. */
  seed?: string;
  environment?: Record<string, string>;
};

/**
 * A platform with NATS accounts, and a registered principal of the tenants `demo` and `platform`, for the calling file
 * (see `atEnd`).
 */
export async function startPlatform() {
  const folder = temporaryFolder();
  // Adapters run in the folder, and find tsx there.
  symlinkSync(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'));
  const platformUser = createUser();
  const platformAlone = `accounts { TOP { jetstream: enabled, users: [ { nkey: ${platformUser.getPublicKey()} } ] } }`;
  const [postgres, nats] = await Promise.all([ownPostgres(), ownNats(platformAlone)]);
  const { admin, demo } = await startNode({
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    NATS_NKEY_SEED_FILE: seedFile('platform', platformUser),
  });
  const seeds = { demo: await register('demo'), platform: await register('platform') };
  await letPrincipalsIn();

  function seedFile(name: string, key: ReturnType<typeof createUser>): string {
    const file = join(folder, `${name}.nk`);
    writeFileSync(file, key.getSeed(), { mode: 0o600 });
    return file;
  }

  /** As in docs/nats.md. */
  async function letPrincipalsIn(): Promise<void> {
    const argv = [topctl, 'bus', 'render-config', '--platform-user-public-key', platformUser.getPublicKey()];
    const { base_url, client_id, secret } = admin;
    const { stdout } = await promisify(execFile)(process.execPath, argv, {
      env: { PATH: process.env.PATH, TOP_BASE_URL: base_url, TOP_CLIENT_ID: client_id, TOP_SECRET: secret },
    });
    for (const _ of ['accounts', 'imports']) await nats.reconfigure(stdout);
  }

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
    const registered = await signedRequest(admin, 'POST', target, { body });
    expect(registered.status).toBe(201);
    return seedFile(`${tenantId}-adapter`, key);
  }

  /** Resolves when NATS has given the adapter all commands, and it has not acknowledged this many of them. */
  async function taken(count: number): Promise<void> {
    const servers = nats.url.slice('nats://'.length);
    const connection = await connect({ servers, authenticator: nkeyAuthenticator(platformUser.getSeed()) });
    atEnd(() => connection.close());
    const { consumers } = await jetstreamManager(connection);
    const info = () => consumers.info('TOP_COMMANDS', 'demo+vendor_a');
    const waiting = async () => expect(await info()).toMatchObject({ num_ack_pending: count, num_pending: 0 });
    await vi.waitFor(waiting, { timeout: 60_000, interval: 50 });
  }

  async function send(command: object): Promise<string> {
    const idempotency_key = randomBytes(8).toString('hex');
    const body = { vendor: 'vendor_a', device_id: 'demo-1', command_type: 'reboot', payload: {}, idempotency_key };
    const accepted = await signedRequest(demo, 'POST', commands, { body: { ...body, ...command } });
    expect(accepted.status).toBe(202);
    return accepted.body.command_id;
  }

  /** A command that is on the bus while nobody reads. */
  async function sendAhead(command: object): Promise<string> {
    const commandId = await send(command);
    await vi.waitFor(async () => expect(await read(commandId)).toMatchObject({ adapter_status: 'SENT' }), {
      timeout: 60_000,
      interval: 100,
    });
    return commandId;
  }

  const read = async (commandId: string) => (await signedRequest(demo, 'GET', `${commands}/${commandId}`)).body;

  /** The record of a command once this field has a value. */
  const recordWith = (commandId: string, field: string) =>
    vi.waitFor(
      async () => {
        const body = await read(commandId);
        expect(body[field]).not.toBeNull();
        return body;
      },
      { timeout: 90_000, interval: 100 },
    );
  return {
    nats,
    admin,
    demo,
    folder,
    platformUser,
    seeds,
    seedFile,
    taken,
    send,
    sendAhead,
    read,
    outcomeOf: (commandId: string) => recordWith(commandId, 'completed_at'),
    lateResultOf: async (commandId: string) => (await recordWith(commandId, 'late_result')).late_result,
    /** Runs an adapter in a process of its own. */
    async startAdapter({
      argv: [program = '', ...parameters],
      tenantId = 'demo',
      vendor = 'vendor_a',
      seed = seeds[tenantId],
      environment = {},
    }: AdapterOptions) {
      const adapter = spawn(program, parameters, {
        cwd: folder,
        env: {
          PATH: process.env.PATH,
          NATS_URL: nats.url,
          TENANT_ID: tenantId,
          VENDOR: vendor,
          NATS_NKEY_SEED_FILE: seed,
          ...environment,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const exited = once(adapter, 'exit');
      let log = '';
      for (const output of [adapter.stdout, adapter.stderr]) {
        output.setEncoding('utf8').on('data', (text: string) => {
          log += text;
        });
      }
      const stop = async () => {
        adapter.kill('SIGTERM');
        expect(await exited, log).toEqual([0, null]);
      };
      const logged = (text: string) => vi.waitFor(() => expect(log).toContain(text), { timeout: 90_000, interval: 5 });
      onTestFinished(() => void adapter.kill('SIGKILL'));
      return { pid: adapter.pid as number, log: () => log, logged, stop, exited };
    },
  };
}
