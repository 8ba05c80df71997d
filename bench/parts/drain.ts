import type { Build } from '../builds.js';
import { prepareWrk } from '../generator/wrk.js';
import { cpuMeasures } from '../measures.js';
import { type Platform, startPlatform } from '../platform.js';
import type { Run } from '../results.js';
import { measureBuilds, type Part } from './part.js';

const BACKLOG = 100_000;
const TIMEOUT_SECONDS = 300;
const SLICE_SECONDS = 5;

export const drain: Part = {
  about: `One node with \`ROLE=api\` accepts ${BACKLOG} commands with a timeout of ${TIMEOUT_SECONDS} s. Then a node with \`ROLE=worker\` and the adapter of steady-state start. The table shows the rate over all commands, and over the first and the last fifth of them.`,
  measure: (form) => measureBuilds(form, (build) => measureDrain(build, form.environment)),
};

async function measureDrain(build: Build, environment: Record<string, string>): Promise<Run> {
  const platform = await startPlatform({ build, roles: ['api'], environment });
  try {
    await fill(platform);
    await platform.startNode('worker');
    await platform.startAdapter();
    const before = platform.cpuMs();
    await platform.database.drained();
    const after = platform.cpuMs();
    const { byStatus } = await platform.database.outcomes();
    const stored = Object.values(byStatus).reduce((a, b) => a + b, 0);
    return {
      commands: stored,
      ...(await rates(platform, 'dispatched')),
      ...(await rates(platform, 'completed')),
      ...cpuMeasures(before, after, stored),
      ...Object.fromEntries(
        Object.entries(byStatus).map(([status, count]) => [`${status} of accepted`, count / stored]),
      ),
    };
  } finally {
    await platform.stop();
  }
}

async function fill({ baseUrl, demo, database }: Platform): Promise<void> {
  for (let stored = 0; stored < BACKLOG; stored = await database.backlog()) {
    const load = prepareWrk({ baseUrl, profile: demo, seconds: SLICE_SECONDS, timeoutSeconds: TIMEOUT_SECONDS });
    const { accepted, refused } = await load();
    if (accepted === 0)
      throw new Error(`${stored} commands wait and ${refused} were refused, so there is no backlog to drain.`);
  }
}

/**
 * Commands per second, from the instants of one status change: over all commands, and over the first and the last
 * fifth.
 */
async function rates({ database: { sql } }: Platform, move: 'dispatched' | 'completed'): Promise<Run> {
  const [row] = await sql`select count(*)::int as count, (select array_agg(extract(epoch from at)::float8) from unnest(
      percentile_disc(array[0, 0.2, 0.8, 1]) within group (order by ${sql(`${move}_at`)})) as at) as instants
    from commands where ${sql(`${move}_at`)} is not null`;
  const { count, instants } = row as { count: number; instants: [number, number, number, number] };
  const [first, endOfFirstFifth, startOfLastFifth, last] = instants;
  return {
    [`${move}/s`]: count / (last - first),
    [`${move}/s, first fifth`]: (0.2 * count) / (endOfFirstFifth - first),
    [`${move}/s, last fifth`]: (0.2 * count) / (last - startOfLastFifth),
  };
}
