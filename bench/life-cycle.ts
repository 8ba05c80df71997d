import { setTimeout as pause } from 'node:timers/promises';
import type { Answers } from './generator/wrk.js';
import { answerMeasures, cpuMeasures } from './measures.js';
import type { Platform } from './platform.js';
import { residentMiB } from './process-figures.js';
import type { Run } from './results.js';

/** The fate of every command that a load makes the platform accept, measured up to its outcome. */
export async function measureLifeCycle(
  platform: Platform,
  seconds: number,
  load: () => Promise<Answers>,
): Promise<Run> {
  const { database } = platform;
  const rowsBefore = await database.rowsWritten();
  const [walBefore, since] = [await database.walBytes(), await database.now()];
  const cpuBefore = platform.cpuMs();

  const [answers, backlogAtHalf] = await Promise.all([load(), pause(500 * seconds).then(database.backlog)]);
  const until = await database.now();
  const [backlog, completed] = [await database.backlog(), await database.succeededBetween(since, until)];
  const loadEndedAt = performance.now();
  await database.drained();
  const drainSeconds = (performance.now() - loadEndedAt) / 1000;

  const cpuAfter = platform.cpuMs();
  const walBytes = (await database.walBytes()) - walBefore;
  const rowsAfter = await database.rowsWritten();
  const { byStatus, ...latencies } = await database.outcomes(since);
  const stored = Object.values(byStatus).reduce((a, b) => a + b, 0);
  const rows = (of: (written: typeof rowsAfter) => number) => of(rowsAfter) - of(rowsBefore);
  return {
    'completed/s during the load': completed / answers.seconds,
    ...answerMeasures(answers),
    'backlog at half time': backlogAtHalf,
    'backlog at the end': backlog,
    'drained after s': drainSeconds,
    ...Object.fromEntries(Object.entries(byStatus).map(([status, count]) => [`${status} of accepted`, count / stored])),
    'accept → dispatched p50 ms': latencies.dispatchedP50Ms,
    'accept → dispatched p99 ms': latencies.dispatchedP99Ms,
    'accept → SUCCEEDED p50 ms': latencies.succeededP50Ms,
    'accept → SUCCEEDED p99 ms': latencies.succeededP99Ms,
    ...cpuMeasures(cpuBefore, cpuAfter, stored),
    'resident memory of the first node, highest MiB': residentMiB(platform.pid).highest,
    'WAL bytes per command': walBytes / stored,
    'rows written per command': rows(({ inserted, updated, deleted }) => inserted + updated + deleted) / stored,
    'transactions per command': rows(({ transactions }) => transactions) / stored,
    'heap-only share of updates': rows(({ heapOnly }) => heapOnly) / rows(({ updated }) => updated),
  };
}
