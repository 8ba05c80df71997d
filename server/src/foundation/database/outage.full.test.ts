import { atEnd, newKeyring, startNode, temporaryFolder, unlimited } from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { type RunningServer, startServer } from '@tenant-open-platform/testing/start-server';
import postgres from 'postgres';
import { beforeEach, expect, test, vi } from 'vitest';
import { isAccepted, isRead, isStalled, type Load, type Sent, startLoad } from '../../../test/support/load.js';
import { announcement, once, storedCommands } from '../../../test/support/stored.js';

const database = await ownPostgres();
const environment = {
  ...unlimited,
  DATA_DIR: temporaryFolder(),
  DATABASE_URL: database.url,
  KEYRING: newKeyring(),
};
const { demo, ...first } = await startNode(environment);
let server: RunningServer = first;
atEnd(() => server.stop());

let load: Load;
beforeEach(() => {
  // Longer than any backlog of these tests, so no command is refused for backpressure.
  load = startLoad(demo, () => server.baseUrl, { command: () => ({ timeout_seconds: 300 }) });
});

const readiness = async () => (await fetch(`${server.baseUrl}/readyz`)).status;
const codeOf = ({ answer }: Sent): string => answer?.body.code ?? String(answer?.status);

async function expectEveryAcceptedCommandStoredOnce(sent: Sent[]): Promise<void> {
  const stored = new Map(
    (await storedCommands(database.url, demo.tenant_id)).map((command) => [command.idempotency_key, command]),
  );
  const accepted = sent.filter(isAccepted);
  expect(accepted.length).toBeGreaterThan(0);
  for (const { idempotencyKey, answer } of accepted) {
    expect(stored.get(idempotencyKey)?.command_id).toBe(answer?.body.command_id);
  }
  for (const command of stored.values()) expect(announcement(command)).toEqual(once);
}

/** A write may also end with INTERNAL_ERROR, if its commit was in progress when the connection was lost. */
const allowedCodes: Record<Sent['kind'], string[]> = {
  read: ['200', 'SERVICE_UNAVAILABLE'],
  write: ['202', 'SERVICE_UNAVAILABLE', 'INTERNAL_ERROR'],
  forged: ['UNAUTHENTICATED', 'SERVICE_UNAVAILABLE'],
};

function expectOnlyTemporaryRefusals(sent: Sent[]): void {
  for (const kind of ['read', 'write', 'forged'] as const) {
    const codes = new Set(sent.filter((done) => done.kind === kind).map(codeOf));
    expect([...codes].filter((code) => !allowedCodes[kind].includes(code))).toEqual([]);
  }
  const refused = sent.filter(({ answer }) => answer?.status === 503);
  expect(new Set(refused.map(({ answer }) => answer?.headers['retry-after']))).toEqual(new Set(['1']));
}

test('answers 503 while Postgres is stopped, and serves again without a restart when it is back', async () => {
  await load.seen(100, isAccepted);
  await database.suspend();
  const stoppedAt = load.sent.length;
  await load.seen(200, ({ answer }) => answer?.status === 503);
  await expect.poll(readiness).toBe(503);
  expect((await fetch(`${server.baseUrl}/livez`)).status).toBe(200);
  expect(load.sent.slice(stoppedAt + 50).filter(({ answer }) => (answer?.status ?? 0) < 300)).toEqual([]);

  await database.resume();
  await Promise.all([load.seen(100, isAccepted), load.seen(100, isRead)]);
  const sent = await load.stop();

  for (const done of sent) {
    expect(done.answer).not.toBeNull();
    expect(done.milliseconds).toBeLessThan(20_000);
  }
  expectOnlyTemporaryRefusals(sent);
  await expectEveryAcceptedCommandStoredOnce(sent);
  // A probe is answered from a result up to 4 seconds old.
  await expect.poll(readiness).toBe(200);
});

test('answers every request while connections to Postgres are cut again and again', async () => {
  const administrator = postgres(database.url, { max: 1 });
  for (let round = 0; round < 30; round++) {
    await administrator`
      select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tenant-open-platform'`;
    await Promise.all([load.seen(20, isAccepted), load.seen(5, isRead)]);
  }
  await administrator.end();
  const sent = await load.stop();

  for (const done of sent) {
    expect(done.answer).not.toBeNull();
    expect(done.milliseconds).toBeLessThan(20_000);
  }
  expectOnlyTemporaryRefusals(sent);
  // For most of them Postgres reports that it ended their session before the commit.
  expect(sent.filter((done) => done.kind === 'write' && done.answer?.status === 503)).not.toEqual([]);
  await expectEveryAcceptedCommandStoredOnce(sent);
});

test('a node that freezes within a transaction blocks other nodes for at most 10 seconds', async () => {
  const administrator = postgres(database.url, { max: 1 });
  const inTransaction = async () => {
    const [row] = await administrator<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity
      where application_name = 'tenant-open-platform' and state like 'idle in transaction%'`;
    return row?.count ?? 0;
  };
  await load.seen(100, isAccepted);
  try {
    await vi.waitFor(
      async () => {
        server.process.kill('SIGCONT');
        await load.seen(1, isAccepted);
        server.process.kill('SIGSTOP');
        expect(await inTransaction()).toBeGreaterThan(0);
      },
      { timeout: 60_000 },
    );
    await vi.waitFor(async () => expect(await inTransaction()).toBe(0), { timeout: 60_000, interval: 200 });
  } finally {
    server.process.kill('SIGCONT');
    await administrator.end();
  }
  await load.seen(100, isAccepted);
  await expectEveryAcceptedCommandStoredOnce(await load.stop());
});

test('loses no accepted request at SIGTERM under load, and exits with 0 within 15 seconds', async () => {
  await load.seen(200, isAccepted);
  const stoppedAt = performance.now();
  expect(await server.stop()).toBe(0);
  expect(performance.now() - stoppedAt).toBeLessThan(15_000);
  const sent = await load.stop();

  expect(sent.filter((done) => (done.answer?.status ?? 0) >= 500 && !isStalled(done))).toEqual([]);
  await expectEveryAcceptedCommandStoredOnce(sent);
  const unanswered = new Set(sent.flatMap(({ answer, idempotencyKey }) => (answer ? [] : [idempotencyKey])));
  const stored = await storedCommands(database.url, demo.tenant_id);
  expect(stored.filter((command) => unanswered.has(command.idempotency_key))).toEqual([]);
  server = await startServer(environment);
});
