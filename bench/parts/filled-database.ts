import type { Build } from '../builds.js';
import { fillDatabase } from '../filler.js';
import { prepareWrk } from '../generator/wrk.js';
import { measureLifeCycle } from '../life-cycle.js';
import { measureLists } from '../lists.js';
import { type Platform, startPlatform } from '../platform.js';
import { alternate } from '../results.js';
import { post } from '../sign.js';
import { type Form, type Part, WARM_UP_SECONDS } from './part.js';

export const filledDatabase: Part = {
  about:
    'The whole life of a command as in steady-state, with a node of `ROLE=api` and one of `ROLE=worker`, on an empty and on a filled database; with `--against` also on one that the other build has filled. `empty` has no commands. `filled` has the number of commands in the row `commands`, all of one tenant, with their events and history, a tenth as many device requests and audit events, 100,000 credentials, 500,000 role bindings and 500,000 policies. Then a page of every list: the median of five, for the slowest value of a filter and for the slowest pair of filters. A list that did not answer 200 has the status in its name.',
  async measure({ builds, pairs, seconds, commands, environment }: Form) {
    const last = builds.at(-1);
    if (!last) throw new Error('There is no build.');
    const platforms = { empty: await startWithOneCommand(last, environment) } as Record<string, Platform>;
    for (const build of builds) {
      const filled = await startWithOneCommand(build, environment);
      console.error(`  writing ${commands} commands`);
      await fillDatabase(filled.database.sql, commands);
      platforms[build === last ? 'filled' : `${build.name}, filled`] = filled;
    }
    for (const platform of Object.values(platforms)) {
      await platform.startNode('worker');
      await prepareWrk({ ...platform, profile: platform.demo, seconds: WARM_UP_SECONDS })();
      await platform.database.drained();
    }
    const contenders = Object.entries(platforms).map(([name, platform]) => [
      name,
      () => measureLifeCycle(platform, seconds, prepareWrk({ ...platform, profile: platform.demo, seconds })),
    ]);
    const measured = await alternate(Object.fromEntries(contenders), pairs);
    for (const [name, platform] of Object.entries(platforms)) {
      const [first = {}] = measured[name] ?? [];
      Object.assign(first, { commands: await platform.database.commands() }, await measureLists(platform));
    }
    await Promise.all(Object.values(platforms).map((platform) => platform.stop()));
    return measured;
  },
};

/** The filler copies a command that the platform itself has completed. Nothing relays while it writes. */
async function startWithOneCommand(build: Build, environment: Record<string, string>): Promise<Platform> {
  const platform = await startPlatform({
    build,
    roles: ['api'],
    environment: { ...environment, CREDENTIALS_PER_TENANT: '1000000', ROLE_BINDINGS_PER_TENANT: '1000000' },
  });
  const worker = await platform.startNode('worker');
  await platform.startAdapter();
  const command = {
    vendor: 'vendor_a',
    device_id: 'ok-1',
    command_type: 'reboot',
    payload: {},
    idempotency_key: 'first',
  };
  await post(platform.baseUrl, platform.demo, '/api/v1/open/downlink/commands', command, 202);
  await platform.database.drained();
  await worker.stop();
  return platform;
}
