import { expect, test, vi } from 'vitest';
import { processesOf, setUp, within } from './serve.js';

test('frozen until another process has its commands: it starts none of them when it wakes, and does not say that nothing happened', async (context) => {
  // As the platform's.
  const { on, serve } = await setUp(context, { ackWaitMs: 6_000 });
  const { launch, runsIn } = processesOf(context, on);
  const frozen = launch();
  await on.askedTwice();
  const sent = await on.send([{ device_id: 'held' }, { device_id: 'held' }]);
  await vi.waitFor(() => expect(runsIn()).toHaveLength(1), within);
  const [[begun] = ['']] = runsIn();
  // It has asked NATS for more messages. The next one waits in its socket.
  await on.askedTwice();
  frozen.kill('SIGSTOP');
  sent.push(...(await on.send([{}])));
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const second = await serve(() => ended);
  await vi.waitFor(() => expect(second.runs).toHaveLength(3), within);
  expect(second.runs.filter(({ device }) => device === 'held')).toMatchObject([
    { redelivered: true },
    { redelivered: true },
  ]);
  // The signal is handled before its timers.
  frozen.kill('SIGUSR2');
  frozen.kill('SIGCONT');
  const [first] = await vi.waitFor(async () => {
    const updates = await on.updates();
    expect(updates).not.toEqual([]);
    return updates;
  }, within);
  expect(first).toMatchObject({
    command_id: begun,
    device_execution_status: 'TIMED_OUT',
    status_reason: { code: 'UNREACHABLE', message: expect.stringContaining('another process') },
  });
  // It reads again.
  await on.askedTwice();
  await on.askedTwice();
  end();
  await on.allAcknowledged();
  expect(runsIn()).toHaveLength(1);
  expect((await on.updates()).slice(1)).toMatchObject(sent.map(() => ({ device_execution_status: 'SUCCEEDED' })));
});
