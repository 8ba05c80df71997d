import { constants, setPriority } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Build } from '../builds.js';
import { prepareWrk } from '../generator/wrk.js';
import { type Platform, startPlatform } from '../platform.js';
import { cpuMsOf } from '../process-figures.js';
import { alternate, type Run } from '../results.js';
import { call, type Profile } from '../sign.js';
import type { Form, Part } from './part.js';

const COUNTS = [1, 4];
const TENANTS = 32;
const BACKLOG = 100_000;
const WARM_UP = 40_000;
const TIMEOUT_SECONDS = 300;
const SLICE_SECONDS = 2;
const POLL_MS = 250;
const IDLE_MS = 10_000;

export const relays: Part = {
  about: `One node with \`ROLE=api\` accepts ${BACKLOG} commands of ${TENANTS} tenants, two of each slot. Then one node with \`ROLE=worker\` starts, or four, and an adapter of tenant \`platform\`, until each command has ended. Measured are the commands after the first ${WARM_UP}: each process compiles its code first. The workers have the lowest priority, so work waits for them, as it does at their limit. All share two cores with Postgres and NATS, so completed/s shows nothing here. The capacity is the rate at which the busiest worker would use one core of its own: what it uses while idle, and its CPU for each command.`,
  measure: ({ builds, pairs, environment }: Form) => {
    const build = builds.at(-1) as Build;
    const contenders = COUNTS.map((count) => [
      `${count} ${count === 1 ? 'worker' : 'workers'}`,
      () => measure(build, environment, count),
    ]);
    return alternate(Object.fromEntries(contenders), pairs);
  },
};

async function measure(build: Build, environment: Record<string, string>, count: number): Promise<Run> {
  const platform = await startPlatform({ build, roles: ['api'], environment });
  const stops = [platform.stop];
  try {
    const { baseUrl, database } = platform;
    const profile = await createTenants(platform);
    let accepted = 0;
    while (accepted < BACKLOG) {
      accepted += (await prepareWrk({ baseUrl, profile, seconds: SLICE_SECONDS, timeoutSeconds: TIMEOUT_SECONDS })())
        .accepted;
    }
    const workers = await Promise.all(
      Array.from({ length: count }, async () => {
        const { pid, stop } = await platform.startNode('worker');
        stops.unshift(async () => void (await stop()));
        setPriority(pid, constants.priority.PRIORITY_LOW);
        return pid;
      }),
    );
    await platform.startAdapter('platform');
    const untilOpen = async (most: number) => {
      for (;;) {
        const [open] = await database.sql`select count(*)::int from commands where completed_at is null`;
        if (open?.count <= most) return { open: open?.count, at: performance.now(), cpuMs: workers.map(cpuMsOf) };
        await pause(POLL_MS);
      }
    };
    const start = await untilOpen(accepted - WARM_UP);
    const end = await untilOpen(0);
    const spentMs = workers.map((_, index) => (end.cpuMs[index] ?? 0) - (start.cpuMs[index] ?? 0));
    const busiest = Math.max(...spentMs);
    const completed = start.open;
    await pause(IDLE_MS);
    const idle = Math.max(...workers.map((pid, index) => cpuMsOf(pid) - (end.cpuMs[index] ?? 0))) / IDLE_MS;
    const perCommand = (busiest - idle * (end.at - start.at)) / completed;
    const [succeeded] = await database.sql`select count(*)::int from commands where status = 'SUCCEEDED'`;
    return {
      'completed/s': (1000 * completed) / (end.at - start.at),
      'SUCCEEDED of accepted': succeeded?.count / accepted,
      'CPU ms per command, all workers': spentMs.reduce((sum, ms) => sum + ms, 0) / completed,
      'CPU ms per command, the busiest worker': busiest / completed,
      'CPU of an idle worker, % of a core': 100 * idle,
      'capacity, commands/s': (1000 * (1 - idle)) / perCommand,
    };
  } finally {
    for (const stop of stops) await stop();
  }
}

async function createTenants({ baseUrl, admin, database }: Platform): Promise<Profile[]> {
  const found = await database.sql`
    select name from (
      select name, row_number() over (partition by tenant_slot_v1(name) order by name) as number
      from (select 'tenant-' || n as name from generate_series(1, 1000) n) as candidates
    ) as numbered where number <= ${TENANTS / 16}`;
  return Promise.all(
    found.map(async ({ name }) => {
      const tenants = '/api/v1/platform/tenants';
      const post = (target: string, value: object) => call(baseUrl, admin, ['POST', tenants + target], value, 201);
      await post('', { tenant_id: name, name });
      const { secret = '' } = await post(`/${name}/credentials`, { client_id: name, name });
      await post(`/${name}/role-bindings`, { client_id: name, role: 'integration_operator' });
      return { tenant_id: name, client_id: name, secret };
    }),
  );
}
