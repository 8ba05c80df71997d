import { setTimeout as pause } from 'node:timers/promises';
import { fillDatabase } from '../filler.js';
import { measureLists } from '../lists.js';
import { type Platform, type PlatformOptions, startPlatform } from '../platform.js';
import { alternate } from '../results.js';
import { post } from '../sign.js';
import { measureAnswers } from './accepting.js';
import type { Form, Part } from './part.js';
import { WARM_UP_SECONDS } from './part.js';

export const filledDatabase: Part = {
  about:
    'Accepting on two databases. `empty` has no commands. `filled` has the number of commands in the row `commands`, all of one tenant, with their events and history, a tenth as many device requests and audit events, 100,000 credentials, 500,000 role bindings and 500,000 policies. Then a page of every list: the median of five, for the slowest value of a filter and for the slowest pair of filters. A list that did not answer 200 has the status in its name.',
  async measure({ builds, pairs, seconds, commands, environment }: Form) {
    const build = builds.at(-1);
    if (!build) throw new Error('There is no build.');
    const options = {
      build,
      roles: ['api'],
      environment: {
        ...environment,
        SIMULATED_FLEET: 'true',
        CREDENTIALS_PER_TENANT: '1000000',
        ROLE_BINDINGS_PER_TENANT: '1000000',
      },
    };
    const [empty, filled] = [await startWithOneCommand(options), await startWithOneCommand(options)];
    console.error(`  writing ${commands} commands`);
    await fillDatabase(filled.database.sql, commands);
    const platforms = { empty, filled };
    for (const platform of Object.values(platforms)) await measureAnswers(platform, WARM_UP_SECONDS);
    const contenders = Object.entries(platforms).map(([name, platform]) => [
      name,
      () => measureAnswers(platform, seconds),
    ]);
    const measured = await alternate(Object.fromEntries(contenders), pairs);
    for (const [name, platform] of Object.entries(platforms)) {
      const [first = {}] = measured[name] ?? [];
      Object.assign(first, { commands: await platform.database.accepted('-infinity') }, await measureLists(platform));
    }
    await Promise.all([empty.stop(), filled.stop()]);
    return measured;
  },
};

/** The filler copies a command that the platform itself has completed. */
async function startWithOneCommand(options: PlatformOptions): Promise<Platform> {
  const platform = await startPlatform(options);
  const command = {
    vendor: 'vendor_a',
    device_id: 'ok-1',
    command_type: 'reboot',
    payload: {},
    idempotency_key: 'first',
  };
  await post(platform.baseUrl, platform.demo, '/api/v1/open/downlink/commands', command, 202);
  const worker = await platform.startNode('worker');
  await platform.database.drained();
  // The simulated device asks for newer firmware a moment later.
  await pause(1_000);
  await worker.stop();
  return platform;
}
