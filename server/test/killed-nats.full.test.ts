import { type CommandMessage, type CommandUpdate, subjects } from '@tenant-open-platform/contract/bus';
import { atEnd } from '@tenant-open-platform/testing';
import { pino } from 'pino';
import { expect, test, vi } from 'vitest';
import { natsBus } from '../src/pipeline/bus/nats-bus.js';
import { isAccepted, startLoad } from './support/load.js';
import { startPrivatePlatform } from './support/private-platform.js';
import { storedCommands } from './support/stored.js';

/** Thirty before a release, on each supported nats-server: NATS_KILLS=30 NATS_SERVER=… */
const KILLS = Number(process.env.NATS_KILLS ?? 3);

const platform = await startPrivatePlatform();
const bus = await natsBus({ url: platform.nats.url }, pino({ level: 'silent' }));
/** The commands whose results the bus acknowledged a second before their deadlines. */
const answeredInTime = new Set<string>();
await bus.consume({
  stream: 'TOP_COMMANDS',
  durable: 'test-adapter',
  async handle({ body }) {
    const command: CommandMessage = JSON.parse(body.toString('utf8'));
    await publishResult(command);
    if (Date.now() < Date.parse(command.deadline_at) - 1_000) answeredInTime.add(command.command_id);
    return 'DONE';
  },
});

atEnd(bus.close);

function publishResult({ command_id, tenant_id, vendor }: CommandMessage) {
  const update: CommandUpdate = { command_id, device_execution_status: 'SUCCEEDED' };
  const subject = subjects.commandUpdate(tenant_id, vendor);
  return bus.publish([{ subject, id: command_id, body: Buffer.from(JSON.stringify(update)) }]);
}

async function killNats(): Promise<void> {
  process.kill(platform.nats.pid(), 'SIGKILL');
  // It waits for the end of the process.
  await platform.nats.suspend();
  await platform.nats.resume();
}

test(`every result that the bus acknowledged before its deadline counts, through ${KILLS} kill -9 of nats-server under load`, {
  timeout: 360_000 + KILLS * 20_000,
}, async () => {
  const load = startLoad(platform.demo, () => platform.server().baseUrl, { readers: 0, restMs: 20 });
  for (let kill = 0; kill < KILLS; kill++) {
    const before = answeredInTime.size;
    // Load is under way again: results flow.
    await vi.waitFor(() => expect(answeredInTime.size).toBeGreaterThan(before + 100), { timeout: 60_000 });
    await killNats();
  }
  await load.seen(150, isAccepted);
  const sent = await load.stop();

  const accepted = new Set(sent.filter(isAccepted).map(({ answer }) => answer?.body.command_id as string));
  const ends = new Map<string, string>();
  await vi.waitFor(
    async () => {
      for (const { command_id, status } of await storedCommands(platform.postgres.url, platform.demo.tenant_id))
        ends.set(command_id, status);
      expect([...accepted].filter((id) => /ACCEPTED|DISPATCHED/.test(ends.get(id) ?? ''))).toEqual([]);
    },
    // The sweeper waits up to two minutes for updates that NATS redelivers.
    { timeout: 240_000, interval: 500 },
  );
  const wrong = [...accepted].filter((id) => answeredInTime.has(id) && ends.get(id) !== 'SUCCEEDED');
  expect(wrong.map((id) => ends.get(id))).toEqual([]);
  expect([...accepted].filter((id) => answeredInTime.has(id)).length).toBeGreaterThan(KILLS * 100);
  const untaken = async () => (await platform.streams.info('TOP_UPDATES')).state.messages;
  await vi.waitFor(async () => expect(await untaken()).toBe(0), { timeout: 60_000 });
});
