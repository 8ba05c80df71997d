import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PGlite } from '@electric-sql/pglite';
import type { Build } from '../builds.js';
import { prepareWrk } from '../generator/wrk.js';
import { answerMeasures, cpuMeasures } from '../measures.js';
import { startNode } from '../node-process.js';
import { cpuMsOf, residentMiB } from '../process-figures.js';
import type { Run } from '../results.js';
import { temporaryPath } from '../temporary-path.js';
import { type Form, measureBuilds, type Part, WARM_UP_SECONDS } from './part.js';

const TIMEOUT_SECONDS = 15;

/** Only one process can open the embedded database, so the outcomes are counted after the platform has stopped. */
export const embedded: Part = {
  about:
    'Full load from 32 connections of `wrk` on the default start: one process with the embedded database, the in-process bus and the simulated fleet. Completed: SUCCEEDED before the load ended. The share that SUCCEEDED is counted when every deadline is over.',
  measure: (form) => measureBuilds(form, (build) => measureEmbedded(build, form)),
};

async function measureEmbedded({ main }: Build, { seconds, environment }: Form): Promise<Run> {
  const directory = temporaryPath('data');
  const node = await startNode(main, {
    environment: {
      PORT: '0',
      LOG_LEVEL: 'warn',
      REQUESTS_PER_MINUTE: '1000000000',
      ...environment,
      DATA_DIR: directory,
    },
  });
  const profile = JSON.parse(readFileSync(join(directory, 'demo.json'), 'utf8'));
  const prepareLoad = (seconds: number) =>
    prepareWrk({ baseUrl: node.baseUrl, profile, seconds, timeoutSeconds: TIMEOUT_SECONDS });
  await prepareLoad(WARM_UP_SECONDS)();
  await pause(TIMEOUT_SECONDS * 1000);
  const load = prepareLoad(seconds);
  const cpuMs = () => ({ platform: cpuMsOf(node.pid) });
  const [from, before] = [new Date(), cpuMs()];
  const answers = await load();
  const [until, after, resident] = [new Date(), cpuMs(), residentMiB(node.pid)];
  await pause((TIMEOUT_SECONDS + 5) * 1000);
  await node.stop();
  const outcomes = await outcomesIn(join(directory, 'postgres'), from, until);
  return {
    ...answerMeasures(answers),
    'completed/s': outcomes.completed / answers.seconds,
    'SUCCEEDED, of accepted': outcomes.succeeded / answers.accepted,
    ...cpuMeasures(before, after, answers.accepted),
    'resident, highest MiB': resident.highest,
  };
}

async function outcomesIn(files: string, from: Date, until: Date): Promise<{ succeeded: number; completed: number }> {
  const database = await PGlite.create(files);
  const { rows } = await database.query<{ succeeded: number; completed: number }>(
    `select count(*)::int as succeeded, (count(*) filter (where completed_at <= $2))::int as completed
     from commands where accepted_at >= $1 and status = 'SUCCEEDED'`,
    [from, until],
  );
  await database.close();
  return rows[0] ?? { succeeded: 0, completed: 0 };
}
