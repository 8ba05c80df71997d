import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createAccount, createUser } from '@nats-io/nkeys';
import { atEnd, newKeyring, startNode, temporaryFolder, unlimited } from '@tenant-open-platform/testing';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { type RunningServer, startServer } from '@tenant-open-platform/testing/start-server';
import { TenantOpenPlatform } from '../src/index.js';
import type { Execution } from './lies.js';

export const PARTS = ['adapter', 'nats', 'platform'] as const;
export type Part = (typeof PARTS)[number];

/** One of the parts: `kill` resolves when the process is gone, `start` when the next one may be killed. */
export type Killable = Record<Part, { kill: () => Promise<void>; start: () => Promise<void> }>;

export const vendor = 'vendor_a';

/** A program of this folder, by itself, with the packages as built. */
function launch(program: string, environment: Record<string, string> = {}): ChildProcess {
  const { PATH, HOME, TMPDIR } = process.env;
  return fork(join(import.meta.dirname, program), {
    cwd: import.meta.dirname,
    execArgv: program.endsWith('.ts') ? ['--import', 'tsx'] : [],
    env: { PATH, HOME, TMPDIR, ...environment },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** A Postgres, a nats-server, a node, and an adapter in a process of its own, whose devices write down what they do. */
export async function startKillable() {
  const [postgres, nats] = await Promise.all([ownPostgres(), ownNats()]);
  const environment = {
    ...unlimited,
    DATA_DIR: temporaryFolder(),
    DATABASE_URL: postgres.url,
    KEYRING: newKeyring(),
    NATS_URL: nats.url,
    PORT: String(await freePort()),
  };
  const first = await startNode(environment);
  let node: RunningServer = first;
  atEnd(() => node.stop());
  const clientOf = ({ base_url, client_id, secret }: typeof first.demo) =>
    new TenantOpenPlatform({ baseUrl: base_url, clientId: client_id, secret, logLevel: 'off' });
  const tenantId = first.demo.tenant_id;
  await clientOf(first.admin).busPrincipals.create(tenantId, {
    bus_user: 'adapter',
    bus_account_public_key: createAccount().getPublicKey(),
    bus_user_public_key: createUser().getPublicKey(),
    principal_type: 'SERVICE',
    vendors: [vendor],
  });

  const recorder = launch('recorder-process.ts');
  atEnd(() => kill(recorder));
  const [port] = await once(recorder, 'message');
  const devices = `http://127.0.0.1:${port}`;

  /** What the kit has logged, of all processes. */
  const logged: string[] = [];
  const launchAdapter = () => {
    const settings = { SERVERS: nats.url, TENANT_ID: tenantId, VENDOR: vendor, DEVICES: devices };
    const child = launch('recorded-adapter-process.mjs', settings);
    if (child.stdout) createInterface(child.stdout).on('line', (line) => logged.push(`${child.pid} ${line}`));
    return child;
  };
  let adapter = launchAdapter();
  await once(adapter, 'message');
  atEnd(() => kill(adapter));

  const parts: Killable = {
    adapter: {
      kill: () => kill(adapter),
      start: async () => {
        adapter = launchAdapter();
        await once(adapter, 'message');
      },
    },
    nats: {
      kill: async () => {
        process.kill(nats.pid(), 'SIGKILL');
        // It waits for the end of the process.
        await nats.suspend();
      },
      start: () => nats.resume(),
    },
    platform: {
      kill: () => kill(node.process),
      start: async () => {
        node = await startServer(environment);
      },
    },
  };
  return {
    client: clientOf(first.demo),
    parts,
    logged,
    executions: async () => (await (await fetch(devices)).json()) as Execution[],
  };
}
