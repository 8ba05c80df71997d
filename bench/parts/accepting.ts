import { prepareWrk } from '../generator/wrk.js';
import { answerMeasures, cpuMeasures } from '../measures.js';
import { startPlatform } from '../platform.js';
import { alternate, type Run } from '../results.js';
import type { Profile } from '../sign.js';
import { type Form, type Part, startYardstick, WARM_UP_SECONDS } from './part.js';

/** Nothing dispatches the commands here, so their timeout must be long. */
const TIMEOUT_SECONDS = 300;

export const accepting: Part = {
  about:
    'Signed `commands.create` from 32 connections of `wrk`. The platform is one node with `ROLE=api`: it verifies the signature, admits the request and has the command on disk before it answers. The yardstick is Express, ts-rest and zod on the same operation, without authentication and database. The database has the statistics of an ordinary installation.',
  async measure({ builds, pairs, seconds, environment }: Form) {
    const yardstick = await startYardstick();
    const platforms = [];
    for (const build of builds) {
      platforms.push({ name: build.name, ...(await startPlatform({ build, roles: ['api'], environment })) });
    }
    const contenders = [{ name: 'yardstick', ...yardstick }, ...platforms];
    for (const each of contenders) await measureAnswers(each, WARM_UP_SECONDS);
    const measured = await alternate(
      Object.fromEntries(contenders.map((each) => [each.name, () => measureAnswers(each, seconds)])),
      pairs,
    );
    await Promise.all([yardstick, ...platforms].map((each) => each.stop()));
    return measured;
  },
};

type Contender = { baseUrl: string; demo: Profile; cpuMs: () => Record<string, number> };

export async function measureAnswers({ baseUrl, demo, cpuMs }: Contender, seconds: number): Promise<Run> {
  const load = prepareWrk({ baseUrl, profile: demo, seconds, timeoutSeconds: TIMEOUT_SECONDS });
  const before = cpuMs();
  const answers = await load();
  return { ...answerMeasures(answers), ...cpuMeasures(before, cpuMs(), answers.accepted) };
}
