import { setTimeout as pause } from 'node:timers/promises';
import type { Build } from '../builds.js';
import { limitCpu } from '../cpu-quota.js';
import { prepareWrk } from '../generator/wrk.js';
import { type Platform, startPlatform } from '../platform.js';
import { cpuMsOf, machineCpuMs } from '../process-figures.js';
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
const SHARE = 0.1;
/** Until the queues that a worker kept while it was quicker are empty. */
const SETTLE_MS = 5_000;
const MEASURED = 30_000;

export const relays: Part = {
  about: `One node with \`ROLE=api\` accepts ${BACKLOG} commands of ${TENANTS} tenants, two of each slot. Then one node with \`ROLE=worker\` starts, or four, and an adapter of tenant \`platform\`. After ${WARM_UP} commands each worker may use only ${100 * SHARE} % of a core, by a control group: so workers are the limit, as they are on machines of their own, and Postgres, NATS and the adapter are not. The next ${MEASURED} commands are measured. Needs root.`,
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
    const workers = await Promise.all(Array.from({ length: count }, () => platform.startNode('worker')));
    await platform.startAdapter('platform');
    const countOpen = async (most: number) => {
      for (;;) {
        const [open] = await database.sql`select count(*)::int from commands where completed_at is null`;
        if (open?.count <= most) return open?.count as number;
        await pause(POLL_MS);
      }
    };
    await countOpen(accepted - WARM_UP);
    const pids = workers.map(({ pid }) => pid);
    const limit = limitCpu(pids, SHARE);
    stops.unshift(
      ...workers.map(
        ({ stop }) =>
          async () =>
            void (await stop()),
      ),
    );
    stops.push(async () => limit.remove());
    await pause(SETTLE_MS);
    const measure = async () => ({
      open: await countOpen(accepted),
      at: performance.now(),
      cpuMs: pids.reduce((sum, pid) => sum + cpuMsOf(pid), 0),
      machineMs: machineCpuMs(),
    });
    const start = await measure();
    while ((await countOpen(accepted)) > start.open - MEASURED) await pause(POLL_MS);
    const end = await measure();
    const completed = start.open - end.open;
    const seconds = (end.at - start.at) / 1000;
    await countOpen(0);
    const [succeeded] = await database.sql`select count(*)::int from commands where status = 'SUCCEEDED'`;
    return {
      'completed/s': completed / seconds,
      'SUCCEEDED of accepted': succeeded?.count / accepted,
      'CPU ms per command, all workers': (end.cpuMs - start.cpuMs) / completed,
      'cores used by the workers': (end.cpuMs - start.cpuMs) / 1000 / seconds,
      'cores used, the whole machine': (end.machineMs - start.machineMs) / 1000 / seconds,
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
