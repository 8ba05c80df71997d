import { randomUUID } from 'node:crypto';
import { cpuMeasures } from '../measures.js';
import { type Platform, startPlatform } from '../platform.js';
import { alternate, type Run } from '../results.js';
import { type Profile, sign } from '../sign.js';
import { measureAnswers } from './accepting.js';
import { type Form, type Part, WARM_UP_SECONDS } from './part.js';

const TARGET = '/api/v1/open/downlink/command-batches';
const COMMANDS_OF_A_BATCH = 500;
const SENDERS = 4;
/** More than any server here accepts. */
const COMMANDS_PER_SECOND = 60_000;
const TIMEOUT_SECONDS = 300;

export const fleet: Part = {
  about: `\`commands.createMany\` with ${COMMANDS_OF_A_BATCH} commands a request from ${SENDERS} connections, against \`commands.create\` from 32 connections of \`wrk\`, on one node with \`ROLE=api\`. All requests are signed beforehand.`,
  async measure({ builds, pairs, seconds, environment }: Form) {
    const build = builds.at(-1) as (typeof builds)[number];
    const platform = await startPlatform({ build, roles: ['api'], environment });
    try {
      await measureAnswers(platform, WARM_UP_SECONDS);
      await measureBatches(platform, WARM_UP_SECONDS);
      return await alternate(
        {
          'commands.create': () => measureAnswers(platform, seconds),
          'commands.createMany': () => measureBatches(platform, seconds),
        },
        pairs,
      );
    } finally {
      await platform.stop();
    }
  },
};

async function measureBatches({ baseUrl, demo, cpuMs }: Platform, seconds: number): Promise<Run> {
  const requests = signedBatches(demo, (COMMANDS_PER_SECOND * seconds) / COMMANDS_OF_A_BATCH);
  const durationsMs: number[] = [];
  let accepted = 0;
  const before = cpuMs();
  const startedAt = performance.now();
  const sendOneAfterTheOther = async () => {
    while (performance.now() - startedAt < seconds * 1000) {
      const request = requests.pop();
      if (!request) throw new Error(`More than ${COMMANDS_PER_SECOND} commands/s: sign more.`);
      const sentAt = performance.now();
      const answer = await fetch(baseUrl + TARGET, request);
      const { items } = (await answer.json()) as { items: { command_id?: string }[] };
      durationsMs.push(performance.now() - sentAt);
      const count = items.filter(({ command_id }) => command_id).length;
      if (count < COMMANDS_OF_A_BATCH) throw new Error(`${COMMANDS_OF_A_BATCH - count} commands were refused.`);
      accepted += count;
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sendOneAfterTheOther));
  const elapsedSeconds = (performance.now() - startedAt) / 1000;
  const sorted = durationsMs.sort((a, b) => a - b);
  const quantile = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
  return {
    'accepted/s': accepted / elapsedSeconds,
    'answer p50 ms': quantile(0.5),
    'answer p99 ms': quantile(0.99),
    ...cpuMeasures(before, cpuMs(), accepted),
  };
}

/** The signatures are valid for 300 seconds. */
function signedBatches(profile: Profile, count: number): RequestInit[] {
  return Array.from({ length: Math.ceil(count) }, () => {
    const commands = Array.from({ length: COMMANDS_OF_A_BATCH }, (_, number) => ({
      vendor: 'vendor_a',
      device_id: `device-${number}`,
      command_type: 'reboot',
      payload: {},
      idempotency_key: randomUUID(),
      timeout_seconds: TIMEOUT_SECONDS,
    }));
    const body = JSON.stringify({ commands });
    const headers = { 'Content-Type': 'application/json', ...sign(profile, 'POST', TARGET, body) };
    return { method: 'POST', headers, body };
  });
}
