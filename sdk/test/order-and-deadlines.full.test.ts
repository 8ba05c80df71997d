import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { expectEachOnce, processesOf, setUp, within } from './serve.js';
import type { Bus } from './start-bus.js';
import { startClockProxy } from './start-clock-proxy.js';

test.concurrent('onePerDevice: a device gets its commands in order, one at a time, and others do not wait for it', async (context) => {
  const { on, serve } = await setUp(context);
  const running = new Set<string>();
  const overlaps: string[] = [];
  let othersLeft = 100;
  let end = () => {};
  const othersDone = new Promise<void>((resolve) => (end = resolve));
  const { runs } = await serve(
    async ({ device_id }) => {
      if (running.has(device_id)) overlaps.push(device_id);
      running.add(device_id);
      await (device_id === 'slow' ? othersDone : delay(2));
      running.delete(device_id);
      if (device_id !== 'slow' && --othersLeft === 0) end();
    },
    { onePerDevice: true },
  );
  const sent: Awaited<ReturnType<Bus['send']>> = [];
  // One after the other: the order on the bus is the order of the list.
  for (let n = 0; n < 150; n += 1) {
    sent.push(...(await on.send([{ device_id: n < 50 ? 'slow' : `d-${n % 5}` }])));
  }
  await expectEachOnce(on, sent, runs);
  expect(overlaps).toEqual([]);
  for (const device of ['slow', 'd-0', 'd-4']) {
    const wanted = sent.filter(({ device_id }) => device_id === device).map(({ command_id }) => command_id);
    expect(runs.filter((run) => run.device === device).map(({ id }) => id)).toEqual(wanted);
  }
  expect(runs.at(-1)?.device).toBe('slow');
});

test.concurrent('onePerDevice: a fast device gets all of its commands, however many come at once', async (context) => {
  const { on, serve } = await setUp(context);
  let lastRunAt = Number.POSITIVE_INFINITY;
  let longestPauseMs = 0;
  const { adapter, runs } = await serve(
    async () => {
      longestPauseMs = Math.max(longestPauseMs, performance.now() - lastRunAt);
      lastRunAt = performance.now();
    },
    { onePerDevice: true },
  );
  for (;;) {
    const before = adapter.counters.outcomes;
    lastRunAt = Number.POSITIVE_INFINITY;
    longestPauseMs = 0;
    const sent = await on.send(Array.from({ length: 4_500 }, () => ({ device_id: 'fast' })));
    await on.allAcknowledged();
    const { SUCCEEDED, UNREACHABLE } = adapter.counters.outcomes;
    // The adapter waits a second for a device. One that is stopped for so long, by a machine that stalls, is not fast.
    if (UNREACHABLE > before.UNREACHABLE && longestPauseMs > 900) continue;
    expect([SUCCEEDED - before.SUCCEEDED, UNREACHABLE - before.UNREACHABLE]).toEqual([sent.length, 0]);
    expect(new Set(runs.slice(-sent.length).map(({ id }) => id)).size).toBe(sent.length);
    return;
  }
});

test.concurrent('onePerDevice: thousands of commands of a silent device keep no command of another from its device', async (context) => {
  const { on, serve } = await setUp(context);
  let end = () => {};
  const held = new Promise<void>((resolve) => (end = resolve));
  const { adapter } = await serve(async ({ device_id }) => (device_id === 'silent' ? held : undefined), {
    onePerDevice: true,
  });
  // Before the adapter stops.
  context.onTestFinished(() => end());
  await on.send(Array.from({ length: 5_000 }, () => ({ device_id: 'silent' })));
  await on.send(Array.from({ length: 40 }, () => ({})));
  await vi.waitFor(() => expect(adapter.counters.outcomes.SUCCEEDED).toBe(40), within);
  expect(adapter.counters).toMatchObject({ running: 1, repeated: 0 });
});

test.concurrent('at the deadline the signal is aborted; past it nothing is started', async (context) => {
  const { on, serve } = await setUp(context);
  const { adapter, runs } = await serve(
    (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    { concurrency: 1 },
  );
  await on.askedTwice();
  const deadline = Date.now() + 10_000;
  const ofSecond = new Date(deadline - 1_000).toISOString();
  const sent = await on.send([{ deadline_at: new Date(deadline).toISOString() }, { deadline_at: ofSecond }]);
  await on.allAcknowledged();
  expect(runs).toHaveLength(1);
  expect(adapter.counters).toMatchObject({ started: 1, expired: 1, outcomes: { TIMED_OUT: 1 } });
  expect(await on.updates()).toMatchObject([
    { device_execution_status: 'TIMED_OUT', status_reason: { code: 'DEADLINE_EXCEEDED' } },
    { adapter_status: 'UNREACHABLE', status_reason: { code: 'NOT_STARTED' } },
  ]);
  expect(sent).toHaveLength(2);
});

/** The adapter runs what is in time, unmarked, and nothing else. */
async function expectInTime(on: Bus, runsIn: () => (readonly [id: string, redelivered: unknown])[]): Promise<void> {
  await on.send([{}]);
  await vi.waitFor(() => expect(runsIn()).toHaveLength(1), within);
  const inSeconds = (seconds: number) => ({ deadline_at: new Date(Date.now() + seconds * 1_000).toISOString() });
  const late = await on.send([inSeconds(-1)]);
  const sent = await on.send(Array.from({ length: 40 }, () => inSeconds(300)));
  await on.allAcknowledged();
  expect(
    new Set(
      runsIn()
        .slice(1)
        .map(([id, redelivered]) => `${id} ${redelivered}`),
    ),
  ).toEqual(new Set(sent.map(({ command_id }) => `${command_id} false`)));
  expect((await on.updates()).find(({ command_id }) => command_id === late[0]?.command_id)).toMatchObject({
    status_reason: { code: 'NOT_STARTED' },
  });
}

const wrong = [
  ['an hour ahead', 3_600_000],
  ['an hour behind', -3_600_000],
] as const;

test.concurrent.for(wrong)(
  'an adapter whose clock is %s runs what is in time, unmarked, and nothing else',
  async ([, aheadMs], context) => {
    const { on } = await setUp(context);
    const { launch, runsIn } = processesOf(context, on);
    launch(Number.POSITIVE_INFINITY, aheadMs);
    await expectInTime(on, runsIn);
  },
);

test.concurrent.for(wrong)(
  'where the clock of NATS is %s, what is in time runs, unmarked, and nothing else',
  async ([, aheadMs], context) => {
    const { on, serve } = await setUp(context);
    const proxy = await startClockProxy(on.nats.url, aheadMs);
    context.onTestFinished(() => proxy.stop());
    const { runs, events } = await serve(undefined, { servers: proxy.url });
    await expectInTime(on, () => runs.map(({ id, redelivered }) => [id, redelivered]));
    expect(events.map(({ event }) => event)).toContain('clock-differs');
  },
);

test.concurrent('until NATS has told its time nothing starts; then what is in time does, and what is late does not', async (context) => {
  const { on, serve } = await setUp(context);
  const proxy = await startClockProxy(on.nats.url, 0);
  context.onTestFinished(() => proxy.stop());
  proxy.tellTime(false);
  const { runs } = await serve(undefined, { servers: proxy.url });
  const lateAt = Date.now() + 2_000;
  const late = { deadline_at: new Date(lateAt).toISOString() };
  const [first, second] = await on.send([{}, {}, late]);
  const consumer = await on.consumer();
  // Longer than NATS waits for a sign of life.
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(lateAt + 5_000), within);
  // The first one is kept: it is not delivered again, and no other overtakes it.
  expect((await consumer.info()).delivered.consumer_seq).toBe(1);
  expect(runs).toEqual([]);
  proxy.tellTime(true);
  await on.allAcknowledged();
  expect(runs.map(({ id }) => id)).toEqual([first, second].map((command) => command?.command_id));
});
