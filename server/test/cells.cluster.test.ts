import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Profile, signedRequest, startNode } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';
import { COMMANDS, completed } from './support/commands.js';
import { startTwoCells } from './support/two-cells.js';

const EVERY_MS = 50;
const BEFORE_MS = 20_000;
const FAULT_MS = 60_000;
const soon = { timeout: 60_000, interval: 100 };

const { a, b, newTenant, writeMaps } = await startTwoCells();

type Call = { status: number; ms: number; id: string };

async function create(profile: Profile): Promise<Call> {
  const body = {
    vendor: 'vendor_a',
    device_id: 'd',
    command_type: 'reboot',
    payload: {},
    idempotency_key: randomUUID(),
  };
  const startedAt = performance.now();
  const answer = await signedRequest(profile, 'POST', COMMANDS, { body });
  return { status: answer.status, ms: performance.now() - startedAt, id: answer.body?.command_id };
}

/** Calls at this pace, whether or not the earlier calls are answered. */
async function callFor(profile: Profile, ms: number): Promise<Call[]> {
  const calls: Promise<Call>[] = [];
  for (const until = performance.now() + ms; performance.now() < until; await delay(EVERY_MS)) {
    calls.push(create(profile));
  }
  return Promise.all(calls);
}

function figuresOf(calls: Call[]) {
  const sorted = calls.map(({ ms }) => ms).sort((one, other) => one - other);
  const at = (share: number) => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  return { calls: calls.length, p50: at(0.5), p99: at(0.99), slowest: at(1) };
}

test('all processes of a cell are killed for a minute: every call of the other cell is answered, as fast as before, and every command ends', async () => {
  const [ofA, ofB] = [await newTenant(a, 'alive'), await newTenant(b, 'buried')];
  await Promise.all([a.serve('alive'), b.serve('buried')]);
  await writeMaps();
  for (const profile of [ofA, ofB]) {
    await vi.waitFor(async () => expect((await create(profile)).status).toBe(202), soon);
  }
  const [before] = await Promise.all([callFor(ofA, BEFORE_MS), callFor(ofB, BEFORE_MS)]);

  b.kill();
  process.kill(b.nats.pid(), 'SIGKILL');
  await b.postgres.kill();
  const [during, ofDead] = await Promise.all([callFor(ofA, FAULT_MS), callFor(ofB, FAULT_MS)]);

  const figures = { before: figuresOf(before), during: figuresOf(during) };
  console.log(JSON.stringify(figures));
  expect(new Set(during.map(({ status }) => status))).toEqual(new Set([202]));
  expect(new Set(ofDead.map(({ status }) => status))).toEqual(new Set([502]));
  // The machine may be busy with other things: a dead cell that others wait for costs a second.
  expect(figures.during.p50).toBeLessThan(3 * figures.before.p50 + EVERY_MS);
  for (const { id } of [...before, ...during]) expect((await completed(ofA, id)).status).toBe('SUCCEEDED');

  await b.postgres.resume();
  await b.nats.resume();
  await startNode(b.environment);
  await vi.waitFor(async () => expect((await create(ofB)).status).toBe(202), soon);
}, 300_000);
