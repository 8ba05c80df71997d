import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { Profile } from '@tenant-open-platform/testing';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { addMigration, makeVersion } from '@tenant-open-platform/testing/made-up-version';
import { startNatsCluster } from '@tenant-open-platform/testing/private-nats';
import { type PrivatePostgres, startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { type RunningServer, startServer } from '@tenant-open-platform/testing/start-server';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { registerEventReader } from './support/new-principal.js';
import { type Adapter, startAdapter } from './support/start-adapter.js';
import { startCaller } from './support/start-caller.js';
import { startHaproxy } from './support/start-haproxy.js';
import { storedCommands, storedWork } from './support/stored.js';
import { expectStreamsAsStored } from './support/streams.js';

const STREAMS = ['TOP_COMMANDS', 'TOP_REPLIES', 'TOP_UPDATES', 'TOP_EVENTS'];
const PER_SECOND = 50;
/** A failover manager needs a moment before it is sure that the primary is gone. */
const PROMOTED_AFTER_MS = 5_000;
const FROZEN_MS = 60_000;
const NATS_DOWN_MS = 20_000;
const soon = { timeout: 60_000, interval: 100 };

let folder: string;
let primary: PrivatePostgres;
let standby: PrivatePostgres;
let nats: Awaited<ReturnType<typeof startNatsCluster>>;
let connection: NatsConnection;
let manager: JetStreamManager;
let haproxy: Awaited<ReturnType<typeof startHaproxy>>;
let adapter: Adapter;
let demo: Profile;
let environment: Record<string, string>;
/** Two nodes that answer requests, then two workers. */
let nodes: { role: 'api' | 'worker'; port: number; server: RunningServer }[];
const servers: PrivatePostgres[] = [];
const table: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'top-cluster-'));
  primary = await startPrivatePostgres({ settings: { synchronous_standby_names: '*' } });
  standby = await primary.startStandby();
  servers.push(primary, standby);
  nats = await startNatsCluster();
  const natsUrls = nats.map(({ url }) => url);
  connection = await connect({ servers: natsUrls, maxReconnectAttempts: -1, reconnectTimeWait: 250 });
  manager = await vi.waitFor(() => jetstreamManager(connection), soon);
  const hostOf = ({ url }: PrivatePostgres) => new URL(url).host;
  environment = {
    DATA_DIR: folder,
    DATABASE_URL: primary.url.replace(hostOf(primary), `${hostOf(primary)},${hostOf(standby)}`),
    NATS_URL: natsUrls.join(),
    KEYRING: JSON.stringify({ primary: 'test', keys: { test: randomBytes(32).toString('base64') } }),
    REQUESTS_PER_MINUTE: '1000000',
    TRUST_PROXY: '1',
    LOG_LEVEL: 'warn',
  };
  nodes = [];
  for (const role of ['api', 'api', 'worker', 'worker'] as const) {
    const port = await freePort();
    nodes.push({ role, port, server: await startNode({ role, port }) });
  }
  haproxy = await startHaproxy(nodes.flatMap(({ role, port }) => (role === 'api' ? [port] : [])));
  adapter = await startAdapter(environment.NATS_URL as string);
  const profile = (file: string) => ({
    ...JSON.parse(readFileSync(join(folder, file), 'utf8')),
    base_url: haproxy.url,
  });
  demo = profile('demo.json');
  await registerEventReader(profile('platform-admin.json'));
});

afterAll(async () => {
  console.log(
    [
      '| fault | commands | retries of the SDK | calls that failed after them | longest pause in accepting | in outcomes | handed over twice | ended as RESTORED |',
      '|---|---:|---:|---:|---:|---:|---:|---:|',
      ...table,
    ].join('\n'),
  );
  await adapter?.stop();
  await haproxy?.stop();
  await Promise.all(nodes.map(({ server }) => server.stop()));
  await connection?.close();
  await Promise.all([...servers, ...nats].map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
});

const startNode = ({ role, port }: { role: string; port: number }, main?: string) =>
  startServer({ ...environment, ROLE: role, PORT: String(port) }, main);

const ready = async (): Promise<void> => {
  for (const { port } of nodes) expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
};

/** Every copy of every stream is up to date. */
const copied = async (): Promise<void> => {
  for (const name of STREAMS) {
    const { cluster } = await manager.streams.info(name);
    expect(cluster?.replicas?.map(({ current, offline }) => current && !offline)).toEqual([true, true]);
  }
};

/** The longest time between two of these instants. */
const longestPause = (instants: number[]): string => {
  const sorted = instants.toSorted((a, b) => a - b);
  const gaps = sorted.slice(1).map((at, index) => at - (sorted[index] as number));
  return `${(Math.max(...gaps) / 1_000).toFixed(1)} s`;
};

/** Commands arrive all the time: before the fault, while it lasts, and for ten seconds after it. */
async function survives(fault: string, strike: () => Promise<void>, isPromotion = false): Promise<void> {
  await vi.waitFor(ready, soon);
  await vi.waitFor(copied, soon);
  const caller = startCaller(demo, { perSecond: PER_SECOND });
  const acceptsMore = async (seconds: number) => {
    const enough = caller.accepted() + seconds * PER_SECOND;
    await vi.waitFor(() => expect(caller.accepted()).toBeGreaterThanOrEqual(enough), {
      timeout: 120_000,
      interval: 50,
    });
  };
  await acceptsMore(5);
  const deliveredBefore = adapter.received.length;
  await strike();
  await acceptsMore(10);
  const { accepted, retries, failures } = await caller.stop();

  const nothing = { commands: 0, outbox: 0, unpublished_events: 0 };
  await vi.waitFor(async () => expect(await storedWork(primary.url)).toEqual(nothing), {
    timeout: 330_000,
    interval: 250,
  });
  const stored = new Map((await storedCommands(primary.url, demo.tenant_id)).map((one) => [one.command_id, one]));
  const found = accepted.map(({ commandId }) => stored.get(commandId));
  const delivered = adapter.received.slice(deliveredBefore);
  // A promotion is another history: what the old one may have sent is not sent again. Its end comes with the deadline.
  const restored = found.filter((command) => command?.reason === 'RESTORED');
  const completedAtMs = found.flatMap((command) =>
    restored.includes(command) ? [] : (command?.completed_at?.getTime() ?? []),
  );
  table.push(
    `| ${fault} | ${accepted.length} | ${retries} | ${failures} | ${longestPause(accepted.map(({ acceptedAtMs }) => acceptedAtMs))} | ${longestPause(completedAtMs)} | ${delivered.length - new Set(delivered).size} | ${restored.length} |`,
  );
  const wrong = accepted.flatMap(({ idempotencyKey }, index) => {
    const command = found[index];
    const { status, accepted_events, completed_events, outbox_rows } = command ?? {};
    const isRight =
      command?.idempotency_key === idempotencyKey &&
      status === (isPromotion && restored.includes(command) ? 'TIMED_OUT' : 'SUCCEEDED') &&
      accepted_events === 1 &&
      completed_events === 1 &&
      outbox_rows === 0;
    return isRight ? [] : [{ idempotencyKey, command }];
  });
  expect(wrong).toEqual([]);
  // Those that waited for the relay at that moment: a few of a hundred a second.
  expect(restored.length).toBeLessThan(PER_SECOND);
  await expectStreamsAsStored((nats[0] as { url: string }).url, primary.url, { isCluster: true });
}

const LONG = 600_000;

test('the leader of each stream is killed, one after the other', { timeout: LONG }, () =>
  survives('NATS: the leader of each of the four streams killed in turn', async () => {
    for (const name of STREAMS) {
      await vi.waitFor(copied, soon);
      const leader = (await manager.streams.info(name)).cluster?.leader;
      const lost = nats.find((server) => server.name === leader);
      if (!lost) throw new Error(`${name} has no leader.`);
      process.kill(lost.pid(), 'SIGKILL');
      await lost.suspend();
      const led = async () => expect((await manager.streams.info(name)).cluster?.leader).not.toBe(leader);
      await vi.waitFor(led, soon);
      await lost.resume();
    }
    await vi.waitFor(copied, soon);
  }),
);

test('the primary of Postgres is killed and its synchronous standby is promoted', { timeout: LONG }, () =>
  survives(
    `Postgres: the primary killed, the standby promoted ${PROMOTED_AFTER_MS / 1_000} s later`,
    async () => {
      await primary.kill();
      await delay(PROMOTED_AFTER_MS);
      await standby.promote();
      primary = standby;
      standby = await primary.startStandby();
      servers.push(standby);
      const sql = postgres(primary.superuserUrl, { max: 1 });
      await sql`alter system set synchronous_standby_names = '*'`;
      await sql`select pg_reload_conf()`;
      await sql.end();
    },
    true,
  ),
);

test('the process that relays is frozen', { timeout: LONG }, () =>
  survives(`the worker that relays frozen for ${FROZEN_MS / 1_000} s`, async () => {
    const pid = await freezeLeader();
    await delay(FROZEN_MS);
    process.kill(pid, 'SIGCONT');
  }),
);

/** The leader renews its lease every second: a frozen process whose lease is not renewed is the leader. */
async function freezeLeader(): Promise<number> {
  const sql = postgres(primary.superuserUrl, { max: 1 });
  const end = async () =>
    (await sql<{ end: string }[]>`select owned_until::text as end from slots where slot = 0`)[0]?.end;
  try {
    for (const { server } of nodes.filter(({ role }) => role === 'worker')) {
      const pid = server.process.pid as number;
      process.kill(pid, 'SIGSTOP');
      const before = await end();
      await delay(3_000);
      if ((await end()) === before) return pid;
      process.kill(pid, 'SIGCONT');
    }
    throw new Error('No worker holds the lease.');
  } finally {
    await sql.end();
  }
}

/**
 * A made-up later version. Its migration adds a column, an index and a function under the next name, which its nodes call:
 * nodes of this version go on calling the old one.
 */
function makeLaterVersion(): string {
  const later = join(folder, 'later');
  makeVersion(later, '999.0.0', (drizzle) => {
    const rename = (text: string) => text.replaceAll('admit_requests_v1', 'admit_requests_v2');
    const admission = rename(readFileSync(join(drizzle, 'functions/admit_requests_v1.sql'), 'utf8'));
    addMigration(drizzle, '9998_later', `ALTER TABLE "commands" ADD COLUMN "later" text;\n${admission}`);
    const index = `DROP INDEX CONCURRENTLY IF EXISTS "later";--> statement-breakpoint
      CREATE INDEX CONCURRENTLY "later" ON "commands" ("later");`;
    addMigration(drizzle, '9999_later', index);
    for (const name of readdirSync(join(later, 'dist')).filter((file) => file.endsWith('.js'))) {
      const file = join(later, 'dist', name);
      writeFileSync(file, rename(readFileSync(file, 'utf8')));
    }
  });
  return join(later, 'dist/main.js');
}

test('nodes of a later version replace those of this one, half of them first', { timeout: 2 * LONG }, async () => {
  const main = makeLaterVersion();
  const replace = async (...numbers: number[]) => {
    for (const node of nodes.filter((_, number) => numbers.includes(number))) {
      await node.server.stop();
      node.server = await startNode(node, main);
    }
  };
  // Afterwards a node and a worker of each version work side by side.
  await survives('a node and a worker replaced by a later version', () => replace(0, 2));
  await survives('the other node and the other worker replaced by it', () => replace(1, 3));
});

test('all of NATS is down', { timeout: LONG }, () =>
  survives(`NATS: all three servers killed, started again after ${NATS_DOWN_MS / 1_000} s`, async () => {
    for (const server of nats) process.kill(server.pid(), 'SIGKILL');
    await Promise.all(nats.map((server) => server.suspend()));
    await delay(NATS_DOWN_MS);
    await Promise.all(nats.map((server) => server.resume()));
  }),
);
