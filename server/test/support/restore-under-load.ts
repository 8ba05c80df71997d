import { serveVendor } from '@tenant-open-platform/sdk/adapter';
import { atEnd, newKeyring, signedRequest, startNode, temporaryFolder, unlimited } from '@tenant-open-platform/testing';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import type { PrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, vi } from 'vitest';
import { archivedPostgres, type Copying } from './copies.js';
import { followOverBus, followOverHttp } from './event-followers.js';
import { newPrincipal, registerEventReader } from './new-principal.js';
import { openSession } from './open-pool.js';
import { runMain } from './private-platform.js';
import { sendAgain, startCaller } from './start-caller.js';
import { startLink } from './start-link.js';
import { type StoredCommand, storedCommands, storedEvents, storedWork } from './stored.js';

const soon = { timeout: 90_000, interval: 50 };
/** Of each kind, at least so many commands are open in the copy. */
const OPEN = 5;

/** What is open in the copy ends within so many seconds. */
const OPEN_SECONDS = 20;
/** So many may wait for their devices. */
const CONCURRENCY = 1_000;

type Load = { perSecond: number };

type Way = (original: PrivatePostgres) => Promise<Copying>;

/**
 * A platform that works: a caller with the SDK, an adapter made with the kit, and followers of the events over HTTP and
 * over NATS. They all keep running while the database is restored. The platform reaches the database at one address.
 */
export async function startWorkingPlatform({ perSecond }: Load) {
  let database = await archivedPostgres();
  const nats = await ownNats();
  const address = await startLink(database.url);
  atEnd(address.stop);
  const environment = {
    ...unlimited,
    DATA_DIR: temporaryFolder(),
    DATABASE_URL: address.through(database.url),
    KEYRING: newKeyring(),
    NATS_URL: nats.url,
    PORT: String(await freePort()),
  };
  let node = await startNode(environment);
  const { admin, demo } = node;
  await registerEventReader(admin);
  const principals = `/api/v1/platform/tenants/${demo.tenant_id}/bus/principals`;
  const registered = await signedRequest(admin, 'POST', principals, { body: newPrincipal() });
  if (registered.status !== 201) throw new Error(registered.raw);

  /** The ids of the commands that the devices carried out, as often as they did. */
  const runs: string[] = [];
  let gate: Promise<void> | null = null;
  /** The ids of the commands whose devices wait at the gate. */
  const atGate = new Set<string>();
  const adapter = await serveVendor({
    servers: nats.url,
    tenantId: demo.tenant_id,
    vendor: 'vendor_a',
    concurrency: CONCURRENCY,
    log: () => {},
    async onCommand({ command_id }) {
      if (gate) {
        atGate.add(command_id);
        await gate;
        atGate.delete(command_id);
      }
      runs.push(command_id);
    },
  });
  atEnd(() => adapter.stop());
  const overHttp = followOverHttp(demo);
  const overBus = await followOverBus(nats.url);
  const followers = [overHttp, overBus];
  let restores = 0;

  /** How many commands wait for the relay, or for their devices, whichever is less. */
  const leastOpenIn = (commands: StoredCommand[]) =>
    Math.min(...['ACCEPTED', 'DISPATCHED'].map((open) => commands.filter(({ status }) => status === open).length));
  /** Of those for devices only the ones at the gate count: a result of another one may be on its way. */
  async function leastHeld(): Promise<number> {
    const stored = await storedCommands(database.url, demo.tenant_id);
    return leastOpenIn(stored.filter(({ command_id, status }) => status === 'ACCEPTED' || atGate.has(command_id)));
  }

  /** Copies the database while commands wait: some for the relay, others, which are dispatched, for their devices. */
  async function copyWithOpenCommands(way: Way): Promise<Copying> {
    let goOn = () => {};
    gate = new Promise((resolve) => {
      goOn = resolve;
    });
    let letRelayGoOn = () => {};
    try {
      await reaches(() => atGate.size, OPEN);
      letRelayGoOn = await holdRelay(database);
      await vi.waitFor(async () => expect(await leastHeld()).toBeGreaterThanOrEqual(OPEN), soon);
      return await way(database);
    } finally {
      letRelayGoOn();
      goOn();
      gate = null;
    }
  }

  const endedIds = async () =>
    (await storedCommands(database.url, demo.tenant_id)).flatMap(({ command_id, completed_at }) =>
      completed_at === null ? [] : [command_id],
    );
  const eventIds = async () => (await storedEvents(database.url)).map(({ event_id }) => event_id);
  const haveSeen = (ids: string[]) =>
    vi.waitFor(() => {
      for (const { seen } of followers) expect(missingIn(seen, ids)).toEqual([]);
    }, soon);

  return {
    /** Copies the database, goes on, puts the copy in its place, and checks what the platform promises then. */
    async survives(way: Way): Promise<void> {
      const caller = startCaller(demo, { perSecond });
      atEnd(caller.giveUp);
      await reaches(() => runs.length, runs.length + OPEN);
      const copying = await copyWithOpenCommands(way);

      // What the copy lacks is carried out and read by the followers.
      await reaches(caller.accepted, caller.accepted() + 2 * perSecond);
      const lost = (await storedCommands(database.url, demo.tenant_id)).map(({ command_id }) => command_id);
      await vi.waitFor(() => expect(missingIn(runs, lost)).toEqual([]), soon);
      // Otherwise a result that is still on the bus counts after the restore.
      await vi.waitFor(async () => expect(missingIn(await endedIds(), lost)).toEqual([]), soon);
      await haveSeen(await eventIds());

      address.moveTo(null);
      if (!copying.isShown) await node.stop();
      const captured = caller.sent();
      database = await copying.start();
      restores += 1;
      const copied = await storedCommands(database.url, demo.tenant_id);
      const open = copied.filter(({ completed_at }) => completed_at === null).map(({ command_id }) => command_id);
      expect(missingIn(runs, open)).toEqual([]);
      // The relay may have dispatched some more while a Postgres was stopped for the copy.
      expect(leastOpenIn(copied)).toBeGreaterThan(0);
      await shortenDeadlines(database);
      const shared = await eventIds();
      const seenBefore = followers.map(({ seen }) => seen.length);
      for (const { seen } of followers) expect(seen.length).toBeGreaterThan(shared.length);
      const acceptedBefore = caller.accepted();

      address.moveTo(database.url);
      if (!copying.isShown) {
        expect(await runMain(['declare-restored'], environment)).toMatchObject({ exitCode: 0 });
        node = await startNode(environment);
      }
      const replayed = await Promise.all(captured.map(sendAgain));
      expect(replayed.filter((answer) => answer !== '401 CLOCK_SKEW')).toEqual([]);
      await reaches(caller.accepted, caller.accepted() + 2 * perSecond);

      const accepted = (await caller.stop()).accepted.slice(acceptedBefore).map(({ commandId }) => commandId);
      const nothing = { commands: 0, outbox: 0, unpublished_events: 0 };
      await vi.waitFor(async () => expect(await storedWork(database.url)).toEqual(nothing), soon);
      const stored = await storedCommands(database.url, demo.tenant_id);
      const ends = new Map(stored.map((command) => [command.command_id, command]));
      expect(accepted.map((id) => ends.get(id))).toEqual(accepted.map(() => expect.objectContaining(SUCCEEDED)));
      expect(open.map((id) => ends.get(id))).toEqual(open.map(() => expect.objectContaining(RESTORED)));
      const ran = new Set(runs);
      expect(stored.filter((command) => ran.has(command.command_id) && isSafeToRepeat(command))).toEqual([]);
      expect(runs).toHaveLength(ran.size);

      const log = await eventIds();
      expect(log.slice(0, shared.length)).toEqual(shared);
      const fresh = log.slice(shared.length);
      await haveSeen(fresh);
      for (const [index, { seen }] of followers.entries()) expect(seen.slice(seenBefore[index])).toEqual(fresh);
      expect([overHttp.restoredAt.size, overHttp.ended()]).toEqual([restores, null]);
      expect(overBus.histories.size).toBe(restores + 1);

      const admitted = caller
        .sent()
        .slice(captured.length)
        .filter(({ status }) => status === 202);
      const again = await Promise.all(admitted.map(sendAgain));
      expect(again).toContain('401 NONCE_REUSED');
      // The first of these were admitted by the lost history.
      expect(again.filter((answer) => !/^401 (NONCE_REUSED|CLOCK_SKEW)$/.test(answer))).toEqual([]);
      const session = openSession(database.superuserUrl);
      expect(await session`select from database_generations`).toHaveLength(restores + 1);
      await session.end();
    },
  };
}

const SUCCEEDED = { status: 'SUCCEEDED', accepted_events: 1, completed_events: 1, outbox_rows: 0 };
const RESTORED = { status: 'TIMED_OUT', device_execution_status: 'UNKNOWN', reason: 'RESTORED', completed_events: 1 };

/** What the platform says of commands that no device has carried out. */
export const isSafeToRepeat = ({ status, device_execution_status }: StoredCommand) =>
  status === 'EXPIRED' || status === 'CANCELED' || device_execution_status === 'NOT_STARTED';

const reaches = (count: () => number, enough: number) =>
  vi.waitFor(() => expect(count()).toBeGreaterThanOrEqual(enough), soon);

function missingIn(found: string[], wanted: string[]): string[] {
  const known = new Set(found);
  return wanted.filter((id) => !known.has(id));
}

/** Until the copy was made, no deadline was near: a slow machine takes its time. */
export async function shortenDeadlines({ superuserUrl }: PrivatePostgres): Promise<void> {
  const session = openSession(superuserUrl);
  await session`
    update commands set deadline_at = now() + make_interval(secs => ${OPEN_SECONDS}) where completed_at is null`;
  await session.end();
}

/** Holds the lease of the relay until the returned function is called, or until Postgres is stopped. */
export async function holdRelay({ superuserUrl }: PrivatePostgres): Promise<() => void> {
  let letGo = () => {};
  const session = openSession(superuserUrl);
  await new Promise<void>((resolve, reject) => {
    const held = session.begin(async (tx) => {
      await tx`select from slots for update`;
      resolve();
      await new Promise<void>((end) => {
        letGo = end;
      });
    });
    held.catch(reject);
  });
  return letGo;
}
