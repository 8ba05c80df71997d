import { prepareAtRate } from '../generator/paced.js';
import { prepareWrk } from '../generator/wrk.js';
import { measureLifeCycle } from '../life-cycle.js';
import type { Platform } from '../platform.js';
import type { Run } from '../results.js';
import { withCarryingPlatform } from './carrying-platform.js';
import { type Form, measureBuilds, type Part } from './part.js';

const SUSTAINABLE_SECONDS = 20;

/** As steady-state, at a rate that depends on what the platform sustains, or at the rate of the form. */
const atRate = (factor: number): Part => ({
  about: `As steady-state, at ${factor} times the rate that the platform sustains: what it completes per second during ${SUSTAINABLE_SECONDS} s of full load, measured just before. With \`--rate\` the rate is that one. The sender runs in Node, sends each request when it is due and counts latencies from that instant; its CPU time is in the table. It has 256 connections: where all of them wait for answers, requests are sent late, or never. The latency after sending leaves that out.`,
  measure: (form) =>
    measureBuilds(form, (build) =>
      withCarryingPlatform(build, form, async (platform) => {
        if (form.rate !== undefined) return measureAtRate(platform, form, form.rate);
        const sustainable = await measureSustainable(platform);
        return {
          'sustainable commands/s': sustainable,
          ...(await measureAtRate(platform, form, factor * sustainable)),
        };
      }),
    ),
});

export const fixedRate = atRate(0.7);
export const overload = atRate(3);

async function measureSustainable({ database, ...platform }: Platform): Promise<number> {
  const load = prepareWrk({ ...platform, profile: platform.demo, seconds: SUSTAINABLE_SECONDS });
  const since = await database.now();
  const { seconds } = await load();
  const completed = await database.succeededBetween(since, await database.now());
  await database.drained();
  return completed / seconds;
}

async function measureAtRate(platform: Platform, { seconds }: Form, rate: number): Promise<Run> {
  const before = await platform.adapterCounts();
  const send = prepareAtRate({ baseUrl: platform.baseUrl, profile: platform.demo, seconds }, rate);
  let accepted = 0;
  let refusals: Run = {};
  const run = await measureLifeCycle(platform, seconds, async () => {
    const { refused, unsent, ...answers } = await send();
    refusals = {
      'never sent, of all': unsent / (rate * seconds),
      '503 p99 ms': refused.p99Ms,
      '503 p99 ms after sending': refused.p99AfterSendingMs,
      '503 without Retry-After': refused.withoutRetryAfter,
    };
    accepted = answers.accepted;
    return { ...answers, refused: refused.count };
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
