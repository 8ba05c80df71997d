import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Command } from '../src/index.js';
import { type Execution, isNeedlesslyUnknown, liesIn } from './lies.js';
import { PARTS, startKillable, vendor } from './start-killable.js';

const KILLS = Number(process.env.KILLS ?? 25);
const COMMANDS = Number(process.env.COMMANDS ?? 2_000);
/** The same seed makes the same plan of kills. */
const SEED = Number(process.env.KILLS_SEED ?? Math.floor(Math.random() * 1_000_000));

const DEVICES = 200;
const PER_SECOND = 8;
const AWAY_MS = { shortest: 100, longest: 3_000 };
const TIMEOUT_SECONDS = { shortest: 60, longest: 120 };

/** Mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const between = ({ shortest, longest }: { shortest: number; longest: number }, share: number) =>
  shortest + (longest - shortest) * share;

/** As many kills of each part, in random order, spread over the time in which commands are sent. */
function planOf(seed: number) {
  const random = randomOf(seed);
  const everyMs = (COMMANDS / PER_SECOND / KILLS) * 1_000;
  const order = Array.from({ length: KILLS }, (_, index) => ({ part: PARTS[index % PARTS.length], place: random() }));
  return order
    .sort((one, other) => one.place - other.place)
    .map(({ part = 'adapter' }, index) => ({
      part,
      atMs: (index + random()) * everyMs,
      awayMs: between(AWAY_MS, random()),
    }));
}

/** Half of the devices can be asked what they did. Some fail, some refuse, some are offline, and one belongs to nobody. */
function deviceOf(index: number): string {
  const number = index % DEVICES;
  const kinds: Record<number, string> = { 3: 'fails', 5: 'refuses', 7: 'offline' };
  if (number === 0) return 'of-nobody';
  return `${number % 2 === 0 ? 'asked' : 'mute'}-${kinds[Math.floor(number / 2) % 10] ?? 'ok'}-${number}`;
}

const platform = await startKillable();
const { commands } = platform.client;

const until = (atMs: number) => delay(Math.max(0, atMs - performance.now()));

/** Resolves to the records as the callers got them. */
async function sendAll(random: () => number): Promise<Command[]> {
  const startedAt = performance.now();
  const ends: Promise<Command>[] = [];
  for (let index = 0; index < COMMANDS; index++) {
    await until(startedAt + (index * 1_000) / PER_SECOND);
    const timeout_seconds = Math.floor(between(TIMEOUT_SECONDS, random()));
    const command = { vendor, device_id: deviceOf(index), command_type: 'reboot', payload: {}, timeout_seconds };
    const ended = commands.createAndWait({ ...command, idempotency_key: `${index}` });
    // It is looked at when all are sent.
    ended.catch(() => {});
    ends.push(ended);
  }
  return Promise.all(ends);
}

async function killAll(): Promise<void> {
  const startedAt = performance.now();
  for (const { part, atMs, awayMs } of planOf(SEED)) {
    await until(startedAt + atMs);
    const killedAt = new Date().toISOString();
    await platform.parts[part].kill();
    await delay(awayMs);
    await platform.parts[part].start();
    platform.logged.push(`${part} killed at ${killedAt}, started at ${new Date().toISOString()}`);
  }
}

/** As they are at the end. */
async function readAll(ends: readonly Command[]): Promise<Command[]> {
  const read: Command[] = [];
  for (const { command_id } of ends) read.push(await commands.get(command_id));
  return read;
}

const countBy = (names: string[]) => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ') || 'none';
};

test(`${COMMANDS} commands under ${KILLS} kills of adapter, NATS and platform: no lie, nothing twice without its mark`, {
  timeout: 600_000,
}, async () => {
  console.log(`KILLS_SEED=${SEED}`);
  const [ends] = await Promise.all([sendAll(randomOf(SEED)), killAll()]);
  const records = await readAll(ends);

  const executions = new Map<string, Execution[]>();
  for (const execution of await platform.executions()) {
    executions.set(execution.command_id, [...(executions.get(execution.command_id) ?? []), execution]);
  }
  const seenOf = ({ command_id }: Command) => executions.get(command_id) ?? [];
  const begunOf = (record: Command) => seenOf(record).filter(({ answer }) => answer === 'DONE' || answer === 'FAILED');
  const unknown = records.filter(({ public_status }) => public_status === 'UNKNOWN');
  const needless = unknown.filter((record) => isNeedlesslyUnknown(record, seenOf(record)));
  const twice = records.filter((record) => begunOf(record).length > 1);
  const lies = records.flatMap((record) => liesIn(record, seenOf(record)).map((lie) => ({ lie, record })));
  const reasonOf = ({ status, status_reason }: Command) => status_reason?.code ?? status;
  console.log(
    [
      `${records.length} commands, ${KILLS} kills`,
      countBy(records.map(({ status }) => status)),
      `${lies.length} lies`,
      `${twice.length} executed twice`,
      `UNKNOWN: ${countBy(unknown.map(reasonOf))}`,
      `of these never begun: ${countBy(needless.map(reasonOf))}`,
    ].join('; '),
  );

  /** What is needed to find the cause of a lie. */
  const explained = lies.map(({ lie, record }) => ({
    lie,
    record,
    seen: seenOf(record),
    logged: platform.logged.filter((line) => line.includes(record.command_id) || !line.includes('"command_id"')),
  }));
  expect(explained).toEqual([]);
  expect(new Set(records.map(({ idempotency_key }) => idempotency_key)).size).toBe(COMMANDS);
  const stored = await commands.list().toArray();
  expect(stored.map(({ command_id }) => command_id).sort()).toEqual(records.map(({ command_id }) => command_id).sort());
  const known = new Set(records.map(({ command_id }) => command_id));
  expect([...executions.keys()].filter((id) => !known.has(id))).toEqual([]);
  expect(ends.map(({ status }) => status)).toEqual(records.map(({ status }) => status));
});
