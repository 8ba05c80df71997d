import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { atEnd, signedRequest, temporaryFolder } from '@tenant-open-platform/testing';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { type RunningServer, ServerExited, startServer } from '@tenant-open-platform/testing/start-server';
import { expect, test, vi } from 'vitest';
import { COMMANDS, completed, newCommand } from '../test/support/commands.js';
import { isAccepted, startLoad } from '../test/support/load.js';
import { openSession } from '../test/support/open-pool.js';
import { storedCommands, storedWork } from '../test/support/stored.js';

const ME = '/api/v1/open/me';
const AT_ONCE = 40;

async function start(more: Record<string, string> = {}): Promise<RunningServer> {
  const server = await startServer({
    DATA_DIR: folder,
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    SIMULATED_FLEET: 'true',
    KEYRING_FILE: join(folder, 'keyring.json'),
    REQUESTS_PER_MINUTE: '1000000',
    WORKERS: '2',
    ...more,
  });
  // Until the last lines have arrived, which were written before.
  await vi.waitFor(() => expect(Object.keys(processesOf(server))).toHaveLength(3), { timeout: 60_000 });
  return server;
}

const writeKeyring = (key: Buffer, file = 'keyring.json') =>
  writeFileSync(join(folder, file), JSON.stringify({ primary: 'test', keys: { test: key.toString('base64') } }), {
    mode: 0o600,
  });
const key = randomBytes(32);

const folder = temporaryFolder();
writeKeyring(key);
const [postgres, nats] = await Promise.all([ownPostgres(), ownNats()]);
const superuser = openSession(postgres.superuserUrl);
const server = await start();
const demo = { ...JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')), base_url: server.baseUrl };

atEnd(server.stop);

/** The latest process of each name: each logs its id when it is ready. */
function processesOf({ stderr }: RunningServer): Record<string, number> {
  const lines = stderr()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  const ready = lines.map((line) => JSON.parse(line)).filter(({ process, msg }) => process && msg === 'ready');
  return Object.fromEntries(ready.map(({ process, pid }) => [process, pid]));
}

/** Kills a process of the platform and waits until another one has replaced it. */
async function killed(of: RunningServer, name: string): Promise<void> {
  const pid = processesOf(of)[name] as number;
  process.kill(pid, 'SIGKILL');
  await vi.waitFor(() => expect(processesOf(of)[name]).not.toBe(pid), { timeout: 60_000, interval: 50 });
}

/** A process whose parent has not read its exit code, as in a container without an init process, has ended too. */
const isAlive = (pid: number): boolean => {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
};

async function nonces(): Promise<number> {
  const [row] = await superuser<{ count: number }[]>`select count(*)::int from nonces`;
  return row?.count ?? 0;
}

/** At once over separate connections, so that both processes get some. */
const atOnce = <Result>(call: (number: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: AT_ONCE }, (_, number) => call(number)));

const probe = async (path: string) => {
  const answer = await fetch(server.baseUrl + path);
  return { status: answer.status, text: await answer.text() };
};

test('one start runs all processes and seeds the platform once, and its probes cover all processes', async () => {
  expect(Object.keys(processesOf(server)).toSorted()).toEqual(['api-1', 'api-2', 'worker']);
  await expect.poll(() => server.stdout().match(/First start/g)).toHaveLength(1);
  await expect.poll(() => probe('/readyz')).toMatchObject({ status: 200 });

  let sent = 0;
  let text = '';
  let requests: RegExpExecArray[] = [];
  // Linux chooses the process for each connection.
  const served = async () => {
    await atOnce(() => signedRequest(demo, 'GET', ME, { headers: { Connection: 'close' } }));
    sent += AT_ONCE;
    text = (await probe('/metrics')).text;
    requests = [...text.matchAll(/^top_request_duration_seconds_count\{.*operation="me.get".*\} (\d+)$/gm)];
    return requests.map(([line]) => /process="(.*?)"/.exec(line)?.[1]).toSorted();
  };
  await expect.poll(served).toEqual(['api-1', 'api-2']);
  expect(requests.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(sent);
  expect(text).toMatch(/^top_loop_last_round_seconds\{.*loop="relay".*process="worker".*\}/m);
  expect(text.match(/^# TYPE top_request_duration_seconds /gm)).toHaveLength(1);
});

test('is unready while one of its processes hangs, and names it', async () => {
  const worker = processesOf(server).worker as number;
  process.kill(worker, 'SIGSTOP');
  try {
    await expect
      .poll(() => probe('/readyz'))
      .toMatchObject({
        status: 503,
        text: expect.stringContaining('worker: no answer'),
      });
  } finally {
    process.kill(worker, 'SIGCONT');
  }
  await expect.poll(() => probe('/readyz')).toMatchObject({ status: 200 });
});

test('admits a nonce once and creates one command per idempotency key, whichever process gets the request', async () => {
  const nonce = randomUUID();
  const replays = await atOnce(() => signedRequest(demo, 'GET', ME, { nonce }));
  expect(replays.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(replays.filter(({ body }) => body.code === 'NONCE_REUSED')).toHaveLength(AT_ONCE - 1);

  const body = {
    vendor: 'vendor_a',
    device_id: 'd-1',
    command_type: 'reboot',
    payload: {},
    idempotency_key: randomUUID(),
  };
  const created = await atOnce(() => signedRequest(demo, 'POST', COMMANDS, { body }));
  expect(new Set(created.map(({ status }) => status))).toEqual(new Set([202]));
  expect(new Set(created.map(({ body }) => body.command_id)).size).toBe(1);
});

test('a request that waits in one process is woken by changes in other processes', async () => {
  const commandId = await newCommand(demo, { timeout_seconds: 60 });
  const waited = await atOnce(() => completed(demo, commandId));
  expect(new Set(waited.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
});

test('the quota of a credential counts its requests to all processes together', async () => {
  const [limit, windowMs] = [100, 60_000];
  const limited = await start({ WORKERS: '3', ROLE: 'api', REQUESTS_PER_MINUTE: String(limit) });
  try {
    let admitted = 0;
    const from = performance.now();
    for (let sent = 0; sent < 2.5 * limit; sent++) {
      const options = { node: limited.baseUrl, headers: { Connection: 'close' } };
      if ((await signedRequest(demo, 'GET', ME, options)).status === 200) admitted++;
    }
    expect(admitted).toBeGreaterThanOrEqual(limit);
    // The processes exchange their counts every 100 ms. A slow machine needs more than one window.
    const windows = Math.ceil((performance.now() - from) / windowMs);
    expect(admitted).toBeLessThan(2 * limit * windows);
  } finally {
    await limited.stop();
  }
});

test('kill -9 of any process loses no accepted command, and the other processes continue', async () => {
  const load = startLoad(demo, () => server.baseUrl, {
    writers: 8,
    readers: 2,
    restMs: 20,
    command: () => ({ timeout_seconds: 5 }),
  });
  for (const name of ['api-1', 'worker', 'api-2']) {
    await load.seen(50, isAccepted);
    await killed(server, name);
  }
  await load.seen(50, isAccepted);
  const sent = await load.stop();
  // The simulated device dies with its process: its commands end at their deadline. The sweeper then waits up to two
  // minutes for updates that NATS redelivers.
  await vi.waitFor(
    async () => expect(await storedWork(postgres.url)).toEqual({ commands: 0, outbox: 0, unpublished_events: 0 }),
    { timeout: 180_000, interval: 250 },
  );
  const stored = new Map((await storedCommands(postgres.url, demo.tenant_id)).map((one) => [one.idempotency_key, one]));
  for (const { idempotencyKey, answer } of sent.filter(isAccepted)) {
    expect(stored.get(idempotencyKey)?.command_id).toBe(answer?.body.command_id);
  }
}, 300_000);

test('kill -9 of a process leaves no request waiting forever', async () => {
  const one = () => signedRequest(demo, 'GET', ME, { headers: { Connection: 'close' } }).catch(() => null);
  for (const name of ['api-1', 'api-2', 'api-1']) {
    let answered = 0;
    let isOver = false;
    const asking = atOnce(async () => {
      for (; !isOver; answered++) await one();
    });
    const answeredMore = (count: number) =>
      vi.waitFor(() => expect(answered).toBeGreaterThan(count), { timeout: 60_000, interval: 5 });
    await answeredMore(2 * AT_ONCE);
    const replaced = killed(server, name);
    await answeredMore(answered + 2 * AT_ONCE);
    isOver = true;
    await asking;
    await replaced;
  }
});

test.concurrent('a port in use gives one line and exit 1, however many processes there are', async () => {
  const outcome = await start({ PORT: new URL(server.baseUrl).port }).catch((error: unknown) => error);
  if (!(outcome instanceof ServerExited)) throw new Error('The server started.', { cause: outcome });
  expect(outcome.exitCode).toBe(1);
  expect(outcome.stderr.trimEnd().split('\n')).toEqual([expect.stringMatching(/^Cannot listen on .* it is in use/)]);
});

test.concurrent('all processes end with the one that started them', async () => {
  const left = await start();
  const closed = once(left.process, 'close');
  expect(Object.values(processesOf(left)).map(isAlive)).toContain(true);
  left.process.kill('SIGKILL');
  await closed;
  await vi.waitFor(() => expect(Object.values(processesOf(left)).filter(isAlive)).toEqual([]), { timeout: 60_000 });
});

test.concurrent('exits with 1 if a process can no longer start', async () => {
  const file = 'keyring-of-one-test.json';
  writeKeyring(key, file);
  const failing = await start({ KEYRING_FILE: join(folder, file) });
  const closed = once(failing.process, 'close');
  writeKeyring(randomBytes(32), file);
  process.kill(processesOf(failing)['api-2'] as number, 'SIGKILL');
  expect(await closed).toEqual([1, null]);
  expect(failing.stderr()).toContain('can no longer start');
});

test('SIGTERM answers the waiting requests of every process and ends all processes', async () => {
  const commandId = await newCommand(demo, { device_id: 'offline-1', timeout_seconds: 60 });
  const before = await nonces();
  const waiting = atOnce(() =>
    signedRequest(demo, 'GET', `${COMMANDS}/${commandId}?wait_seconds=30`, { headers: { Connection: 'close' } }),
  );
  // All are admitted.
  await expect.poll(nonces).toBe(before + AT_ONCE);
  expect(await server.stop()).toBe(0);
  expect(new Set((await waiting).map(({ status }) => status))).toEqual(new Set([200]));
  expect(Object.values(processesOf(server)).filter(isAlive)).toEqual([]);
});
