import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { connect, createInbox, nkeyAuthenticator } from '@nats-io/transport-node';
import { temporaryFolder } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startPlatform } from '../vendor-adapter/start-platform.js';
import { build, isGoThere } from './build.js';
import { executionsIn } from './device-log.js';

const platform = isGoThere ? await startPlatform() : (undefined as never);
const program = isGoThere ? build() : '';

/** The adapter with records of its own: it does not know what others have read. */
async function start() {
  const file = join(temporaryFolder(), 'devices');
  const adapter = await platform.startAdapter({
    argv: [program],
    environment: { NATS_SEED: readFileSync(platform.seeds.demo, 'utf8'), DEVICE_LOG: file },
  });
  await adapter.logged('Reads demo+vendor_a on TOP_COMMANDS.');
  // nats-server 2.9 tells no time: what comes during the first pull may have been there before.
  await delay(300);
  return { ...adapter, executions: () => executionsIn(file) };
}

test.runIf(isGoThere)('with the seed of its principal the adapter in Go carries out a command', async () => {
  const adapter = await start();
  const commandId = await platform.send({});
  expect(await platform.outcomeOf(commandId)).toMatchObject({ status: 'SUCCEEDED', result: { executed: true } });
  expect(adapter.executions()).toMatchObject([{ command_id: commandId, device_id: 'demo-1', answer: 'DONE' }]);
  await adapter.stop();
});

const soon = { timeout: 60_000, interval: 10 };

/** A command that is on the bus while nobody reads. */
async function sendAhead(command: object): Promise<string> {
  const commandId = await platform.send({ timeout_seconds: 120, ...command });
  await vi.waitFor(async () => expect(await platform.read(commandId)).toMatchObject({ adapter_status: 'SENT' }), soon);
  return commandId;
}

test.runIf(isGoThere)(
  'what NATS has delivered to a process that died is not executed, also if NATS forgets that it has',
  async () => {
    const { nats, platformUser } = platform;
    const first = await start();
    expect(await platform.outcomeOf(await platform.send({}))).toMatchObject({ status: 'SUCCEEDED' });
    await first.stop();
    async function takeOne({ batch }: { batch: number }) {
      const authenticator = nkeyAuthenticator(platformUser.getSeed());
      const connection = await connect({ servers: nats.url, authenticator, reconnect: false });
      onTestFinished(() => connection.close());
      const inbox = createInbox();
      const reading = connection.subscribe(inbox);
      const next = '$JS.API.CONSUMER.MSG.NEXT.TOP_COMMANDS.demo+vendor_a';
      connection.publish(next, JSON.stringify({ batch, expires: 30_000_000_000 }), { reply: inbox });
      return { connection, taken: (async () => void (await reading[Symbol.asyncIterator]().next()))() };
    }
    const earlier = await sendAhead({ device_id: 'demo-earlier' });
    await (await takeOne({ batch: 1 })).taken;
    const begunAt = performance.now();
    const after = (ms: number) => vi.waitFor(() => expect(performance.now() - begunAt).toBeGreaterThan(ms), soon);
    await after(3_000);
    const last = await sendAhead({ device_id: 'demo-last' });
    // It asks for more than there is, and is gone.
    const dying = await takeOne({ batch: 10 });
    await dying.taken;
    await dying.connection.close();
    // The first command has come up for nobody. The last one, whose time is not over, is then delivered as new.
    await after(6_500);
    const later = await sendAhead({ device_id: 'demo-later' });
    const adapter = await start();
    for (const id of [earlier, last]) expect(await platform.outcomeOf(id)).toMatchObject({ status: 'TIMED_OUT' });
    expect(await platform.outcomeOf(later)).toMatchObject({ status: 'SUCCEEDED' });
    expect(adapter.executions()).toMatchObject([{ command_id: later }]);
    await adapter.stop();
  },
);

test.runIf(isGoThere)(
  'frozen until another process has its commands: it starts none when it wakes, and what has succeeded has',
  async () => {
    const frozen = await start();
    const send = (device_id: string) => platform.send({ device_id, timeout_seconds: 120 });
    const sent = await Promise.all(Array.from({ length: 10 }, () => send('demo-frozen')));
    const executed = () => frozen.executions().map(({ command_id }) => command_id);
    await vi.waitFor(() => expect(executed()).toHaveLength(4), { timeout: 60_000, interval: 1 });
    process.kill(frozen.pid, 'SIGSTOP');
    expect(frozen.executions().at(-1)).toMatchObject({ answer: 'FAILED' });
    const begun = executed();
    const waiting = sent.filter((id) => !begun.includes(id));
    // The frozen process has asked NATS for it.
    const inSocket = await sendAhead({ device_id: 'demo-other' });
    const second = await start();
    const [last = ''] = begun.slice(-1);
    for (const id of [last, ...waiting]) expect(await platform.outcomeOf(id)).toMatchObject({ status: 'TIMED_OUT' });
    await platform.outcomeOf(inSocket);
    process.kill(frozen.pid, 'SIGCONT');
    expect(await platform.lateResultOf(last)).toMatchObject({ device_execution_status: 'SUCCEEDED' });
    await second.stop();
    const later = await send('demo-later');
    expect(await platform.outcomeOf(later)).toMatchObject({ status: 'SUCCEEDED' });
    await frozen.stop();
    expect(executed()).toEqual([...begun, later]);
  },
);

test.runIf(isGoThere)(
  'what waits for its device for longer than 5 seconds is executed: the process has not stood still',
  async () => {
    const adapter = await start();
    const send = () => platform.send({ device_id: 'demo-busy', timeout_seconds: 120 });
    const ids = await Promise.all(Array.from({ length: 25 }, send));
    const ends = await Promise.all(ids.map((id) => platform.outcomeOf(id)));
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['SUCCEEDED']));
    expect(adapter.log()).not.toContain('stood still');
    await adapter.stop();
  },
);

test.runIf(isGoThere)('the parts in Go do as their tests say', async () => {
  await promisify(execFile)('go', ['test', '.'], { cwd: import.meta.dirname });
});
