import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Command } from '../src/index.js';
import { type Execution, isNeedlesslyUnknown, liesIn } from './lies.js';
import { PARTS, type startKillable, vendor } from './start-killable.js';

type Load = {
  kills: number;
  commands: number;
  /** The same seed makes the same plan of kills. */
  seed: number;
  deviceOf: (index: number) => string;
  /** Fewer commands than this end as "may have been executed" although they never began. */
  needless: number;
};

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
function planOf({ seed, commands, kills }: Load) {
  const random = randomOf(seed);
  const everyMs = (commands / PER_SECOND / kills) * 1_000;
  const order = Array.from({ length: kills }, (_, index) => ({ part: PARTS[index % PARTS.length], place: random() }));
  return order
    .sort((one, other) => one.place - other.place)
    .map(({ part = 'adapter' }, index) => ({
      part,
      atMs: (index + random()) * everyMs,
      awayMs: between(AWAY_MS, random()),
    }));
}

const until = (atMs: number) => delay(Math.max(0, atMs - performance.now()));

const countBy = (names: string[]) => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ') || 'none';
};

/** Sends commands while the parts are killed, and compares what their records say with what the devices wrote down. */
export async function expectNoLieUnderKills(platform: Awaited<ReturnType<typeof startKillable>>, load: Load) {
  const { commands } = platform.client;
  console.log(`KILLS_SEED=${load.seed}`);

  const random = randomOf(load.seed);

  /** Resolves to the record as the caller got it. */
  function send(index: number): Promise<Command> {
    const timeout_seconds = Math.floor(between(TIMEOUT_SECONDS, random()));
    const command = { vendor, device_id: load.deviceOf(index), command_type: 'reboot', payload: {}, timeout_seconds };
    return commands.createAndWait({ ...command, idempotency_key: `${index}` });
  }

  async function sendOthers(): Promise<Command[]> {
    const startedAt = performance.now();
    const ends: Promise<Command>[] = [];
    for (let index = 1; index < load.commands; index++) {
      await until(startedAt + (index * 1_000) / PER_SECOND);
      const ended = send(index);
      // It is looked at when all are sent.
      ended.catch(() => {});
      ends.push(ended);
    }
    return Promise.all(ends);
  }

  async function killAll(): Promise<void> {
    const startedAt = performance.now();
    for (const { part, atMs, awayMs } of planOf(load)) {
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

  // An adapter that has never read cannot know whether another one has.
  const first = await send(0);
  const [others] = await Promise.all([sendOthers(), killAll()]);
  const ends = [first, ...others];
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
      `${records.length} commands, ${load.kills} kills`,
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
  expect(needless.length).toBeLessThan(load.needless);
  expect(new Set(records.map(({ idempotency_key }) => idempotency_key)).size).toBe(load.commands);
  const stored = await commands.list().toArray();
  expect(stored.map(({ command_id }) => command_id).sort()).toEqual(records.map(({ command_id }) => command_id).sort());
  const known = new Set(records.map(({ command_id }) => command_id));
  expect([...executions.keys()].filter((id) => !known.has(id))).toEqual([]);
  expect(ends.map(({ status }) => status)).toEqual(records.map(({ status }) => status));
}
