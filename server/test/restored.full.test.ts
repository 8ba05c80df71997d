import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import {
  type Answer,
  atEnd,
  newKeyring,
  type Profile,
  type RequestOptions,
  signedRequest,
  startNode,
  temporaryFolder,
  unlimited,
} from '@tenant-open-platform/testing';
import { ownPostgres, type PrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { describe, expect, test, vi } from 'vitest';
import { COMMANDS, cancelCommand, completed, newCommand } from './support/commands.js';
import { archivedPostgres, ways } from './support/copies.js';
import { openSession } from './support/open-pool.js';
import { runMain } from './support/private-platform.js';
import { startLink } from './support/start-link.js';
import { untilServed } from './support/until-served.js';

const EVENTS = '/api/v1/open/events';
const LIVE = { SIMULATED_FLEET: 'true', KEYRING: newKeyring(), ...unlimited };

/** A request that can be sent again with the same bytes. */
const newCapture = (): RequestOptions => ({
  timestamp: Math.floor(Date.now() / 1_000),
  nonce: randomUUID(),
  body: {
    idempotency_key: randomUUID(),
    vendor: 'vendor_a',
    device_id: 'ok-1',
    command_type: 'reboot',
    payload: {},
  },
});

const eventsAfter = async (reader: Profile, cursor: string) => {
  const found: Answer['body'][] = [];
  const restored = new Set<string | null>();
  for (let at = cursor; ; ) {
    const { body } = await signedRequest(reader, 'GET', `${EVENTS}?cursor=${at}`);
    found.push(...body.items);
    restored.add(body.restored_at);
    if (body.items.length === 0 && body.next_cursor === at) return { found, restored };
    at = body.next_cursor;
  }
};

const eventOf = ({ event_type, data }: Answer['body']) => `${event_type} ${data.command_id}`;
const eventsOf = (ids: readonly string[]) =>
  ids.flatMap((id) => [`command.accepted ${id}`, `command.completed ${id}`]).sort();

const cases = Object.entries(ways).flatMap(([name, way]) => {
  const ofPlainCopy = ['the operator declares it', 'the witness tells', 'nobody tells'];
  return (name.includes('plain copy') ? ofPlainCopy : ['Postgres shows it']).map((how) => [name, how, way] as const);
});

async function generationsOf({ superuserUrl }: PrivatePostgres): Promise<number> {
  const session = openSession(superuserUrl);
  const rows = await session`select from database_generations`;
  await session.end();
  return rows.length;
}

/** Soon the deadline of the command has passed. A slow machine takes its time for what comes before. */
async function letPass({ superuserUrl }: PrivatePostgres, commandId: string): Promise<void> {
  const session = openSession(superuserUrl);
  await session`update commands set deadline_at = now() + interval '15 seconds' where command_id = ${commandId}`;
  await session.end();
}

describe.each(cases)('after %s, as %s', (_name, how, copied) => {
  test('no event is missed, no request is admitted twice, and no command of the copy is sent again', async () => {
    const isDeclared = how.includes('operator');
    const isUnseen = how === 'nobody tells';
    const original = await archivedPostgres();
    const DATA_DIR = temporaryFolder();
    const node = await startNode({ ...LIVE, DATA_DIR, DATABASE_URL: original.url });
    const { demo } = node;
    const kept = [await newCommand(demo), await newCommand(demo)];
    for (const id of kept) await completed(demo, id);
    await node.stop();
    // Accepted and not dispatched: no worker runs.
    const api = await startNode({ ...LIVE, ROLE: 'api', DATA_DIR, DATABASE_URL: original.url });
    const caller = { ...demo, base_url: api.baseUrl };
    const open = await newCommand(caller, { timeout_seconds: 300 });
    const short = await newCommand(caller, { timeout_seconds: 300 });
    await api.stop();

    const copying = await copied(original);
    const later = await startNode({ ...LIVE, DATA_DIR, DATABASE_URL: original.url });
    const reader = { ...demo, base_url: later.baseUrl };
    for (const id of [open, short]) expect((await completed(reader, id)).status).toBe('SUCCEEDED');
    const captured = newCapture();
    expect((await signedRequest(reader, 'POST', COMMANDS, captured)).status).toBe(202);
    for (let count = 0; count < 5; count++) await completed(reader, await newCommand(reader));
    const { body: end } = await signedRequest(reader, 'GET', `${EVENTS}?order=desc&limit=1`);
    const cursor: string = (await signedRequest(reader, 'GET', `${EVENTS}?from=now`)).body.next_cursor;
    expect(end.items).toHaveLength(1);
    await later.stop();

    const copy = await copying.start();
    await letPass(copy, short);
    if (isUnseen) await rm(path.join(DATA_DIR, 'witness.json'));
    if (isDeclared) {
      const declared = await runMain(['declare-restored'], { ...LIVE, DATA_DIR, DATABASE_URL: copy.url });
      expect(declared.stdout).toMatch(/counts as restored/);
    }
    const restored = await startNode({ ...LIVE, DATA_DIR, DATABASE_URL: copy.url });
    const again = { ...demo, base_url: restored.baseUrl };
    if (isUnseen) {
      // The witness was restored with the database.
      const refused = await untilServed(() => signedRequest(again, 'GET', `${EVENTS}?cursor=${cursor}`));
      expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_CURSOR']);
      expect(await (await fetch(`${restored.baseUrl}/metrics`)).text()).toMatch(
        /^top_cursors_of_lost_history_total 1$/m,
      );
      expect(await generationsOf(copy)).toBe(1);
      return;
    }
    const firstRead = await untilServed(() => signedRequest(again, 'GET', `${EVENTS}?cursor=${cursor}`));
    expect([firstRead.status, await generationsOf(copy)]).toEqual([200, 2]);
    expect((await signedRequest(again, 'GET', '/api/v1/open/me')).status).toBe(200);
    const replayed = await signedRequest(again, 'POST', COMMANDS, captured);
    expect([replayed.status, replayed.body.code]).toEqual([401, 'CLOCK_SKEW']);
    expect(replayed.body.metadata).toMatchObject({ signed_not_before: expect.any(String) });

    const fresher = [await newCommand(again), await newCommand(again), await newCommand(again)];
    for (const id of fresher) await completed(again, id);
    const { found, restored: told } = await eventsAfter(again, cursor);
    const mine = found.filter(({ data }) => fresher.includes(data.command_id)).map(eventOf);
    expect(mine.sort()).toEqual(eventsOf(fresher));
    expect([...told].some((one) => one !== null)).toBe(true);
    expect([...told]).toContain(null);

    const ended = await completed(again, short);
    expect(ended).toMatchObject({
      status: 'TIMED_OUT',
      device_execution_status: 'UNKNOWN',
      status_reason: { code: 'RESTORED' },
    });
    const { body: waiting } = await signedRequest(again, 'GET', `${COMMANDS}/${open}`);
    expect(waiting).toMatchObject({ completed_at: null, result: null });
    expect((await cancelCommand(again, open)).body.code).toBe('COMMAND_NOT_CANCELABLE');
  }, 180_000);
});

test('a platform that reaches the standby before its promotion admits no request of before', async () => {
  const original = await ownPostgres();
  const address = await startLink(original.url);
  atEnd(address.stop);
  const standby = await original.startStandby();
  atEnd(standby.stop);
  // Few connections: all of them are made before the promotion.
  const few = { DATABASE_POOL_SIZE: '2' };
  const node = await startNode({ ...LIVE, ...few, DATABASE_URL: address.through(original.url) });
  await completed(node.demo, await newCommand(node.demo));
  await standby.suspend();
  const captured = Array.from({ length: 10 }, newCapture);
  const send = (request: RequestOptions) => signedRequest(node.demo, 'POST', COMMANDS, request);
  for (const request of captured) expect((await send(request)).status).toBe(202);

  await original.kill();
  await standby.resume();
  address.moveTo(standby.url);
  const state = async () => (await fetch(`${node.baseUrl}/readyz`)).json();
  const readOnly = { status: 'unready', reason: 'the database refuses writes: it is read-only' };
  await vi.waitFor(async () => expect(await state()).toEqual(readOnly), { timeout: 60_000, interval: 100 });
  await standby.promote();
  // One after the other: several at once would open new connections.
  for (const request of captured) {
    const { status, body } = await untilServed(() => send(request));
    expect([status, body.code]).toEqual([401, 'CLOCK_SKEW']);
  }
  expect((await completed(node.demo, await newCommand(node.demo))).status).toBe('SUCCEEDED');
});

test('a restart, a crash and a second start begin no generation', async () => {
  const postgres = await ownPostgres();
  const DATA_DIR = temporaryFolder();
  const session = openSession(postgres.superuserUrl);
  const generations = async () => (await session`select cause from database_generations`).map(({ cause }) => cause);
  for (const end of ['suspend', 'kill'] as const) {
    const node = await startNode({ ...LIVE, DATA_DIR, DATABASE_URL: postgres.url });
    await completed(node.demo, await newCommand(node.demo));
    await node.stop();
    await postgres[end]();
    await postgres.resume();
  }
  const node = await startNode({ ...LIVE, DATA_DIR, DATABASE_URL: postgres.url });
  const { body: before } = await signedRequest(node.demo, 'GET', `${EVENTS}?from=now`);
  await completed(node.demo, await newCommand(node.demo));
  expect((await signedRequest(node.demo, 'GET', `${EVENTS}?cursor=${before.next_cursor}`)).body).toMatchObject({
    items: [{}, {}],
    restored_at: null,
  });
  expect(await generations()).toEqual(['FIRST']);
});
