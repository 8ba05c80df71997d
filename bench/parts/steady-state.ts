import { prepareWrk } from '../generator/wrk.js';
import { measureLifeCycle } from '../life-cycle.js';
import { alternate, type Measured, type Run } from '../results.js';
import { measureAnswers } from './accepting.js';
import { withCarryingPlatform } from './carrying-platform.js';
import { type Form, type Part, startYardstick, WARM_UP_SECONDS } from './part.js';

const YARDSTICK_SECONDS = 10;
const FULL_LOAD_SECONDS = 75;

export const steadyState: Part = {
  about:
    'The whole life of a command: 32 connections of `wrk`, one node that does everything (`ROLE=all`) unless `--roles` says otherwise, Postgres, NATS, and an adapter in a process of its own that answers DELIVERED at once and SUCCEEDED after 0.1 s. A request to the yardstick is complete with its answer. The timeout is 30 s. The state is steady if accepted/s equals completed/s and the backlog does not grow after half time.',
  measure: (form) => measureOutcomes(form),
};

export const fullLoad: Part = {
  about: `As steady-state, for ${FULL_LOAD_SECONDS} s: the outcome of every accepted command.`,
  measure: (form) => measureOutcomes({ ...form, seconds: FULL_LOAD_SECONDS }),
};

async function measureOutcomes(form: Form): Promise<Measured> {
  const { builds, pairs, seconds } = form;
  const yardstick = await startYardstick();
  const measureYardstick = async (): Promise<Run> => {
    const run = await measureAnswers(yardstick, Math.min(seconds, YARDSTICK_SECONDS));
    return { 'completed/s during the load': run['accepted/s'] ?? 0, ...run };
  };
  await measureAnswers(yardstick, WARM_UP_SECONDS);
  const lives = builds.map((build) => [
    build.name,
    () =>
      withCarryingPlatform(build, form, (platform) =>
        measureLifeCycle(platform, seconds, prepareWrk({ ...platform, profile: platform.demo, seconds })),
      ),
  ]);
  const measured = await alternate({ yardstick: measureYardstick, ...Object.fromEntries(lives) }, pairs);
  await yardstick.stop();
  return measured;
}
