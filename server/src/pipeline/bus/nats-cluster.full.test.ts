import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { newKeyring, type Profile, signedRequest, temporaryFolder } from '@tenant-open-platform/testing';
import { type PrivateNats, startNatsCluster } from '@tenant-open-platform/testing/private-nats';
import { startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { type RunningServer, ServerExited, startServer } from '@tenant-open-platform/testing/start-server';
import { expect, type TestContext, test, vi } from 'vitest';
import { COMMANDS, completed, newCommand } from '../../../test/support/commands.js';

const STREAMS = ['TOP_COMMANDS', 'TOP_REPLIES', 'TOP_UPDATES', 'TOP_EVENTS'];

/** A cluster, a Postgres and a folder of one test: the tests wait long, so they run at the same time. */
async function startCluster(context: TestContext, options: { isLastLate?: boolean } = {}) {
  const folder = temporaryFolder(context);
  const servers: RunningServer[] = [];
  const [postgres, cluster] = await Promise.all([startPrivatePostgres(), startNatsCluster(options)]);
  const urls = cluster.map(({ url }) => url);
  const connection = await connect({ servers: urls, maxReconnectAttempts: -1, reconnectTimeWait: 250 });
  context.onTestFinished(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await connection.close();
    await Promise.all([postgres, ...cluster].map((server) => server.stop()));
  }, 60_000);
  const { streams } = await vi.waitFor(() => jetstreamManager(connection), { timeout: 60_000, interval: 250 });
  const environment = {
    DATA_DIR: folder,
    DATABASE_URL: postgres.url,
    NATS_URL: urls.join(),
    KEYRING: newKeyring(),
    REQUESTS_PER_MINUTE: '1000000',
  };
  return {
    cluster,
    streams,
    async start(more: Record<string, string>): Promise<{ server: RunningServer; demo: Profile }> {
      const starting = () => startServer({ ...environment, ...more });
      // On busy cores a stream may have no leader for longer than a start waits.
      const server = await starting().catch((error) => {
        if (error instanceof ServerExited && error.stderr.includes('JetStream')) return starting();
        throw error;
      });
      servers.push(server);
      const demo = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'));
      return { server, demo: { ...demo, base_url: server.baseUrl } };
    },
    /** Ready soon after the last stream has its leader. */
    async expectReadyAgain(server: RunningServer): Promise<void> {
      const led = async () => {
        const infos = await Promise.all(STREAMS.map((name) => streams.info(name)));
        for (const { cluster } of infos) expect(cluster?.leader).toBeTruthy();
      };
      await vi.waitFor(led, { timeout: 60_000, interval: 250 });
      await expectReadiness(server, READY);
    },
  };
}

const readiness = async ({ baseUrl }: RunningServer) => (await fetch(`${baseUrl}/readyz`)).json();

const expectReadiness = (server: RunningServer, state: object) =>
  vi.waitFor(async () => expect(await readiness(server)).toEqual(state), { timeout: 60_000, interval: 100 });

const READY = { status: 'ready' };

async function accepts(demo: Profile): Promise<void> {
  const body = { vendor: 'vendor_a', device_id: 'd-1', command_type: 'reboot', payload: {} };
  const answer = await signedRequest(demo, 'POST', COMMANDS, { body: { ...body, idempotency_key: randomUUID() } });
  expect(answer.status).toBe(202);
}

/** Ends them without giving them time to hand over. */
async function kill(lost: PrivateNats[]): Promise<void> {
  for (const server of lost) process.kill(server.pid(), 'SIGKILL');
  await Promise.all(lost.map((server) => server.suspend()));
}

const revive = (lost: PrivateNats[]) => Promise.all(lost.map((server) => server.resume()));

test.concurrent('without a quorum of JetStream it is unready and accepts commands, and a process that has to start meanwhile waits', async (context) => {
  const { cluster, start, expectReadyAgain } = await startCluster(context);
  const { server, demo } = await start({ WORKERS: '2', SIMULATED_FLEET: 'true' });
  await expectReadyAgain(server);

  const lost = cluster.slice(1);
  await kill(lost);
  await expectReadiness(server, {
    status: 'unready',
    reason: expect.stringMatching(/^api-\d: .*(JetStream does not|has no leader|most copies)/),
  });
  await accepts(demo);

  const log = () =>
    server
      .stderr()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  const { pid } = log().find(({ process, msg }) => process === 'worker' && msg === 'ready');
  process.kill(pid, 'SIGKILL');
  const failedStarts = () =>
    log().flatMap(({ process, msg, reason }) =>
      process === 'worker' && msg === 'a process of the platform did not start' ? [reason] : [],
    );
  // Five starts that fail for another reason end the platform.
  await vi.waitFor(() => expect(failedStarts().length).toBeGreaterThan(5), { timeout: 300_000, interval: 250 });
  for (const reason of failedStarts()) expect(reason).toMatch(/^NATS .* does not.*[^\n]$/);
  await accepts(demo);

  await revive(lost);
  await expectReadyAgain(server);
  expect((await completed(demo, await newCommand(demo, { timeout_seconds: 300 }))).status).toBe('SUCCEEDED');
}, 700_000);

test.concurrent('without the only copy of a stream every node is unready, one that only answers requests too, and accepts commands', async (context) => {
  const { cluster, streams, start, expectReadyAgain } = await startCluster(context);
  const nodes = [await start({ NATS_REPLICAS: '1' }), await start({ NATS_REPLICAS: '1', ROLE: 'api' })];
  for (const { server } of nodes) await expectReadyAgain(server);

  const lost = await vi.waitFor(
    async () => {
      const leader = (await streams.info('TOP_EVENTS')).cluster?.leader;
      const found = cluster.filter(({ name }) => name === leader);
      expect(found).toHaveLength(1);
      return found;
    },
    { timeout: 60_000, interval: 250 },
  );
  await kill(lost);
  for (const { server, demo } of nodes) {
    await expectReadiness(server, { status: 'unready', reason: expect.stringMatching(/the stream TOP_/) });
    await accepts(demo);
  }
  await revive(lost);
  for (const { server } of nodes) await expectReadyAgain(server);
}, 200_000);

test.concurrent('a cluster that has room for three copies later gets them within a minute; until then the metrics say so', async (context) => {
  // From nats-server 2.12 on, a server that is down but known gets a copy too.
  const { cluster, start } = await startCluster(context, { isLastLate: true });
  const { server } = await start({});
  const singleCopies = async () =>
    /^top_bus_single_copies (.*)$/m.exec(await (await fetch(`${server.baseUrl}/metrics`)).text())?.[1];
  await expect.poll(singleCopies, { timeout: 60_000 }).toBe('4');
  const warned = () => expect(server.stderr()).toContain('streams of the NATS cluster have one copy');
  await vi.waitFor(warned, { timeout: 60_000 });
  await revive(cluster.slice(2));
  await vi.waitFor(async () => expect(await singleCopies()).toBe('0'), { timeout: 150_000, interval: 250 });
}, 260_000);
