import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { temporaryFolder } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { startKillable, type TestedAdapter } from '../../sdk/test/start-killable.js';
import { expectNoLieUnderKills } from '../../sdk/test/under-kills.js';
import { build, isGoThere } from './build.js';
import { executionsIn, overlapsIn } from './device-log.js';

const KILLS = Number(process.env.KILLS ?? 5);
const COMMANDS = Number(process.env.COMMANDS ?? 100);
const SEED = Number(process.env.KILLS_SEED ?? Math.floor(Math.random() * 1_000_000));
const DEVICES = 10;

const file = join(temporaryFolder(), 'devices');

function adapterOf(program: string): TestedAdapter {
  return {
    launch: (settings) => {
      const env = { PATH: process.env.PATH, ...settings, DEVICE_LOG: file };
      const child = spawn(program, { env, stdio: ['ignore', 'inherit', 'pipe'] });
      const reads = new Promise<void>((resolve) => {
        createInterface(child.stderr).on('line', (line) => {
          if (line.includes('Reads ')) resolve();
        });
      });
      return { child, reads };
    },
    executions: async () => executionsIn(file),
  };
}

test.runIf(isGoThere)(
  `${COMMANDS} commands under ${KILLS} kills: no lie, nothing twice, one command of a device at a time`,
  {
    timeout: 600_000,
  },
  async () => {
    const platform = await startKillable(adapterOf(build()));
    const deviceOf = (index: number) => `device-${index % DEVICES}`;
    const load = { kills: KILLS, commands: COMMANDS, seed: SEED, deviceOf, needless: COMMANDS / 20 };
    await expectNoLieUnderKills(platform, load);
    expect(overlapsIn(file)).toEqual([]);
    const begun = executionsIn(file).map(({ command_id }) => command_id);
    expect(begun).toEqual([...new Set(begun)]);
  },
);
