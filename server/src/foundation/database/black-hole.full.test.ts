import { atEnd, startNode, unlimited } from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, test, vi } from 'vitest';
import { isAccepted, isRead, type Sent, startLoad } from '../../../test/support/load.js';
import { openSession } from '../../../test/support/open-pool.js';
import { startLink } from '../../../test/support/start-link.js';
import { storedCommands } from '../../../test/support/stored.js';

const POOL_SIZE = 4;
/** The kernel alone would notice the lost connections after minutes. */
const RECOVERED_WITHIN_MS = 60_000;

const database = await ownPostgres();
const link = await startLink(database.url);
atEnd(link.stop);
const server = await startNode({
  DATABASE_URL: link.through(database.url),
  DATABASE_POOL_SIZE: String(POOL_SIZE),
  ...unlimited,
});
const { demo } = server;

const codeOf = ({ kind, answer }: Sent): string => `${kind} ${answer?.body.code ?? answer?.status ?? 'unanswered'}`;

/** A write whose commit was in progress when its connection was given up has an unknown outcome. */
const ALLOWED = [
  'write 202',
  'write SERVICE_UNAVAILABLE',
  'write INTERNAL_ERROR',
  'read 200',
  'read SERVICE_UNAVAILABLE',
  'forged UNAUTHENTICATED',
  'forged SERVICE_UNAVAILABLE',
];

test('while Postgres is a black hole it answers every request, reports that it is unready and expires no command', async () => {
  const load = startLoad(demo, () => server.baseUrl, { restMs: 20, command: () => ({ timeout_seconds: 300 }) });
  await load.seen(200, isAccepted);

  link.blackHole();
  const before = link.connections();
  await vi.waitFor(
    async () => {
      const readiness = await fetch(`${server.baseUrl}/readyz`);
      expect([readiness.status, await readiness.json()]).toEqual([
        503,
        { status: 'unready', reason: 'the database does not answer' },
      ]);
    },
    { timeout: 60_000 },
  );
  await load.seen(20, ({ answer }) => answer?.status === 503);
  // It has given up its connections, and the new ones lead into the black hole too.
  await vi.waitFor(() => expect(link.connections()).toBeGreaterThanOrEqual(before + POOL_SIZE), { timeout: 60_000 });
  link.heal();

  const healedAt = performance.now();
  await Promise.all([load.seen(50, isAccepted), load.seen(20, isRead)]);
  const readiness = async () => (await fetch(`${server.baseUrl}/readyz`)).json();
  await vi.waitFor(async () => expect(await readiness()).toEqual({ status: 'ready' }), {
    timeout: RECOVERED_WITHIN_MS,
  });
  expect(performance.now() - healedAt).toBeLessThan(RECOVERED_WITHIN_MS);

  const sent = await load.stop();
  const codes = new Map<string, number>();
  for (const done of sent) codes.set(codeOf(done), (codes.get(codeOf(done)) ?? 0) + 1);
  expect([...codes.keys()].filter((code) => !ALLOWED.includes(code))).toEqual([]);

  const accepted = new Set(sent.filter(isAccepted).map(({ answer }) => answer?.body.command_id));
  await vi.waitFor(
    async () => {
      const stored = await storedCommands(database.url, demo.tenant_id);
      expect(stored.filter(({ command_id }) => accepted.has(command_id))).toHaveLength(accepted.size);
      expect(new Set(stored.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
    },
    { timeout: 120_000, interval: 500 },
  );
}, 600_000);

test('while background work hangs it reports that it is unready and the seconds since the last round', async () => {
  const administrator = openSession(database.superuserUrl);
  const readiness = async () => (await fetch(`${server.baseUrl}/readyz`)).json();
  await administrator.begin(async (tx) => {
    await tx`lock table slots`;
    await vi.waitFor(
      async () =>
        expect(await readiness()).toEqual({
          status: 'unready',
          reason: expect.stringMatching(/^sweep of device requests: no round for/),
        }),
      { timeout: 60_000, interval: 200 },
    );
    const metrics = await (await fetch(`${server.baseUrl}/metrics`)).text();
    expect(
      Number(/^top_loop_last_round_seconds\{loop="sweep of device requests"\} (.*)$/m.exec(metrics)?.[1]),
    ).toBeGreaterThan(10);
  });
  await administrator.end();
  await vi.waitFor(async () => expect(await readiness()).toEqual({ status: 'ready' }), { timeout: 60_000 });
});
