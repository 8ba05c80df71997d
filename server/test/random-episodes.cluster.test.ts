import { setTimeout as delay } from 'node:timers/promises';
import { atEnd } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';
import { move, runMove } from './support/cells.js';
import { ways } from './support/copies.js';
import { type Episode, isPromotion, scheduleOf } from './support/episodes.js';
import { type FaultyCell, startFaultyCell } from './support/faulty-cell.js';
import { neighboursOf } from './support/neighbours.js';
import { newPrincipal } from './support/new-principal.js';
import { startLink } from './support/start-link.js';
import { storedGenerations } from './support/stored.js';
import { type WatchedTenant, watchTenant } from './support/watched-tenant.js';

/** Each kind once. */
const EPISODES = Number(process.env.EPISODES ?? 18);
/** The same seed makes the same schedule. */
const SEED = Number(process.env.EPISODES_SEED ?? Math.floor(Math.random() * 1_000_000));
/** Of the tenant that moves. */
const PER_SECOND = Number(process.env.EPISODES_PER_SECOND ?? 15);

const TENANT = 'acme';
const PER_SECOND_OF_NEIGHBOUR = 3;
const DEVICE_TAKES_MS = 500;
const CHECKED_EVERY = 4;
const soon = { timeout: 120_000, interval: 100 };

/** Two cells. A tenant moves between them; two tenants in each of them do not. */
async function startWorld() {
  const cells = await Promise.all([startFaultyCell(), startFaultyCell()]);
  const newTenant = async (cell: FaultyCell, tenant_id: string) => {
    await cell.call('POST', 'platform/tenants', { tenant_id, name: tenant_id });
    await cell.call('POST', `platform/tenants/${tenant_id}/bus/principals`, newPrincipal());
    return cell.newProfile(tenant_id, 'integration_operator');
  };
  const neighboursIn = (cell: FaultyCell) =>
    Promise.all(
      neighboursOf(TENANT).map(async (tenantId) => {
        const profile = await newTenant(cell, tenantId);
        const ran: string[] = [];
        await cell.serve(tenantId, ran);
        return watchTenant({ tenantId, profile, perSecond: PER_SECOND_OF_NEIGHBOUR, ran });
      }),
    );
  let [here, there] = cells as [FaultyCell, FaultyCell];
  const address = await startLink(here.baseUrl);
  atEnd(address.stop);
  const profile = await newTenant(here, TENANT);
  profile.base_url = address.through(here.baseUrl).replace(/\/$/, '');
  const ran: string[] = [];
  await here.serve(TENANT, ran, DEVICE_TAKES_MS);
  // It waits for its durable, which the cell makes once the tenant is there.
  void there.serve(TENANT, ran, DEVICE_TAKES_MS);
  const mover = watchTenant({ tenantId: TENANT, profile, perSecond: PER_SECOND, ran });
  const neighbours = new Map(await Promise.all(cells.map(async (cell) => [cell, await neighboursIn(cell)] as const)));

  /** Until the cell without the tenant has deleted what it had. Before a first move it has nothing. */
  const untilForgotten = () =>
    vi.waitFor(async () => {
      const isForgotten = await there.call('GET', `platform/tenants/${TENANT}`).then(
        (row) => row.deletion?.finished_at != null,
        (error) => / answered 404:/.test(error),
      );
      expect(isForgotten).toBe(true);
    }, soon);
  const moveKilledAt = (step: string) => runMove(here, there, [TENANT, '--to-url', there.baseUrl], step);

  const tenantsIn = (cell: FaultyCell): WatchedTenant[] => [
    ...(cell === here ? [mover] : []),
    ...(neighbours.get(cell) ?? []),
  ];
  return {
    cells,
    tenantsIn,
    tenants: [mover, ...[...neighbours.values()].flat()],
    mover,
    cellOf: (tenant: WatchedTenant) => cells.find((cell) => tenantsIn(cell).includes(tenant)) as FaultyCell,
    /** Begins a move, or goes on with it, and ends it. */
    async move(): Promise<void> {
      await move(here, there, TENANT);
      [here, there] = [there, here];
      address.moveTo(here.baseUrl);
    },
    /** This happens at that step. The move may fail then. */
    moveStruckAt: (step: string, act: () => Promise<void>) =>
      runMove(here, there, [TENANT, '--to-url', there.baseUrl], step, act),
    moveKilledAt,
    untilForgotten,
    sides: () => ({ source: here, target: there }),
    async undo(): Promise<void> {
      expect(await runMove(here, there, ['--undo', TENANT])).toMatchObject({ exitCode: 0 });
    },
    async restore(cell: FaultyCell, way: string, meanwhile: () => Promise<void>): Promise<void> {
      const tenants = tenantsIn(cell);
      await cell.restore(way, meanwhile, {
        beforeCopy: () => {
          for (const tenant of tenants) tenant.beforeCopy();
        },
        async onLost({ superuserUrl }) {
          for (const tenant of tenants) await tenant.onLost(superuserUrl);
        },
        async onCopy({ superuserUrl }, isShown) {
          for (const tenant of tenants) await tenant.onCopy(superuserUrl, !isShown);
        },
      });
    },
  };
}

type World = Awaited<ReturnType<typeof startWorld>>;

/** Lets it happen, and returns whom it concerns. */
async function play(world: World, episode: Episode): Promise<FaultyCell[]> {
  const { cells } = world;
  switch (episode.kind) {
    case 'fault':
      await cells[episode.cell]?.suffer(episode);
      return [cells[episode.cell] as FaultyCell];
    case 'move':
      await world.untilForgotten();
      for (const step of episode.killedAt) await world.moveKilledAt(step);
      await world.move();
      return [];
    case 'undone move':
      await world.untilForgotten();
      await world.moveKilledAt(episode.killedAt);
      await world.undo();
      return [];
    case 'struck move': {
      const struck = cells[episode.struckBy.cell] as FaultyCell;
      await world.untilForgotten();
      await world.moveStruckAt(episode.step, () => struck.suffer(episode.struckBy));
      await world.move();
      return [struck];
    }
    case 'restored move': {
      const { [episode.side]: cell } = world.sides();
      const [first, second] = episode.killedAt;
      await world.untilForgotten();
      await world.moveKilledAt(first);
      await world.restore(cell, episode.way, async () => {
        expect((await world.moveKilledAt(second)).exitCode).toBe(null);
      });
      if (episode.isUndone) await world.undo();
      else await world.move();
      return [cell];
    }
    case 'restore': {
      const cell = cells[episode.cell] as FaultyCell;
      await world.restore(cell, episode.way, () => delay(episode.seconds * 1_000));
      return [cell];
    }
  }
}

const counts = { commands: 0, moves: 0, undone: 0, restores: 0, promotions: 0, faults: 0 };

function count(episode: Episode): void {
  if (episode.kind === 'fault') counts.faults++;
  if (episode.kind === 'undone move' || ('isUndone' in episode && episode.isUndone)) counts.undone++;
  else if (episode.kind.endsWith('move')) counts.moves++;
  if ('way' in episode) counts[isPromotion(episode.way) ? 'promotions' : 'restores']++;
}

/** Whether the database of a cell may have been away in the episode. */
const losesDatabase = (episode: Episode): boolean =>
  'way' in episode ||
  (episode.kind === 'fault' && episode.fault.startsWith('Postgres')) ||
  (episode.kind === 'struck move' && episode.struckBy.fault.startsWith('Postgres'));

/** What may refuse a tenant in an episode. A tenant that the episode does not concern is not refused. */
const allowedTo = (episode: Episode, isMoved: boolean, isConcerned: boolean): string[] => [
  ...(isMoved || isConcerned ? ['SERVICE_UNAVAILABLE', 'NO_ANSWER'] : []),
  ...(isMoved ? ['TENANT_MOVING'] : []),
  // The connection to the database was lost in a commit.
  ...(losesDatabase(episode) && (isMoved || isConcerned) ? ['INTERNAL_ERROR'] : []),
];

/** After a restore, what was signed before it is refused, and nothing else. */
async function checkRefusals(world: World, episode: Episode, concerned: FaultyCell[], sinceMs: number): Promise<void> {
  for (const tenant of world.tenants) {
    const cell = world.cellOf(tenant);
    const isConcerned = concerned.includes(cell);
    const isMoved = tenant === world.mover && episode.kind.endsWith('move');
    const allowed = allowedTo(episode, isMoved, isConcerned);
    const beganAt = isConcerned && 'way' in episode ? await cell.generationBeganAt() : 0;
    const wrong = tenant
      .refusalsSince(sinceMs)
      .filter(({ code, signedAt }) => !allowed.includes(code) && !(code === 'CLOCK_SKEW' && signedAt < beganAt));
    const ofFollower = tenant
      .refusalsOfFollower()
      .filter((code) => !allowed.includes(code) && !(code === 'CLOCK_SKEW' && beganAt > 0));
    const nothing = { tenant: tenant.tenantId, wrong: [], ofFollower: [] };
    expect({ tenant: tenant.tenantId, wrong, ofFollower }).toEqual(nothing);
  }
}

/** Once the database is back, and each caller was served, nothing is refused any more. */
async function checkServed(tenants: WatchedTenant[]): Promise<void> {
  const servedAtMs = Date.now();
  await served(tenants);
  const late = tenants.flatMap((tenant) => tenant.refusalsSince(servedAtMs));
  expect(late.filter(({ code }) => code !== 'CLOCK_SKEW')).toEqual([]);
}

async function checkAll(world: World, isLast = false): Promise<void> {
  for (const cell of world.cells) {
    expect(cell.hasAllNodes()).toBe(true);
    const causes = await storedGenerations(cell.databaseUrl());
    expect(causes).toHaveLength(1 + cell.restores());
  }
  for (const tenant of world.tenants) await tenant.check(world.cellOf(tenant).databaseUrl(), isLast);
}

const served = (tenants: WatchedTenant[]) => Promise.all(tenants.map((tenant) => tenant.isServed()));

async function playAll(world: World, schedule: Episode[], onBegin: (index: number) => void): Promise<void> {
  for (const [index, episode] of schedule.entries()) {
    onBegin(index);
    const startedAtMs = Date.now();
    const concerned = await play(world, episode);
    await served(world.tenants);
    if ('way' in episode) {
      const tenants = concerned.flatMap(world.tenantsIn);
      for (const tenant of tenants) await tenant.refusesCaptured();
      await checkServed(tenants);
    }
    await checkRefusals(world, episode, concerned, startedAtMs);
    count(episode);
    if (index % CHECKED_EVERY === CHECKED_EVERY - 1) await checkAll(world);
    console.log(
      `${index + 1}/${schedule.length} ${describe(episode)}: ${Math.round((Date.now() - startedAtMs) / 1_000)} s`,
    );
  }
}

const describe = ({ kind, ...rest }: Episode) => `${kind} ${JSON.stringify(rest)}`;

test(`EPISODES_SEED=${SEED} EPISODES=${EPISODES}: nothing is lost, doubled or out of order, no generation is false, and only who is concerned is refused`, {
  timeout: 300_000 + EPISODES * 120_000,
}, async () => {
  const schedule = scheduleOf(SEED, EPISODES, Object.keys(ways));
  const world = await startWorld();
  let current = 0;
  try {
    await served(world.tenants);
    await playAll(world, schedule, (index) => {
      current = index;
    });
    for (const tenant of world.tenants) await tenant.stop();
    await checkAll(world, true);
  } catch (error) {
    const lines = schedule.map(
      (episode, index) => `${index === current ? '->' : '  '} ${index + 1} ${describe(episode)}`,
    );
    console.error([`EPISODES_SEED=${SEED} EPISODES=${EPISODES} failed in:`, ...lines].join('\n'));
    for (const [number, cell] of world.cells.entries())
      console.error(`The nodes of cell ${number}:`, cell.errors().slice(-20).join('\n'));
    throw error;
  } finally {
    counts.commands = world.tenants.reduce((sum, tenant) => sum + tenant.accepted(), 0);
    console.log(`EPISODES_SEED=${SEED}: ${JSON.stringify(counts)}`);
  }
});
