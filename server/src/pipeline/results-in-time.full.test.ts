import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type CommandMessage, type CommandUpdate, subjects } from '@tenant-open-platform/contract/bus';
import { atEnd, signedRequest } from '@tenant-open-platform/testing';
import type { RunningServer } from '@tenant-open-platform/testing/start-server';
import { pino } from 'pino';
import { beforeEach, expect, test, vi } from 'vitest';
import { isAccepted, startLoad } from '../../test/support/load.js';
import { startPrivatePlatform } from '../../test/support/private-platform.js';
import { storedCommands } from '../../test/support/stored.js';
import { MAX_IN_FLIGHT } from './bus/bus.js';
import { natsBus } from './bus/nats-bus.js';

/** More than a worker handles at a time. */
const COUNT = MAX_IN_FLIGHT + 44;
const TIMEOUT_SECONDS = 25;

let received: CommandMessage[] = [];
/** Whether the adapter answers a command on receipt. */
let answersAtOnce = false;
/** The commands whose results reached the bus a second before their deadlines. */
let answeredInTime = new Set<string>();

const platform = await startPrivatePlatform();
const bus = await natsBus({ url: platform.nats.url }, pino({ level: 'silent' }));
await bus.consume({
  stream: 'TOP_COMMANDS',
  durable: 'test-adapter',
  async handle({ body }) {
    const command: CommandMessage = JSON.parse(body.toString('utf8'));
    // A command comes again if the bus hears nothing of it for five seconds.
    if (!received.some(({ command_id }) => command_id === command.command_id)) received.push(command);
    if (answersAtOnce) {
      await publishResults([command]);
      if (Date.now() < Date.parse(command.deadline_at) - 1_000) answeredInTime.add(command.command_id);
    }
    return 'DONE';
  },
});

atEnd(bus.close);

beforeEach(() => {
  received = [];
  answersAtOnce = false;
  answeredInTime = new Set();
});

/** Commands that an adapter holds until the test makes it answer. */
async function dispatchedCommands(): Promise<CommandMessage[]> {
  received = [];
  const { demo } = platform;
  const node = platform.server().baseUrl;
  const command = { vendor: 'vendor_a', device_id: 'd-1', command_type: 'reboot', payload: {} };
  const newCommand = () => ({ ...command, timeout_seconds: TIMEOUT_SECONDS, idempotency_key: randomUUID() });
  const body = { commands: Array.from({ length: COUNT }, newCommand) };
  const answer = await signedRequest(demo, 'POST', '/api/v1/open/downlink/command-batches', { node, body });
  expect(answer.status, answer.raw).toBe(200);
  await vi.waitFor(() => expect(received).toHaveLength(COUNT), { timeout: 60_000 });
  return received;
}

const publishResults = (commands: CommandMessage[]) =>
  bus.publish(
    commands.map(({ command_id, tenant_id, vendor }) => {
      const update: CommandUpdate = { command_id, device_execution_status: 'SUCCEEDED' };
      return {
        subject: subjects.commandUpdate(tenant_id, vendor),
        id: command_id,
        body: Buffer.from(JSON.stringify(update)),
      };
    }),
  );

const deadlinesOf = (commands: CommandMessage[]) => commands.map(({ deadline_at }) => Date.parse(deadline_at));

/** Publishes results, and returns whether the bus had them a second before the deadlines: a slow machine may need longer. */
async function publishInTime(commands: CommandMessage[]): Promise<boolean> {
  await publishResults(commands);
  return Date.now() < Math.min(...deadlinesOf(commands)) - 1_000;
}

async function kill({ process }: RunningServer): Promise<void> {
  const closed = once(process, 'close');
  process.kill('SIGKILL');
  await closed;
}

async function deadlinesPassed(commands: CommandMessage[]): Promise<void> {
  const last = Math.max(...deadlinesOf(commands));
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(last), { timeout: 60_000, interval: 200 });
}

/** Works while the worker can apply no update of these commands. */
const whileLocked = (commands: CommandMessage[], work: () => Promise<void>) =>
  platform.database.sql.begin(async (tx) => {
    await tx`set local role top_system`;
    const ids = commands.map(({ command_id }) => command_id);
    await tx`select from commands where command_id in ${tx(ids)} for update`;
    await work();
  });

const untaken = async () => (await platform.streams.info('TOP_UPDATES')).state.messages;

/** How many commands have ended in each status; none may still be open. */
async function endsOf(commands: CommandMessage[]): Promise<Record<string, number>> {
  const statuses = await statusesOf(new Set(commands.map(({ command_id }) => command_id)));
  const ends: Record<string, number> = {};
  for (const status of statuses.values()) ends[status] = (ends[status] ?? 0) + 1;
  return ends;
}

/** The status in which each of these commands has ended. */
async function statusesOf(ids: Set<string>): Promise<Map<string, string>> {
  const ends = new Map<string, string>();
  await vi.waitFor(
    async () => {
      for (const { command_id, status } of await storedCommands(platform.postgres.url, platform.demo.tenant_id)) {
        if (ids.has(command_id)) ends.set(command_id, status);
      }
      expect([...ends.values()].filter((status) => status === 'ACCEPTED' || status === 'DISPATCHED')).toEqual([]);
    },
    { timeout: 180_000, interval: 500 },
  );
  return ends;
}

test('results that reached the bus in time count, even if Postgres was down until after the deadlines', {
  timeout: 300_000,
}, async () => {
  for (let isInTime = false; !isInTime; ) {
    const commands = await dispatchedCommands();
    await platform.postgres.suspend();
    isInTime = await publishInTime(commands);
    await deadlinesPassed(commands);
    await platform.postgres.resume();
    await vi.waitFor(async () => expect(await untaken()).toBe(0), { timeout: 60_000 });
    const ends = await endsOf(commands);
    if (isInTime) expect(ends).toEqual({ SUCCEEDED: COUNT });
  }
});

test('results that a killed worker had fetched count, even if the next worker starts after the deadlines', {
  timeout: 300_000,
}, async () => {
  const worker = await platform.client.consumers.get('TOP_UPDATES', 'platform-command-updates');
  const fetched = async () => (await worker.info()).num_ack_pending;
  for (let isInTime = false; !isInTime; ) {
    const commands = await dispatchedCommands();
    await whileLocked(commands, async () => {
      isInTime = await publishInTime(commands);
      await vi.waitFor(async () => expect(await fetched()).toBeGreaterThan(0), { timeout: 60_000 });
      await kill(platform.server());
    });
    if (isInTime) expect(await untaken()).toBe(COUNT);
    await deadlinesPassed(commands);
    await platform.restart();
    await vi.waitFor(async () => expect(await untaken()).toBe(0), { timeout: 60_000 });
    const ends = await endsOf(commands);
    if (isInTime) expect(ends).toEqual({ SUCCEEDED: COUNT });
  }
});

test('results count even if one of two workers is killed under load, the leader or the follower', {
  timeout: 300_000,
}, async () => {
  answersAtOnce = true;
  const load = startLoad(platform.demo, () => platform.server().baseUrl, {
    readers: 0,
    restMs: 20,
    command: () => ({ timeout_seconds: 60 }),
  });
  const worker = await platform.startWorker();
  await load.seen(150, isAccepted);
  await kill(worker);
  await load.seen(150, isAccepted);

  const next = await platform.startWorker();
  await load.seen(150, isAccepted);
  await kill(platform.server());
  await platform.restart();
  await load.seen(150, isAccepted);
  const sent = await load.stop();

  const accepted = new Set(sent.filter(isAccepted).map(({ answer }) => answer?.body.command_id as string));
  const ends = await statusesOf(accepted);
  const answered = [...accepted].filter((id) => answeredInTime.has(id));
  expect(answered.length).toBeGreaterThan(500);
  expect(new Set(answered.map((id) => ends.get(id)))).toEqual(new Set(['SUCCEEDED']));
  expect(await next.stop()).toBe(0);
});
