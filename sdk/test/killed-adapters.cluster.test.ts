import { test } from 'vitest';
import { startKillable } from './start-killable.js';
import { startRecordedAdapter } from './start-recorded-adapter.js';
import { expectNoLieUnderKills } from './under-kills.js';

const KILLS = Number(process.env.KILLS ?? 25);
const COMMANDS = Number(process.env.COMMANDS ?? 2_000);
const SEED = Number(process.env.KILLS_SEED ?? Math.floor(Math.random() * 1_000_000));

const DEVICES = 200;

/** Half of the devices can be asked what they did. Some fail, some refuse, some are offline, and one belongs to nobody. */
function deviceOf(index: number): string {
  const number = index % DEVICES;
  const kinds: Record<number, string> = { 3: 'fails', 5: 'refuses', 7: 'offline' };
  if (number === 0) return 'of-nobody';
  return `${number % 2 === 0 ? 'asked' : 'mute'}-${kinds[Math.floor(number / 2) % 10] ?? 'ok'}-${number}`;
}

const platform = await startKillable(await startRecordedAdapter());

test(
  `${COMMANDS} commands under ${KILLS} kills of adapter, NATS and platform: no lie, nothing twice without its mark`,
  {
    timeout: 600_000,
  },
  () =>
    expectNoLieUnderKills(platform, {
      kills: KILLS,
      commands: COMMANDS,
      seed: SEED,
      deviceOf,
      needless: COMMANDS / 100,
    }),
);
