import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fork, startNode } from '../node-process.js';
import type { Run } from '../results.js';
import { measureBuilds, type Part } from './part.js';

const fileOf = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

export const sdk: Part = {
  about:
    'What a call of the SDK costs its process: `commands.get` by the SDK and by plain `fetch` with as many headers, in turns of 500 calls in one process, one call and 20 calls at a time, against a server in another one that answers at once. The difference is the median of that of 21 pairs. And how long a call takes to end after an abort, 200 times each.',
  measure: async (form) => {
    const server = await startNode(fileOf('answering.mjs'));
    const measured = await measureBuilds(form, async ({ root }) => {
      const { message, exited } = fork(fileOf('sdk-caller.mjs'), {
        args: [join(root, 'sdk/dist/index.js'), server.baseUrl],
      });
      const run = (await message) as Run;
      await exited;
      return run;
    });
    await server.stop();
    return measured;
  },
};
