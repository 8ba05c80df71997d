import { setTimeout as pause } from 'node:timers/promises';
import { prepareWrk } from '../generator/wrk.js';
import { type Platform, startPlatform } from '../platform.js';
import { cpuMsOf } from '../process-figures.js';
import { alternate, type Run } from '../results.js';
import { call, type Profile } from '../sign.js';
import { type Form, type Part, WARM_UP_SECONDS } from './part.js';

const COUNTS = [1, 4];
const TENANTS = 32;
const POLL_MS = 250;
const SLOTS_SETTLE_MS = 10_000;

export const relays: Part = {
  about: `The whole life of the commands of ${TENANTS} tenants, two of each slot, with one and with four nodes of \`ROLE=worker\`, behind one \`ROLE=api\`, with an adapter of tenant \`platform\`. All share two cores with Postgres, NATS and the generator, so completed/s says little. The capacity is the rate at which the busiest worker would use one core of its own, if all others had theirs: 1000 divided by its CPU ms per command.`,
  async measure({ builds, pairs, seconds, environment }: Form) {
    const build = builds.at(-1) as (typeof builds)[number];
    const contenders: Record<string, () => Promise<Run>> = {};
    const stops: (() => Promise<unknown>)[] = [];
    for (const count of COUNTS) {
      const platform = await startPlatform({ build, roles: ['api'], environment });
      const workers = await Promise.all(Array.from({ length: count }, () => platform.startNode('worker')));
      stops.push(...workers.map(({ stop }) => stop), platform.stop);
      const pids = workers.map(({ pid }) => pid);
      await platform.startAdapter('platform');
      const profiles = await createTenants(platform);
      await measure(platform, pids, profiles, WARM_UP_SECONDS);
      contenders[`${count} ${count === 1 ? 'worker' : 'workers'}`] = () => measure(platform, pids, profiles, seconds);
    }
    await pause(SLOTS_SETTLE_MS);
    const measured = await alternate(contenders, pairs);
    for (const stop of stops) await stop();
    return measured;
  },
};

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

async function measure(
  { baseUrl, database }: Platform,
  workers: readonly number[],
  profile: Profile[],
  seconds: number,
): Promise<Run> {
  const load = prepareWrk({ baseUrl, profile, seconds });
  const before = workers.map(cpuMsOf);
  const answers = await load();
  const isOpen = async () => (await database.sql`select from commands where completed_at is null limit 1`).length > 0;
  while (await isOpen()) await pause(POLL_MS);
  const spentMs = workers.map((pid, at) => cpuMsOf(pid) - (before[at] ?? 0));
  const busiest = Math.max(...spentMs);
  return {
    'completed/s': answers.accepted / answers.seconds,
    'CPU ms per command, all workers': spentMs.reduce((sum, ms) => sum + ms, 0) / answers.accepted,
    'CPU ms per command, the busiest worker': busiest / answers.accepted,
    'capacity, commands/s': (1000 * answers.accepted) / busiest,
  };
}
