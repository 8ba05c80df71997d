import { prepareAtRate } from '../generator/paced.js';
import { prepareWrk } from '../generator/wrk.js';
import { measureLifeCycle } from '../life-cycle.js';
import type { Platform } from '../platform.js';
import type { Run } from '../results.js';
import { withCarryingPlatform } from './carrying-platform.js';
import { measureBuilds, type Part } from './part.js';

const RATES = { 'at 0.7×': 0.7, 'at 3×': 3 };
const SUSTAINABLE_SECONDS = 20;

export const fixedRate: Part = {
  about: `As steady-state, at 0.7 and at 3 times the rate that the platform sustains: what it completes per second during ${SUSTAINABLE_SECONDS} s of full load, measured just before. The sender runs in Node, sends each request when it is due and counts latencies from that instant; its CPU time is in the table.`,
  measure: (form) =>
    measureBuilds(form, (build) =>
      withCarryingPlatform(build, form, (platform) => measureRates(platform, form.seconds)),
    ),
};

async function measureRates(platform: Platform, seconds: number): Promise<Run> {
  const sustainable = await measureSustainable(platform);
  const run: Run = { 'sustainable commands/s': sustainable };
  for (const [prefix, factor] of Object.entries(RATES)) {
    const load = { baseUrl: platform.baseUrl, profile: platform.demo, seconds };
    for (const [measure, value] of Object.entries(await measureAtRate(platform, load, factor * sustainable))) {
      run[`${prefix}: ${measure}`] = value;
    }
  }
  return run;
}

async function measureSustainable({ database, ...platform }: Platform): Promise<number> {
  const load = prepareWrk({ ...platform, profile: platform.demo, seconds: SUSTAINABLE_SECONDS });
  const since = await database.now();
  const { seconds } = await load();
  const completed = await database.succeededBetween(since, await database.now());
  await database.drained();
  return completed / seconds;
}

async function measureAtRate(
  platform: Platform,
  load: Parameters<typeof prepareAtRate>[0],
  rate: number,
): Promise<Run> {
  const before = await platform.adapterCounts();
  const send = prepareAtRate(load, rate);
  let accepted = 0;
  let refusals: Run = {};
  const run = await measureLifeCycle(platform, load.seconds, async () => {
    const { refusedP99Ms, refusedWithoutRetryAfter, ...answers } = await send();
    refusals = { '503 p99 ms': refusedP99Ms, '503 without Retry-After': refusedWithoutRetryAfter };
    accepted = answers.accepted;
    return answers;
  });
  const after = await platform.adapterCounts();
  const [inTime, late] = [after.inTime - before.inTime, after.late - before.late];
  return {
    'sent/s': rate,
    ...run,
    ...refusals,
    'reached the adapter in time, of accepted': inTime / accepted,
    'reached the adapter late': late,
  };
}
