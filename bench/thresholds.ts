import { cpus } from 'node:os';
import { type Measured, median, OTHERS, ratios } from './results.js';

/**
 * The requirements of the quick form: only ratios to the yardstick, because absolute numbers depend on the machine. CPU
 * time varies less than speed, so its thresholds are tighter.
 */
const thresholds: { part: string; measure: string; least?: number; most?: number }[] = [
  { part: 'accepting', measure: 'CPU ms per command, all processes', most: 4.5 },
  { part: 'accepting', measure: 'accepted/s', least: 0.25 },
  { part: 'steady-state', measure: 'CPU ms per command, all processes', most: 10 },
  { part: 'steady-state', measure: 'completed/s during the load', least: 0.1 },
];

/** If other programs use more cores than this, a miss says nothing about the platform. */
const MOST_TAKEN_BY_OTHERS = cpus().length / 4;

export type Verdict = { missed: string[]; notJudged: string[] };

/** A sentence for each missed threshold, or one that says why the part cannot be judged. */
export function judge(part: string, measured: Measured): Verdict {
  const taken = Math.max(...Object.values(measured).flatMap((runs) => runs.map((run) => run[OTHERS] ?? 0)));
  if (taken > MOST_TAKEN_BY_OTHERS) {
    const sentence = `${part}: not judged, because other programs used ${taken.toFixed(1)} of ${cpus().length} cores.`;
    return { missed: [], notJudged: [sentence] };
  }
  const missed = thresholds.flatMap((threshold) => {
    if (threshold.part !== part) return [];
    const { measure, least = 0, most = Number.POSITIVE_INFINITY } = threshold;
    const ratio = median(ratios(measured, measure, 'yardstick'));
    if (ratio >= least && ratio <= most) return [];
    const wanted = ratio > most ? `at most ${most}` : `at least ${least}`;
    return [`${part}: ${measure} is ${ratio.toFixed(2)} of the yardstick's. It must be ${wanted}.`];
  });
  return { missed, notJudged: [] };
}
