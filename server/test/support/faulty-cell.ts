import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import {
  atEnd,
  clockAhead,
  newKeyring,
  startNode,
  type TestNode,
  temporaryFolder,
} from '@tenant-open-platform/testing';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import type { PrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, vi } from 'vitest';
import { startOn } from './cells.js';
import { archivedPostgres, type Copying, ways } from './copies.js';
import type { Fault } from './episodes.js';
import { movableClock } from './movable-clock.js';
import { openSession } from './open-pool.js';
import { runMain } from './private-platform.js';
import { holdRelay, shortenDeadlines } from './restore-under-load.js';
import { startLink } from './start-link.js';

const RELAY_HELD_MS = 500;
const soon = { timeout: 60_000, interval: 20 };

/** To the server and the processes that it has started. Stopped in this order, it starts no others meanwhile. */
function signalAll(server: PrivatePostgres, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const pid = server.pid();
  process.kill(pid, signal);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  for (const child of children) {
    try {
      process.kill(Number(child), signal);
    } catch {
      // It has just ended.
    }
  }
}

/** What a restore calls, in this order. */
export type Restoring = {
  /** The copy gets everything that was stored before this call. */
  beforeCopy: () => void;
  /** The nodes are cut off from the original. */
  onLost: (original: PrivatePostgres) => Promise<void>;
  /** The nodes are not connected to the copy yet. `isShown`: they learn from Postgres that it is a copy. */
  onCopy: (copy: PrivatePostgres, isShown: boolean) => Promise<void>;
};

/**
 * A cell with two nodes, which reach Postgres and NATS through links. The adapters reach NATS directly: a fault of the
 * platform is none of theirs.
 */
export async function startFaultyCell() {
  let postgres = await archivedPostgres();
  await movableClock(postgres.superuserUrl);
  const nats = await ownNats();
  const [toPostgres, toNats] = await Promise.all([startLink(postgres.url), startLink(nats.url)]);
  atEnd(toPostgres.stop);
  atEnd(toNats.stop);
  const { password } = new URL(postgres.url);
  const settings = {
    DATA_DIR: temporaryFolder(),
    DATABASE_URL: toPostgres.through(postgres.url),
    NATS_URL: toNats.through(nats.url),
    KEYRING: newKeyring(),
  };
  const cell = await startOn(settings, postgres.superuserUrl, nats);
  const { environment } = cell;
  const environments = { api: environment, worker: { ...environment, ROLE: 'worker', PORT: '0' } };
  const nodes: Record<Fault['part'], TestNode> = {
    api: cell.node,
    worker: await startNode(environments.worker),
  };
  const parts = ['api', 'worker'] as const;
  let restores = 0;

  const kill = (part: Fault['part']) => {
    nodes[part].process.kill('SIGKILL');
    return nodes[part].stop();
  };
  const start = async (part: Fault['part'], aheadSeconds = 0) => {
    nodes[part] = await startNode({
      ...environments[part],
      ...(aheadSeconds !== 0 && clockAhead(aheadSeconds * 1_000)),
    });
  };

  const faults: Record<Fault['fault'], (during: () => Promise<void>, fault: Fault) => Promise<void>> = {
    async 'a node is killed'(during, { part }) {
      await kill(part);
      await during();
      await start(part);
    },
    async 'a node is paused'(during, { part }) {
      nodes[part].process.kill('SIGSTOP');
      await during();
      nodes[part].process.kill('SIGCONT');
    },
    async 'a node starts with another clock'(during, { part, aheadSeconds }) {
      await nodes[part].stop();
      await start(part, aheadSeconds);
      await during();
    },
    async 'Postgres is killed'(during) {
      await postgres.kill();
      await during();
      await postgres.resume();
    },
    async 'Postgres is paused'(during) {
      signalAll(postgres, 'SIGSTOP');
      await during();
      signalAll(postgres, 'SIGCONT');
    },
    async 'Postgres is cut off'(during) {
      toPostgres.moveTo(null);
      await during();
      toPostgres.moveTo(postgres.url);
    },
    async 'Postgres is silent'(during) {
      toPostgres.blackHole();
      await during();
      toPostgres.heal();
      // The nodes would notice the last of their old connections in a later episode.
      toPostgres.moveTo(postgres.url);
    },
    async 'the clock of Postgres is wrong'(during, { aheadSeconds }) {
      await setAhead(aheadSeconds);
      await during();
      await setAhead(0);
    },
    async 'NATS is killed'(during) {
      process.kill(nats.pid(), 'SIGKILL');
      // It waits for the end of the process.
      await nats.suspend();
      await during();
      await nats.resume();
    },
    async 'NATS is paused'(during) {
      process.kill(nats.pid(), 'SIGSTOP');
      await during();
      process.kill(nats.pid(), 'SIGCONT');
    },
    async 'NATS is cut off'(during) {
      toNats.moveTo(null);
      await during();
      toNats.moveTo(nats.url);
    },
  };

  /** Physical copies have the clock that can be moved; a dump does not. */
  async function setAhead(seconds: number): Promise<void> {
    const session = openSession(postgres.superuserUrl);
    await session`update moved.clock set ahead = make_interval(secs => ${seconds})`;
    await session.end();
  }

  /** The copy has commands that wait for the relay. */
  async function copyWithOpenCommands(way: string, beforeCopy: () => void): Promise<Copying> {
    const copy = ways[way];
    if (!copy) throw new Error(`There is no ${way}.`);
    const letRelayGoOn = await holdRelay(postgres);
    try {
      await delay(RELAY_HELD_MS);
      beforeCopy();
      return await copy(postgres);
    } finally {
      letRelayGoOn();
    }
  }

  /** A backend may still end a statement that it got before the cut. */
  async function untilLeft(): Promise<void> {
    const session = openSession(postgres.superuserUrl);
    const left = async () => (await session`select from pg_stat_activity where usename = 'platform'`).length;
    await vi.waitFor(async () => expect(await left()).toBe(0), soon);
    await session.end();
  }

  /** The URL of the platform stays the same. */
  async function keepPassword({ superuserUrl }: PrivatePostgres): Promise<void> {
    const session = openSession(superuserUrl);
    await session.unsafe(`alter role platform password '${password}'`);
    await session.end();
  }

  return {
    ...cell,
    /** Of the superuser. */
    databaseUrl: () => postgres.superuserUrl,
    restores: () => restores,
    /** What the nodes have logged of errors since they were started. */
    errors: () =>
      parts.flatMap((part) =>
        `${nodes[part].stdout()}${nodes[part].stderr()}`
          .split('\n')
          .filter((line) => /"level":"?(error|fatal|50|60)/.test(line)),
      ),
    hasAllNodes: () =>
      parts.every((part) => nodes[part].process.exitCode === null && nodes[part].process.signalCode === null),
    /** In seconds, when the current generation began. */
    async generationBeganAt(): Promise<number> {
      const session = openSession(postgres.superuserUrl);
      const [row] = await session<{ at: number }[]>`
        select extract(epoch from max(began_at))::float8 as at from database_generations`;
      await session.end();
      return row?.at ?? 0;
    },
    suffer: (fault: Fault) => faults[fault.fault](() => delay(fault.seconds * 1_000), fault),
    /** Puts a copy of the database in its place. What the original has got meanwhile is lost. */
    async restore(
      way: string,
      meanwhile: () => Promise<void>,
      { beforeCopy, onLost, onCopy }: Restoring,
    ): Promise<void> {
      const original = postgres;
      const copying = await copyWithOpenCommands(way, beforeCopy);
      await meanwhile();
      toPostgres.moveTo(null);
      if (!copying.isShown) for (const part of parts) await kill(part);
      await untilLeft();
      await onLost(original);
      postgres = await copying.start();
      restores += 1;
      await keepPassword(postgres);
      await onCopy(postgres, copying.isShown);
      await shortenDeadlines(postgres);
      toPostgres.moveTo(postgres.url);
      if (!copying.isShown) {
        expect(await runMain(['declare-restored'], environment)).toMatchObject({ exitCode: 0 });
        for (const part of parts) await start(part);
      }
      if (postgres !== original) await original.stop();
    },
  };
}

export type FaultyCell = Awaited<ReturnType<typeof startFaultyCell>>;
