import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { prepareAtRate } from '../generator/paced.js';
import { fork, messageOf } from '../node-process.js';
import type { Platform } from '../platform.js';
import { alternate, type Run } from '../results.js';
import { post } from '../sign.js';
import { withCarryingPlatform } from './carrying-platform.js';
import type { Part } from './part.js';

const RATE = 100;
const QUIET_SECONDS = 15;
const RECOVERY_MS = 10_000;
const KINDS = ['updates of 64 KiB', 'tiny updates', 'device requests', 'many subjects, 64 KiB'];
const flooder = fileURLToPath(new URL('../bus-flooder.ts', import.meta.url));

export const neighbours: Part = {
  about: `Commands of one tenant at ${RATE} a second, to the outcome, before, while and after the adapter of another tenant floods the bus as fast as NATS takes its messages. The phase after the flood begins ${RECOVERY_MS / 1_000} s after its end. The flood shares the cores.`,
  measure: ({ pairs, seconds, builds, ...form }) =>
    alternate(
      Object.fromEntries(
        KINDS.flatMap((kind) =>
          builds.map((build) => [
            `${build.name}: ${kind}`,
            () => withCarryingPlatform(build, form, (platform) => measure(platform, kind, seconds)),
          ]),
        ),
      ),
      pairs,
    ),
};

async function measure(platform: Platform, kind: string, seconds: number): Promise<Run> {
  await post(platform.baseUrl, platform.admin, '/api/v1/platform/tenants', { tenant_id: 'flooder', name: 'Flooder' });
  const before = await sendCommands(platform, QUIET_SECONDS);
  const { child, exited, message } = fork(flooder, {
    args: [kind],
    environment: { NATS_URL: platform.natsUrl, TENANT_ID: 'flooder' },
  });
  await message;
  const during = await sendCommands(platform, seconds);
  const counted = messageOf(child) as Promise<{ taken: number; refused: number }>;
  child.send('count');
  const { taken, refused } = await counted;
  child.kill('SIGKILL');
  await exited;
  await pause(RECOVERY_MS);
  const after = await sendCommands(platform, QUIET_SECONDS);
  await platform.database.drained();
  const { byStatus } = await platform.database.outcomes(before.since);
  const { SUCCEEDED = 0, ...others } = byStatus;
  return {
    'completed/s during, of before': during.completedPerSecond / before.completedPerSecond,
    'completed/s after, of before': after.completedPerSecond / before.completedPerSecond,
    'accepted and not SUCCEEDED': Object.values(others).reduce((sum, count) => sum + count, 0),
    'refused or unsent': before.failed + during.failed + after.failed,
    'accept p50 ms before': before.acceptP50Ms,
    'accept p50 ms during': during.acceptP50Ms,
    'SUCCEEDED p50 ms before': before.succeededP50Ms,
    'SUCCEEDED p50 ms during': during.succeededP50Ms,
    'SUCCEEDED p99 ms during': during.succeededP99Ms,
    'messages of the flood that NATS took/s': taken / seconds,
    'messages of the flood that NATS refused/s': refused / seconds,
  };
}

async function sendCommands({ baseUrl, demo, database }: Platform, seconds: number) {
  const send = prepareAtRate({ baseUrl, profile: demo, seconds }, RATE);
  const since = await database.now();
  const answers = await send();
  const completed = await database.succeededBetween(since, await database.now());
  const { succeededP50Ms, succeededP99Ms } = await database.outcomes(since);
  return {
    since,
    completedPerSecond: completed / seconds,
    failed: answers.refused.count + answers.unsent,
    acceptP50Ms: answers.p50Ms,
    succeededP50Ms,
    succeededP99Ms,
  };
}
