import { CONNECTIONS, prepareWrk } from '../generator/wrk.js';
import { answerMeasures, cpuMeasures } from '../measures.js';
import { type Platform, startPlatform } from '../platform.js';
import { cpuMsByProcess } from '../process-figures.js';
import { alternate, type Run } from '../results.js';
import { measureAnswers } from './accepting.js';
import { type Form, type Part, WARM_UP_SECONDS } from './part.js';

const TIMEOUT_SECONDS = 300;

export const workers: Part = {
  about: `Accepting, as above, with \`WORKERS=1\` and with \`WORKERS=2\`, from ${CONNECTIONS} connections for each process. The generator and Postgres share the cores with the processes, so accepted/s cannot double here. CPU time can be measured: the capacity is the rate at which the busiest process would use one core of its own, if Postgres and the generator used other cores. It is 1000 divided by the CPU ms per command of that process.`,
  async measure({ builds, pairs, seconds, environment }: Form) {
    const build = builds.at(-1);
    if (!build) throw new Error('There is no build.');
    const contenders: Record<string, Contender> = {};
    for (const count of [1, 2]) {
      const settings = { ...environment, WORKERS: String(count) };
      const platform = await startPlatform({ build, roles: ['api'], environment: settings });
      contenders[`WORKERS=${count}`] = { ...platform, connections: CONNECTIONS * count };
    }
    for (const platform of Object.values(contenders)) await measureAnswers(platform, WARM_UP_SECONDS);
    const measured = await alternate(
      Object.fromEntries(
        Object.entries(contenders).map(([name, platform]) => [name, () => measureProcesses(platform, seconds)]),
      ),
      pairs,
    );
    for (const platform of Object.values(contenders)) await platform.stop();
    return measured;
  },
};

type Contender = Platform & { connections: number };

async function measureProcesses(platform: Contender, seconds: number): Promise<Run> {
  const { pid, cpuMs } = platform;
  const load = prepareWrk({ ...platform, profile: platform.demo, seconds, timeoutSeconds: TIMEOUT_SECONDS });
  const [before, processesBefore] = [cpuMs(), cpuMsByProcess(pid)];
  const answers = await load();
  const [after, processesAfter] = [cpuMs(), cpuMsByProcess(pid)];
  const spentMs = [...processesAfter].map(([each, ms]) => ms - (processesBefore.get(each) ?? 0));
  const busiest = Math.max(...spentMs);
  return {
    ...answerMeasures(answers),
    ...cpuMeasures(before, after, answers.accepted),
    'cores used by the busiest process': busiest / (1000 * answers.seconds),
    'capacity, commands/s': (1000 * answers.accepted) / busiest,
  };
}
