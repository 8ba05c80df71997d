import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cpuMeasures } from '../measures.js';
import { fork, messageOf } from '../node-process.js';
import { type Platform, startPlatform } from '../platform.js';
import { alternate, type Run } from '../results.js';
import type { Form, Part } from './part.js';

const creatorFile = fileURLToPath(new URL('../sdk-creator.mjs', import.meta.url));
const WITHIN_MS = 10;

type Created = { commands: number; requests: number; seconds: number; cpuMs: number; p50Ms: number; p99Ms: number };

export const sharedRequests: Part = {
  about: `5,000 \`commands.create\` of the SDK, 200 at a time, on one node with \`ROLE=api\`: each with a request of its own, and with \`batch: { withinMs: ${WITHIN_MS} }\`.`,
  async measure({ builds, pairs, environment }: Form) {
    const build = builds.at(-1) as (typeof builds)[number];
    const platform = await startPlatform({ build, roles: ['api'], environment });
    const sdkFile = join(build.root, 'sdk/dist/index.js');
    try {
      return await alternate(
        {
          'a request each': () => create(platform, sdkFile, ''),
          'shared requests': () => create(platform, sdkFile, String(WITHIN_MS)),
        },
        pairs,
      );
    } finally {
      await platform.stop();
    }
  },
};

async function create({ baseUrl, demo, cpuMs }: Platform, sdkFile: string, withinMs: string): Promise<Run> {
  const { client_id, secret } = demo;
  const { child, exited, message } = fork(creatorFile, { args: [sdkFile, baseUrl, client_id, secret, withinMs] });
  await message;
  const before = cpuMs();
  const created = messageOf(child) as Promise<Created>;
  child.send('go');
  const { commands, requests, seconds, cpuMs: caller, p50Ms, p99Ms } = await created;
  const after = cpuMs();
  await exited;
  return {
    requests,
    'accepted/s': commands / seconds,
    'answer p50 ms': p50Ms,
    'answer p99 ms': p99Ms,
    ...cpuMeasures({ ...before, caller: 0 }, { ...after, caller }, commands),
  };
}
