import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAccount, createUser } from '@nats-io/nkeys';
import { startPrivateNats } from '@tenant-open-platform/testing/private-nats';
import { startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import type { AdapterCounts } from './adapter.js';
import type { Build } from './builds.js';
import { type DatabaseFigures, openDatabaseFigures } from './database-figures.js';
import { fork, messageOf, type NodeProcess, startNode } from './node-process.js';
import { cpuMsOf } from './process-figures.js';
import { type Profile, post } from './sign.js';
import { temporaryPath } from './temporary-path.js';

const adapterFile = fileURLToPath(new URL('adapter.ts', import.meta.url));

/** The platform on a private Postgres and NATS. */
export type Platform = {
  /** The base URL of the node that receives the requests. */
  baseUrl: string;
  natsUrl: string;
  pid: number;
  demo: Profile;
  admin: Profile;
  database: DatabaseFigures;
  /** Another node on the same database and bus, of this build or another one. */
  startNode: (role: string, main?: string) => Promise<NodeProcess>;
  stopFirstNode: () => Promise<unknown>;
  registerPrincipal: (type: 'SERVICE' | 'CLIENT', tenantId?: string) => Promise<unknown>;
  /** Of tenant `demo`, or of another one; `platform` serves all. */
  startAdapter: (tenantId?: string) => Promise<void>;
  adapterCounts: () => Promise<AdapterCounts>;
  /** CPU time in ms so far, by process. */
  cpuMs: () => Record<string, number>;
  stop: () => Promise<void>;
};

export type PlatformOptions = { build: Build; roles?: string[]; environment?: Record<string, string> };

/** Starts a node of each role; the first one receives the requests. */
export async function startPlatform({ build, roles = ['all'], environment }: PlatformOptions): Promise<Platform> {
  const [postgres, nats] = await Promise.all([startPrivatePostgres(), startPrivateNats()]);
  const directory = temporaryPath('data');
  const keyring = JSON.stringify({ primary: 'bench', keys: { bench: randomBytes(32).toString('base64') } });
  const processes: Record<string, { pid: number; stop: () => Promise<void> }> = {};

  const startRole = async (role: string, main = build.main) => {
    const node = await startNode(main, {
      environment: {
        PORT: '0',
        DATA_DIR: directory,
        DATABASE_URL: postgres.url,
        NATS_URL: nats.url,
        KEYRING: keyring,
        ROLE: role,
        LOG_LEVEL: 'warn',
        REQUESTS_PER_MINUTE: '1000000000',
        ...environment,
      },
    });
    processes[main === build.main ? `node (${role})` : `other node (${role})`] = node;
    return node;
  };
  const [role = 'all', ...otherRoles] = roles;
  const { baseUrl, pid, stop: stopFirstNode } = await startRole(role);
  for (const other of otherRoles) await startRole(other);
  const profile = (name: string): Profile => JSON.parse(readFileSync(join(directory, name), 'utf8'));
  const [demo, admin] = [profile('demo.json'), profile('platform-admin.json')];
  let adapter: Awaited<ReturnType<typeof startAdapter>> | null = null;
  const database = openDatabaseFigures(postgres.superuserUrl);

  const registerPrincipal = (principal_type: 'SERVICE' | 'CLIENT', tenantId = demo.tenant_id) =>
    post(baseUrl, admin, `/api/v1/platform/tenants/${tenantId}/bus/principals`, {
      bus_user: 'bench',
      bus_account_public_key: createAccount().getPublicKey(),
      bus_user_public_key: createUser().getPublicKey(),
      principal_type,
    });

  return {
    baseUrl,
    natsUrl: nats.url,
    pid,
    demo,
    admin,
    database,
    startNode: startRole,
    stopFirstNode,
    registerPrincipal,
    async startAdapter(tenantId = demo.tenant_id) {
      // The platform then creates the durable of the adapter.
      await registerPrincipal('SERVICE', tenantId);
      const environment = { NATS_URL: nats.url, TENANT_ID: tenantId, VENDOR: 'vendor_a' };
      adapter = await startAdapter(environment);
      processes.adapter = adapter;
    },
    adapterCounts: () => adapter?.counts() ?? Promise.reject(new Error('There is no adapter.')),
    cpuMs: () => {
      const pids = Object.entries(processes).map(([name, { pid }]) => [name, pid] as const);
      const all = [...pids, ['Postgres', postgres.pid()] as const, ['nats-server', nats.pid()] as const];
      return Object.fromEntries(all.map(([name, pid]) => [name, cpuMsOf(pid)]));
    },
    stop: async () => {
      await database.close();
      for (const { stop } of Object.values(processes)) await stop();
      await Promise.all([postgres.stop(), nats.stop()]);
    },
  };
}

async function startAdapter(environment: Record<string, string>) {
  const { child, exited, message } = fork(adapterFile, { environment });
  await message;
  return {
    pid: child.pid ?? 0,
    counts: () => {
      const answer = messageOf(child) as Promise<AdapterCounts>;
      child.send('count');
      return answer;
    },
    stop: () => {
      child.kill('SIGTERM');
      return exited;
    },
  };
}
