import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
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

/** An adapter in a process of its own, whose devices write down what they do. */
export interface TestedAdapter {
  /** `reads` resolves when the adapter may be killed. */
  launch: (settings: { NATS_URL: string; TENANT_ID: string; VENDOR: string }) => {
    child: ChildProcess;
    reads: Promise<unknown>;
  };
  executions: () => Promise<Execution[]>;
}

export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** A Postgres, a nats-server, a node, and the adapter. */
export async function startKillable({ launch, executions }: TestedAdapter) {
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

  /** What the adapter has logged, of all processes. */
  const logged: string[] = [];
  const launchAdapter = async () => {
    const { child, reads } = launch({ NATS_URL: nats.url, TENANT_ID: tenantId, VENDOR: vendor });
    for (const output of [child.stdout, child.stderr]) {
      if (output) createInterface(output).on('line', (line) => logged.push(`${child.pid} ${line}`));
    }
    await reads;
    return child;
  };
  let adapter = await launchAdapter();
  atEnd(() => kill(adapter));

  const parts: Killable = {
    adapter: {
      kill: () => kill(adapter),
      start: async () => {
        adapter = await launchAdapter();
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
  return { client: clientOf(first.demo), parts, logged, executions };
}
