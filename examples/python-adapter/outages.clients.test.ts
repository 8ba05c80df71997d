import { setTimeout as delay } from 'node:timers/promises';
import { connect, createInbox, nkeyAuthenticator } from '@nats-io/transport-node';
import { expect, onTestFinished, test } from 'vitest';
import { startPython } from './start-python.js';

const { platform, start, startWith } = await startPython();

/** After demo-blocks, the event loop stands still once between the creation of such a task and its start. */
const blocking = (task: string, seconds: number, before = '') => `
print("runs", command["device_id"], context.redelivered, flush=True)
if command["device_id"] == "demo-blocks":
    ${before}
    def create(loop, work, **options):
        if work.__name__ == "${task}":
            loop.set_task_factory(None)
            loop.call_soon(time.sleep, ${seconds})
        return asyncio.Task(work, loop=loop, **options)
    asyncio.get_running_loop().set_task_factory(create)
return context.device_says("SUCCEEDED")
`;

const blocked = async (task: string, seconds: number, before?: string) => {
  const adapter = await startWith(blocking(task, seconds, before));
  expect(await platform.outcomeOf(await platform.send({ device_id: 'demo-blocks' }))).toMatchObject({
    status: 'SUCCEEDED',
  });
  return adapter;
};

test.each(['take_command', 'outcome_of'])(
  'another device keeps the event loop before %s: the process stood still, so the command comes again, and is marked',
  async (task) => {
    const { log, stop } = await blocked(task, 7);
    const commandId = await platform.send({ device_id: 'demo-waits', timeout_seconds: 120 });
    expect(await platform.outcomeOf(commandId)).toMatchObject({ status: 'SUCCEEDED', status_reason: null });
    await stop();
    expect(log().match(/runs demo-waits .*/g)).toEqual(['runs demo-waits True']);
  },
);

test('another device keeps the event loop until the deadline: the command does not start', async () => {
  await start().then(({ stop }) => stop());
  const { log, stop } = await blocked('outcome_of', 5.5, 'sys.modules["__main__"].LONGEST_GAP = 60');
  const commandId = await platform.send({ device_id: 'demo-late', timeout_seconds: 5 });
  expect(await platform.lateResultOf(commandId)).toMatchObject({ status_reason: { code: 'NOT_STARTED' } });
  await stop();
  expect(log()).not.toContain('runs demo-late');
});

test('a request of a device ends when it expires, also while NATS is away', async () => {
  const { pid, logged, stop } = await startWith(`
told = asyncio.Event()
asyncio.get_running_loop().add_signal_handler(signal.SIGUSR2, told.set)
print("waits", flush=True)
await told.wait()
print("reply", await context.request("check", {}, command["command_id"], expires_in_seconds=2), flush=True)
return context.device_says("SUCCEEDED")`);
  const commandId = await platform.send({ timeout_seconds: 120 });
  await logged('waits');
  await platform.nats.suspend();
  process.kill(pid, 'SIGUSR2');
  await logged('reply None');
  await platform.nats.resume();
  expect(await platform.outcomeOf(commandId)).toMatchObject({ status: 'SUCCEEDED' });
  await stop();
});

test('what NATS has delivered to a process that died is marked, also if NATS forgets that it has', async () => {
  await start().then(({ stop }) => stop());
  /** Takes a message, and says nothing more. */
  const reader = async (request: string) => {
    const connection = await connect({
      servers: platform.nats.url.slice('nats://'.length),
      authenticator: nkeyAuthenticator(platform.platformUser.getSeed()),
    });
    onTestFinished(() => connection.close());
    const inbox = createInbox();
    const messages = connection.subscribe(inbox);
    connection.publish('$JS.API.CONSUMER.MSG.NEXT.TOP_COMMANDS.demo+vendor_a', request, { reply: inbox });
    for await (const _ of messages) break;
    return connection;
  };
  const earlier = await platform.sendAhead({ timeout_seconds: 120 });
  await reader('1');
  const begunAt = performance.now();
  await delay(3_000);
  const last = await platform.send({ timeout_seconds: 120 });
  const dying = await reader('{"batch":10,"expires":30000000000}');
  await dying.close();
  // The first command has come up for nobody. The last one, whose time is not over, is then delivered as new.
  await delay(begunAt + 6_500 - performance.now());
  const { stop } = await start();
  for (const id of [earlier, last]) {
    expect(await platform.outcomeOf(id)).toMatchObject({ status: 'TIMED_OUT', status_reason: { code: 'SENT_TWICE' } });
  }
  await stop();
});
