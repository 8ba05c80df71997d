import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { newKeyring, type Profile, temporaryFolder, unlimited } from '@tenant-open-platform/testing';
import { startPrivateNats } from '@tenant-open-platform/testing/private-nats';
import { startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { type RunningServer, ServerExited, startServer } from '@tenant-open-platform/testing/start-server';
import { expect, type TestContext, test, vi } from 'vitest';
import { completed, newCommand } from '../../../test/support/commands.js';
import { isAccepted, startLoad } from '../../../test/support/load.js';
import { registerEventReader } from '../../../test/support/new-principal.js';
import { startAdapter } from '../../../test/support/start-adapter.js';
import { storedCommands, storedWork } from '../../../test/support/stored.js';
import { expectStreamsAsStored } from '../../../test/support/streams.js';

// They share the cores.
vi.setConfig({ testTimeout: 240_000 });

/** A nats-server and a folder of one test: the tests wait long, so they run at the same time. */
async function startNats(context: TestContext) {
  const folder = temporaryFolder(context);
  const nats = await startPrivateNats();
  context.onTestFinished(nats.stop);
  const start = (environment: Record<string, string> = {}) =>
    startServer({ DATA_DIR: folder, NATS_URL: nats.url, ...environment });
  return { folder, nats, start };
}

type Start = Awaited<ReturnType<typeof startNats>>['start'];

async function refusal(start: Start, environment: Record<string, string>): Promise<string> {
  const outcome = await start(environment).catch((error: unknown) => error);
  if (!(outcome instanceof ServerExited)) throw new Error('The server started.', { cause: outcome });
  expect([outcome.exitCode, outcome.stderr.trimEnd().split('\n').length]).toEqual([1, 1]);
  return outcome.stderr;
}

const readiness = async ({ baseUrl }: RunningServer) => (await fetch(`${baseUrl}/readyz`)).json();
const expectReady = (servers: RunningServer[], reason?: string) =>
  vi.waitFor(
    async () => {
      for (const one of servers) {
        expect(await readiness(one)).toEqual(reason ? { status: 'unready', reason } : { status: 'ready' });
      }
    },
    { timeout: 60_000, interval: 50 },
  );

/** Longer than a leader waits for another one, and than a loop may hang before its process is unready. */
const AWAY_MS = 20_000;
const SHORT_SECONDS = 5;
/** A batch in flight when NATS goes away may include commands of that moment. */
const UNDER_WAY_MS = 1_000;
/** More than a batch of each deadline. */
const SENT_WHILE_AWAY = 600;

/** Half of the commands have deadlines after the time without NATS, half before. */
const inTurn = () => {
  let number = 0;
  return () => ({ timeout_seconds: number++ % 2 === 0 ? SHORT_SECONDS : 300 });
};

/** Nodes on one Postgres, and the operator of their tenant. */
async function startNodes(
  { onTestFinished }: TestContext,
  { folder, start }: { folder: string; start: Start },
  ...environments: Record<string, string>[]
) {
  const postgres = await startPrivatePostgres();
  const servers: RunningServer[] = [];
  onTestFinished(async () => {
    await Promise.all(servers.map((one) => one.stop()));
    await postgres.stop();
  });
  const shared = {
    DATABASE_URL: postgres.url,
    KEYRING: newKeyring(),
    ...unlimited,
  };
  for (const [index, own] of environments.entries()) {
    servers.push(await start({ ...shared, DATA_DIR: join(folder, String(index)), ...own }));
  }
  const profile = (file: string): Profile => JSON.parse(readFileSync(join(folder, '0', file), 'utf8'));
  return { postgres, servers, demo: profile('demo.json'), admin: profile('platform-admin.json') };
}

test('twenty seconds without NATS under load: all commands are accepted, those still due then leave in order, the rest expire; and nodes stop without NATS', async (context) => {
  const own = await startNats(context);
  const { nats } = own;
  const { postgres, servers, demo, admin } = await startNodes(context, own, {}, {});
  await registerEventReader(admin);
  const adapter = await startAdapter(nats.url);
  context.onTestFinished(() => adapter.stop());
  await expectReady(servers);

  let turn = 0;
  const load = startLoad(demo, () => servers[turn++ % 2]?.baseUrl as string, {
    writers: 25,
    readers: 6,
    restMs: 200,
    command: inTurn(),
  });
  await load.seen(100, isAccepted);
  await nats.suspend();
  await expectReady(servers, 'the bus does not answer');
  const goneSince = Date.now();
  const until = (time: number) => load.seen(1, (sent) => isAccepted(sent) && Date.now() > time);
  await until(goneSince + UNDER_WAY_MS);
  await load.seen(SENT_WHILE_AWAY, isAccepted);
  await until(Math.max(goneSince + AWAY_MS, Date.now() + SHORT_SECONDS * 1_000));
  const backSince = Date.now();
  const sentWhileAway = load.sent.length;
  await nats.resume();
  await expectReady(servers);
  await load.seen(100, isAccepted);
  const sent = await load.stop();
  await vi.waitFor(
    async () => expect(await storedWork(postgres.url)).toEqual({ commands: 0, outbox: 0, unpublished_events: 0 }),
    {
      timeout: 60_000,
      interval: 250,
    },
  );

  for (const [index, { kind, answer, milliseconds }] of sent.entries()) {
    // Once NATS is back, a command that would expire behind the backlog is refused.
    const isOverload = kind === 'write' && index >= sentWhileAway && answer?.status === 503;
    if (isOverload) expect(answer?.headers['retry-after']).toMatch(/^[1-9]\d*$/);
    else expect(answer?.status).toBe({ write: 202, read: 200, forged: 401 }[kind]);
    expect(milliseconds).toBeLessThan(15_000);
  }
  const onStream = await expectStreamsAsStored(nats.url, postgres.url);
  const stored = new Map(
    (await storedCommands(postgres.url, demo.tenant_id)).map((command) => [command.idempotency_key, command]),
  );
  const ends = { EXPIRED: 0, SUCCEEDED: 0 };
  for (const { idempotencyKey, answer } of sent.filter(isAccepted)) {
    const command = stored.get(idempotencyKey);
    expect(command).toMatchObject({ command_id: answer?.body.command_id, accepted_events: 1, completed_events: 1 });
    const acceptedAt = Date.parse(answer?.body.accepted_at);
    if (acceptedAt < goneSince + UNDER_WAY_MS || acceptedAt > backSince - SHORT_SECONDS * 1_000) continue;
    const end = command?.timeout_seconds === SHORT_SECONDS ? 'EXPIRED' : 'SUCCEEDED';
    expect([command?.status, onStream.has(answer?.body.command_id)]).toEqual([end, end === 'SUCCEEDED']);
    ends[end] += 1;
  }
  expect(Math.min(ends.EXPIRED, ends.SUCCEEDED)).toBeGreaterThan(256);
  expect(stored.size).toBe(sent.filter(isAccepted).length);

  await nats.suspend();
  await expectReady(servers, 'the bus does not answer');
  for (const one of servers) expect(await one.stop()).toBe(0);
});

test.concurrent('a node that NATS disconnects still accepts commands, and another node dispatches them', async (context) => {
  const own = await startNats(context);
  const { nats } = own;
  const user = (name: string) => `{ user: ${name}, password: ${name} }`;
  await nats.reconfigure(`authorization { users: [ ${user('first')}, ${user('second')} ] }`);
  const as = (name: string) => nats.url.replace('nats://', `nats://${name}:${name}@`);
  const { servers, demo } = await startNodes(
    context,
    own,
    { NATS_URL: as('first') },
    { NATS_URL: as('second'), SIMULATED_FLEET: 'true' },
  );
  const outcome = async () => (await completed(demo, await newCommand(demo, { timeout_seconds: 300 }))).status;
  expect(await outcome()).toBe('SUCCEEDED');

  await nats.reconfigure(`authorization { users: [ ${user('second')} ] }`);
  await expectReady(servers.slice(0, 1), 'the bus does not answer');
  await expectReady(servers.slice(1));
  expect(await outcome()).toBe('SUCCEEDED');

  // It tries again twice a second.
  await nats.reconfigure(`authorization { users: [ ${user('first')}, ${user('second')} ] }`);
  await expectReady(servers);
  const log = servers[0]?.stderr() ?? '';
  expect(log).toContain('NATS refuses the platform');
  expect(log.match(/NATS: (dis|re)connect/g)).toEqual(['NATS: disconnect', 'NATS: reconnect']);
});

test.concurrent('a process that JetStream does not answer at the first start waits for it, while the other processes serve', async (context) => {
  const own = await startNats(context);
  const { nats } = own;
  const user = (permissions: string) => `authorization { users: [ { user: top, password: top, ${permissions} } ] }`;
  await nats.reconfigure(user('permissions: { publish: { deny: "$JS.API.CONSUMER.>" } }'));
  const { servers, demo } = await startNodes(context, own, {
    NATS_URL: nats.url.replace('nats://', 'nats://top:top@'),
    WORKERS: '2',
    SIMULATED_FLEET: 'true',
  });
  await expectReady(servers, expect.stringMatching(/^worker: (no answer|starting)$/));
  const commandId = await newCommand(demo, { timeout_seconds: 300 });
  await nats.reconfigure(user(''));
  await expectReady(servers);
  expect((await completed(demo, commandId)).status).toBe('SUCCEEDED');
});

test.concurrent('the start fails with one line, without the password, if NATS refuses it', async (context) => {
  const { nats, start } = await startNats(context);
  await nats.reconfigure('authorization { user: platform, password: right }');
  const line = await refusal(start, { NATS_URL: nats.url.replace('nats://', 'nats://platform:hunter2@') });
  expect(line).toMatch(/^NATS at 127\.0\.0\.1:\d+ refuses the platform/);
  expect(line).not.toContain('hunter2');
});

test.concurrent('a start that the database refuses changes nothing on NATS', async (context) => {
  const { nats, start } = await startNats(context);
  const postgres = await startPrivatePostgres();
  const connection = await connect({ servers: nats.url });
  context.onTestFinished(async () => {
    await connection.close();
    await postgres.stop();
  });
  const { streams } = await jetstreamManager(connection);
  const ofOtherVersion = { name: 'TOP_UPDATES', subjects: ['tenants.*.command-updates.*'], max_msgs_per_subject: 7 };
  await streams.add({ ...ofOtherVersion, retention: 'workqueue' });
  const configs = async () => (await streams.list().next()).map(({ config }) => config);
  const before = await configs();
  expect(before).toHaveLength(1);
  const KEYRING = newKeyring();
  expect(await refusal(start, { DATABASE_URL: postgres.superuserUrl, KEYRING })).toMatch(/is a superuser/);
  expect(await configs()).toEqual(before);
});

test.concurrent('the start fails if NATS carries less than the largest payload', async (context) => {
  const { start } = await startNats(context);
  expect(await refusal(start, { PAYLOAD_LIMIT_BYTES: '1000000' })).toMatch(
    /^NATS carries messages of at most 1048576 bytes where the platform sends up to 1065536/,
  );
});

test.concurrent('a malformed NATS_URL is refused without showing it, and production requires one', async (context) => {
  const { start } = await startNats(context);
  const wrong = await refusal(start, { NATS_URL: 'https://platform:hunter2@nats:4222' });
  expect(wrong).toContain('NATS_URL must be nats:// or tls:// URLs');
  expect(wrong).not.toContain('hunter2');
  expect(await refusal(start, { MODE: 'production', NATS_URL: '' })).toMatch(
    /NATS_URL is required where MODE is production/,
  );
});
