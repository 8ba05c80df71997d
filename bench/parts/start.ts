import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startPrivatePostgres } from '@tenant-open-platform/testing/private-postgres';
import { type Build, prepare } from '../builds.js';
import { startNode } from '../node-process.js';
import { residentMiB } from '../process-figures.js';
import type { Run } from '../results.js';
import { temporaryPath } from '../temporary-path.js';
import { measureBuilds, type Part } from './part.js';

const REST_MS = 5_000;

export const start: Part = {
  about: `The program of \`npm start\` in an installed and built copy, from the start of the process to ready, and to the outcome of a first \`npx topctl … commands create --wait\`. Resident memory after ${REST_MS / 1000} s of rest, and at its peak. Embedded with a new and with an existing data directory, and on Postgres.`,
  measure: (form) => {
    for (const { root } of form.builds) prepare(root);
    return measureBuilds(form, (build) => measureStarts(build, form.environment));
  },
};

async function measureStarts(build: Build, environment: Record<string, string>): Promise<Run> {
  const directory = temporaryPath('data');
  const postgres = await startPrivatePostgres();
  const keyring = JSON.stringify({ primary: 'bench', keys: { bench: randomBytes(32).toString('base64') } });
  const onPostgres = { DATA_DIR: temporaryPath('data'), DATABASE_URL: postgres.url, KEYRING: keyring };
  const run = {
    ...(await measureStart(build, 'embedded, first start', { ...environment, DATA_DIR: directory })),
    ...(await measureStart(build, 'embedded, later start', { ...environment, DATA_DIR: directory })),
    ...(await measureStart(build, 'on Postgres, first start', { ...environment, ...onPostgres })),
    ...(await measureStart(build, 'on Postgres, later start', { ...environment, ...onPostgres })),
  };
  await postgres.stop();
  return run;
}

async function measureStart({ root }: Build, name: string, environment: { DATA_DIR: string }): Promise<Run> {
  const startedAt = performance.now();
  const node = await startNode(join(root, 'scripts/start.mjs'), {
    cwd: root,
    environment: { PORT: '0', LOG_LEVEL: 'warn', ...environment },
  });
  const readySeconds = (performance.now() - startedAt) / 1000;
  try {
    const topctl = ['topctl', '--profile-file', join(environment.DATA_DIR, 'demo.json'), '--base-url', node.baseUrl];
    const command = ['--vendor', 'vendor_a', '--device-id', 'ok-1', '--command-type', 'reboot', '--wait'];
    const sent = await promisify(execFile)('npx', [...topctl, 'commands', 'create', ...command], { cwd: root });
    const succeededSeconds = (performance.now() - startedAt) / 1000;
    const { status } = JSON.parse(sent.stdout);
    if (status !== 'SUCCEEDED') throw new Error(`The first command is ${status}.`);
    await pause(REST_MS);
    const resident = residentMiB(node.pid);
    return {
      [`${name}: ready s`]: readySeconds,
      [`${name}: first command SUCCEEDED s`]: succeededSeconds,
      [`${name}: resident MiB`]: resident.now,
      [`${name}: resident, highest MiB`]: resident.highest,
    };
  } finally {
    await node.stop();
  }
}
