import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { AckPolicy, jetstream } from '@nats-io/jetstream';
import { createUser } from '@nats-io/nkeys';
import { headers } from '@nats-io/transport-node';
import { nextMillisecond } from '@tenant-open-platform/testing';
import { startNatsCluster } from '@tenant-open-platform/testing/private-nats';
import { expect, type TestContext, test, vi } from 'vitest';
import { type AdapterEvent, DeviceConnections, serveVendor, type VendorOptions } from '../src/adapter.js';
import { type Bus, startBus, tenantId, vendor } from './start-bus.js';
import { startDeafProxy } from './start-deaf-proxy.js';

/** As the platform marks a command that it may have sent before. */
function sentAgain() {
  const marked = headers();
  marked.set('Sent-Again', 'true');
  return marked;
}

const within = { timeout: 90_000, interval: 50 };

type Handler = VendorOptions['onCommand'];

/** A bus, and a function that starts adapters, which remember their handler runs and their log. */
async function setUp({ onTestFinished }: TestContext, settings: Parameters<typeof startBus>[0] = {}) {
  const on = await startBus(settings);
  onTestFinished(() => on.stop());

  async function serve(onCommand: Handler = async () => {}, options: Partial<VendorOptions> = {}) {
    const runs: { id: string; device: string; redelivered: boolean }[] = [];
    const events: AdapterEvent[] = [];
    const adapter = await serveVendor({
      servers: on.nats.url,
      tenantId,
      vendor,
      log: (event) => events.push(event),
      async onCommand(command, context) {
        runs.push({ id: command.command_id, device: command.device_id, redelivered: context.redelivered });
        return onCommand(command, context);
      },
      ...options,
    });
    onTestFinished(() => adapter.stop());
    // Times of NATS are whole milliseconds. What is sent in that of the first read counts as sent before it.
    await nextMillisecond();
    return { adapter, runs, events };
  }
  return { on, serve };
}

/** Every command ran once in all adapters together, has an outcome, and is acknowledged. */
async function expectEachOnce(on: Bus, sent: { command_id: string }[], ...runs: { id: string }[][]): Promise<void> {
  await on.allAcknowledged();
  const ids = sent.map(({ command_id }) => command_id);
  const timesRun = ids.map((id) => runs.flat().filter((run) => run.id === id).length);
  expect(timesRun).toEqual(ids.map(() => 1));
  expect(runs.flat()).toHaveLength(ids.length);
  const updates = await on.updates();
  const succeeded = updates.filter((update) => update.device_execution_status === 'SUCCEEDED');
  expect(new Set(succeeded.map(({ command_id }) => command_id))).toEqual(new Set(ids));
}

test.concurrent('1,000 commands, 16 at once: each runs once, and each outcome is reported', async (context) => {
  const { on, serve } = await setUp(context);
  let running = 0;
  let most = 0;
  let open = () => {};
  const allPlacesTaken = new Promise<void>((resolve) => (open = resolve));
  const { adapter, runs } = await serve(
    async () => {
      running += 1;
      most = Math.max(most, running);
      if (most === 16) open();
      await allPlacesTaken;
      await delay(5);
      running -= 1;
    },
    { concurrency: 16 },
  );
  await on.askedTwice();
  const sent = await on.send(Array.from({ length: 1_000 }, () => ({})));
  await expectEachOnce(on, sent, runs);
  expect(most).toBe(16);
  expect(runs.filter(({ redelivered }) => redelivered)).toEqual([]);
  expect(adapter.counters).toMatchObject({ running: 0, started: 1_000, repeated: 0, outcomes: { SUCCEEDED: 1_000 } });
});

test.concurrent('a command that NATS delivers again while it runs runs once', async (context) => {
  const { on, serve } = await setUp(context, { ackWaitMs: 500 });
  let end = () => {};
  const { adapter, runs } = await serve(() => new Promise((resolve) => (end = resolve)));
  const sent = await on.send([{}]);
  await vi.waitFor(() => expect(adapter.counters.repeated).toBeGreaterThanOrEqual(2), within);
  end();
  await expectEachOnce(on, sent, runs);
});

test.concurrent('a long run is not delivered again: NATS hears that it goes on', async (context) => {
  // A sign of life every two seconds may be delayed by a machine that stalls.
  const { on, serve } = await setUp(context, { ackWaitMs: 10_000 });
  const { adapter, runs } = await serve(() => delay(21_000));
  await expectEachOnce(on, await on.send([{}]), runs);
  expect(adapter.counters.repeated).toBe(0);
});

test.concurrent('NATS restarted in the middle: each command runs once, and each outcome is reported', async (context) => {
  const { on, serve } = await setUp(context, { ackWaitMs: 5_000 });
  const { adapter, runs, events } = await serve(() => delay(100));
  const sent = await on.send(Array.from({ length: 100 }, () => ({})));
  await vi.waitFor(() => expect(adapter.counters.outcomes.SUCCEEDED).toBeGreaterThan(20), within);
  await on.nats.suspend();
  // Handlers end meanwhile.
  await delay(1_000);
  await on.nats.resume();
  await expectEachOnce(on, sent, runs);
  expect(events).toContainEqual(expect.objectContaining({ event: 'disconnected' }));
});

test.concurrent('an outcome while NATS is away is published when it is back', async (context) => {
  const { on, serve } = await setUp(context);
  let end = () => {};
  const { adapter, runs } = await serve(() => new Promise((resolve) => (end = resolve)));
  const sent = await on.send([{}]);
  await vi.waitFor(() => expect(runs).toHaveLength(1), within);
  await on.nats.suspend();
  end();
  const stopped = adapter.stop();
  await delay(2_500);
  expect(adapter.counters.running).toBe(1);
  await on.nats.resume();
  await stopped;
  await expectEachOnce(on, sent, runs);
});

test.concurrent('an outcome whose acknowledgement is lost is published again, under the same id', async (context) => {
  const { on, serve } = await setUp(context);
  const proxy = await startDeafProxy(on.nats.url);
  context.onTestFinished(() => proxy.stop());
  let end = () => {};
  const { adapter, runs } = await serve(() => new Promise((resolve) => (end = resolve)), { servers: proxy.url });
  const sent = await on.send([{}]);
  await vi.waitFor(() => expect(runs).toHaveLength(1), within);
  proxy.beDeaf();
  end();
  await vi.waitFor(() => expect(adapter.counters.retried).toBeGreaterThanOrEqual(1), within);
  proxy.hear();
  await expectEachOnce(on, sent, runs);
  const updates = await on.publishedUpdates();
  expect(updates.length).toBeGreaterThanOrEqual(2);
  expect(new Set(updates.map(({ id, occurred_at }) => `${id} ${occurred_at}`)).size).toBe(1);
});

test.concurrent('the durable deleted and created again: no command runs a second time, and new ones run', async (context) => {
  const { on, serve } = await setUp(context);
  const { adapter, runs, events } = await serve(() => delay(20));
  const before = await on.send(Array.from({ length: 40 }, () => ({})));
  await vi.waitFor(() => expect(adapter.counters.outcomes.SUCCEEDED).toBeGreaterThan(10), within);
  await on.deleteDurable();
  await vi.waitFor(() => expect(events.map(({ event }) => event)).toContain('not-readable'), within);
  const meanwhile = await on.send([{}]);
  await on.createDurable();
  await nextMillisecond();
  const afterwards = await on.send([{}]);
  await expectEachOnce(on, [...before, ...meanwhile, ...afterwards], runs);
  // The new durable has delivered both for the first time. Only the last was sent after it was created.
  expect(runs.slice(-2)).toMatchObject([
    { id: meanwhile[0]?.command_id, redelivered: true },
    { id: afterwards[0]?.command_id, redelivered: false },
  ]);
});

test.concurrent('the durable deleted and created again while the adapter is full: what it delivers then is marked', async (context) => {
  const { on, serve } = await setUp(context);
  let end = () => {};
  const first = new Promise<void>((resolve) => (end = resolve));
  const { adapter, runs, events } = await serve(() => first, { concurrency: 1 });
  await on.send([{}]);
  await vi.waitFor(() => expect(adapter.counters.running).toBe(1), within);
  const before = events.length;
  // Another process may have begun it.
  const [earlier] = await on.send([{}]);
  await on.deleteDurable();
  await on.createDurable();
  await nextMillisecond();
  const [later] = await on.send([{}]);
  // It has not noticed.
  expect(events.slice(before)).toEqual([]);
  end();
  await on.allAcknowledged();
  expect(runs.slice(1)).toMatchObject([
    { id: earlier?.command_id, redelivered: true },
    { id: later?.command_id, redelivered: false },
  ]);
});

test.concurrent('the stream deleted and created again: new commands run', async (context) => {
  const { on, serve } = await setUp(context);
  const { runs } = await serve();
  await on.send([{}]);
  await on.allAcknowledged();
  await on.manager.streams.delete('TOP_COMMANDS');
  await on.createCommands();
  await on.createDurable();
  const [command] = await on.send([{}]);
  await vi.waitFor(() => expect(runs.map(({ id }) => id)).toContain(command?.command_id), within);
});

test.concurrent('the leader of the streams killed: each command runs once, and each outcome is reported', async (context) => {
  const cluster = await startNatsCluster();
  context.onTestFinished(async () => void (await Promise.all(cluster.map((server) => server.stop()))));
  const { on, serve } = await setUp(context, { nats: cluster[0], replicas: 3, ackWaitMs: 5_000 });
  const { adapter, runs } = await serve(() => delay(20), {
    servers: cluster.map(({ url }) => url),
    // Few at once, so that the leader ends in the middle.
    concurrency: 16,
  });
  // A machine that stalls elects leaders in between.
  const sent = await on.send(
    Array.from({ length: 200 }, () => ({})),
    { retries: 10 },
  );
  await vi.waitFor(() => expect(adapter.counters.outcomes.SUCCEEDED).toBeGreaterThan(20), within);
  const leader = await vi.waitFor(async () => {
    const { cluster: placement } = await on.manager.streams.info('TOP_UPDATES');
    const server = cluster.find(({ name }) => name === placement?.leader);
    if (!server) throw new Error('TOP_UPDATES has no leader.');
    return server;
  }, within);
  process.kill(leader.pid(), 'SIGKILL');
  await expectEachOnce(on, sent, runs);
});

test.concurrent('what was sent before this process began to read is marked; what comes later is not', async (context) => {
  const { on, serve } = await setUp(context);
  const [earlier] = await on.send([{}]);
  const { runs } = await serve();
  await vi.waitFor(() => expect(runs).toHaveLength(1), within);
  const [later] = await on.send([{}]);
  await vi.waitFor(() => expect(runs).toHaveLength(2), within);
  const [again] = await on.send([{}], { headers: sentAgain() });
  await on.allAcknowledged();
  expect(runs).toMatchObject([
    { id: earlier?.command_id, redelivered: true },
    { id: later?.command_id, redelivered: false },
    { id: again?.command_id, redelivered: true },
  ]);
});

test.concurrent('what waits for its device while the connection is lost is marked: another process may have got it', async (context) => {
  const { on, serve } = await setUp(context);
  let end = () => {};
  const held = new Promise<void>((resolve) => (end = resolve));
  const { adapter, runs, events } = await serve(() => held, { onePerDevice: true });
  const device_id = 'one';
  await on.askedTwice();
  const sent = await on.send([{ device_id }, { device_id }]);
  await vi.waitFor(() => expect(adapter.counters).toMatchObject({ running: 1, waiting: 1 }), within);
  await on.nats.suspend();
  await on.nats.resume();
  const isBack = () => events.slice(1).some(({ event }) => event === 'connected');
  await vi.waitFor(() => expect(isBack()).toBe(true), within);
  end();
  await on.allAcknowledged();
  expect(runs.map(({ redelivered }) => redelivered)).toEqual([false, true]);
  expect(new Set(runs.map(({ id }) => id))).toEqual(new Set(sent.map(({ command_id }) => command_id)));
});

test.concurrent('what waits past its deadline is reported as not started, unless NATS was restarted meanwhile, whoever has read since', async (context) => {
  const { on, serve } = await setUp(context);
  const overdue = () => on.send([{ deadline_at: new Date(Date.now() - 1).toISOString() }]);
  const first = await serve();
  await expectEachOnce(on, await on.send([{}]), first.runs);
  await first.adapter.stop();
  const [counted] = await overdue();
  const second = await serve();
  await on.allAcknowledged();
  await second.adapter.stop();
  expect((await on.updates()).slice(1)).toMatchObject([
    { command_id: counted?.command_id, adapter_status: 'UNREACHABLE', status_reason: { code: 'NOT_STARTED' } },
  ]);
  await overdue();
  await on.nats.suspend();
  await on.nats.resume();
  const third = await serve();
  await on.allAcknowledged();
  expect(third.adapter.counters).toMatchObject({ started: 0, expired: 1 });
  await third.adapter.stop();
  await overdue();
  await overdue();
  await on.nats.suspend();
  await on.nats.resume();
  await on.answers();
  // A process that takes one message and is gone.
  await (await (await on.consumer()).next())?.ackAck();
  const fourth = await serve();
  await on.allAcknowledged();
  expect(fourth.adapter.counters).toMatchObject({ started: 0, expired: 1 });
  expect(await on.updates()).toHaveLength(2);
});

test.concurrent('a command that comes again after its end: the outcome is reported again, in case NATS has lost it', async (context) => {
  const { on, serve } = await setUp(context);
  const { runs } = await serve(async () => ({ volts: 230 }));
  const [command = {}] = await on.send([{}]);
  await on.allAcknowledged();
  await on.send([command]);
  await on.allAcknowledged();
  expect(runs).toHaveLength(1);
  const [{ id: _, ...first } = { id: '' }, { id: __, ...second } = { id: '' }] = await on.publishedUpdates();
  expect(first).toMatchObject({ device_execution_status: 'SUCCEEDED', result: { volts: 230 } });
  expect(second).toEqual(first);
});

test.concurrent('an outcome whose message id somebody else has used arrives all the same', async (context) => {
  const { on, serve } = await setUp(context);
  await serve(async ({ command_id }) => {
    await on.publish('tenants.neighbour.command-updates.vendor_b', '{}', `${command_id} SUCCEEDED`);
  });
  const sent = await on.send(Array.from({ length: 20 }, () => ({})));
  await on.allAcknowledged();
  const ended = (await on.publishedUpdates()).map(({ command_id }) => command_id);
  expect(new Set(ended)).toEqual(new Set(sent.map(({ command_id }) => command_id)));
});

test.concurrent('nobody can know the message id of a device request', async (context) => {
  const { on, serve } = await setUp(context);
  const { adapter } = await serve();
  const asked = request();
  void adapter.request(asked);
  await vi.waitFor(async () => expect(await on.requests()).toEqual([asked]), within);
  const [id = ''] = await on.requestIds();
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(id).not.toContain(asked.dedupe_id);
});

test.concurrent('killed in the middle: what it had begun comes again marked, the rest runs once, each outcome is reported', async (context) => {
  const { on } = await setUp(context, { ackWaitMs: 2_000 });
  const { launch, runsIn } = processesOf(context, on);
  const first = launch(100);
  const sent = await on.send(Array.from({ length: 400 }, () => ({})));
  const firstRuns = await vi.waitFor(() => {
    expect(first.signalCode).toBe('SIGKILL');
    return runsIn();
  }, within);
  expect(firstRuns).toHaveLength(100);
  launch();
  await on.allAcknowledged();
  const begun = new Set(firstRuns.map(([id]) => id));
  const laterRuns = runsIn().slice(firstRuns.length);
  const again = laterRuns.filter(([id]) => begun.has(id));
  expect(again.filter(([, redelivered]) => redelivered !== 'true')).toEqual([]);
  expect(again.length).toBeLessThanOrEqual(2 * 16);
  const ids = sent.map(({ command_id }) => command_id).sort();
  const runs = [...begun, ...laterRuns.filter(([id]) => !begun.has(id)).map(([id]) => id)];
  expect(runs.sort()).toEqual(ids);
  const reported = new Set((await on.updates()).map(({ command_id }) => command_id));
  expect([...reported].sort()).toEqual(ids);
});

/** Adapters in processes of their own, and what they ran. */
function processesOf({ onTestFinished }: TestContext, on: Bus) {
  const folder = mkdtempSync(join(tmpdir(), 'top-adapter-runs-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'runs');
  writeFileSync(file, '');
  return {
    runsIn: () =>
      readFileSync(file, 'utf8')
        .trim()
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => line.split(' ') as [id: string, redelivered: string]),
    launch(killedAfter = Number.POSITIVE_INFINITY, clockAheadMs = 0) {
      const environment = {
        SERVERS: on.nats.url,
        TENANT_ID: tenantId,
        VENDOR: vendor,
        RUNS: file,
        KILLED_AFTER: String(killedAfter),
        ...(clockAheadMs !== 0 && { CLOCK_AHEAD_MS: String(clockAheadMs) }),
      };
      const launched = spawn(process.execPath, ['--import', 'tsx', 'adapter-process.ts'], {
        cwd: import.meta.dirname,
        env: { PATH: process.env.PATH, NODE_OPTIONS: '--conditions=@tenant-open-platform/source', ...environment },
        stdio: 'inherit',
      });
      onTestFinished(() => void launched.kill('SIGKILL'));
      return launched;
    },
  };
}

test.concurrent('killed with a command of 30 seconds: the next process gets it in time, marked', async (context) => {
  // As the platform's.
  const { on, serve } = await setUp(context, { ackWaitMs: 6_000 });
  const { launch, runsIn } = processesOf(context, on);
  const killed = launch(1);
  const [command] = await on.send([{}]);
  await vi.waitFor(() => expect(killed.signalCode).toBe('SIGKILL'), within);
  expect(runsIn()).toHaveLength(1);
  const killedAt = performance.now();
  const { runs } = await serve();
  await vi.waitFor(() => expect(runs).toHaveLength(1), within);
  expect(runs).toMatchObject([{ id: command?.command_id, redelivered: true }]);
  expect(performance.now() - killedAt).toBeLessThan(30_000);
});

test.concurrent.for<[string, number]>([
  ['an hour ahead', 3_600_000],
  ['an hour behind', -3_600_000],
])('an adapter whose clock is %s runs what is in time, unmarked, and nothing else', async ([, aheadMs], context) => {
  const { on } = await setUp(context);
  const { launch, runsIn } = processesOf(context, on);
  launch(Number.POSITIVE_INFINITY, aheadMs);
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
});

/** An adapter of devices that dial in, whose processes hand over. */
async function dialIn(context: TestContext) {
  const { on, serve } = await setUp(context);
  const folder = mkdtempSync(join(tmpdir(), 'top-hand-over-'));
  context.onTestFinished(() => rmSync(folder, { recursive: true }));
  const online = new DeviceConnections<true>();
  const serveDevices = (options: Partial<VendorOptions> = { handOverFile: join(folder, 'hand-over.json') }) =>
    serve(async ({ device_id }, run) => void (await online.waitFor(device_id, run)), options);
  const first = await serveDevices();
  await on.askedTwice();
  const sent = await on.send(Array.from({ length: 50 }, () => ({})));
  await vi.waitFor(() => expect(first.adapter.counters.running).toBe(50), within);
  await first.adapter.stop();
  expect(first.adapter.counters).toMatchObject({ started: 0, running: 0 });
  // Nobody reads now.
  sent.push(...(await on.send(Array.from({ length: 5 }, (_, n) => ({ device_id: `later-${n}` })))));
  const dialAll = () => sent.forEach(({ device_id }) => void online.add(device_id, true));
  return { on, serveDevices, sent, dialAll };
}

test.concurrent('commands that wait for their devices while the adapter is restarted are new to the next process', async (context) => {
  const { on, serveDevices, sent, dialAll } = await dialIn(context);
  const second = await serveDevices();
  await vi.waitFor(() => expect(second.runs).toHaveLength(sent.length), within);
  await second.adapter.stop();
  const third = await serveDevices();
  dialAll();
  await expectEachOnce(on, sent, third.runs);
  expect(third.runs.filter(({ redelivered }) => redelivered)).toEqual([]);
  await third.adapter.stop();
  expect(third.adapter.counters).toMatchObject({ started: sent.length });
});

test.concurrent.for<[string, (on: Bus) => Promise<void>, Partial<VendorOptions> | undefined]>([
  ['without the file', async () => {}, {}],
  ['NATS was restarted meanwhile', (on) => on.nats.suspend().then(() => on.nats.resume()), undefined],
])('they are marked if the next process cannot know what happened: %s', async ([, happens, options], context) => {
  const { on, serveDevices, sent, dialAll } = await dialIn(context);
  await happens(on);
  dialAll();
  const { runs } = await serveDevices(options);
  await vi.waitFor(() => expect(runs).toHaveLength(sent.length), within);
  expect(runs.filter(({ redelivered }) => !redelivered)).toEqual([]);
});

test.concurrent('what another process has had meanwhile is marked', async (context) => {
  const { on, serveDevices, sent, dialAll } = await dialIn(context);
  const consumer = await jetstream(on.connection).consumers.get('TOP_COMMANDS', `${tenantId}+${vendor}`);
  const taken: string[] = [];
  for await (const message of await consumer.fetch({ max_messages: 10, expires: 30_000 })) {
    taken.push(message.json<{ command_id: string }>().command_id);
    message.nak();
    if (taken.length === 10) break;
  }
  dialAll();
  const { runs } = await serveDevices();
  await vi.waitFor(() => expect(runs).toHaveLength(sent.length), within);
  expect(new Set(runs.filter(({ redelivered }) => redelivered).map(({ id }) => id))).toEqual(new Set(taken));
});

/** Fourteen before a release, on each supported nats-server: MACHINES_LOST=14 NATS_SERVER=… */
const MACHINES_LOST = Number(process.env.MACHINES_LOST ?? 3);

test.concurrent(
  `nats-server and the adapter killed together, ${MACHINES_LOST} times: no command runs a second time without its mark`,
  async (context) => {
    const { on } = await setUp(context, { ackWaitMs: 2_000 });
    const { launch, runsIn } = processesOf(context, on);
    const sent: string[] = [];
    for (let lost = 0; lost < MACHINES_LOST; lost += 1) {
      const before = runsIn().length;
      const adapter = launch();
      // The connection of the test is back.
      await on.answers();
      sent.push(...(await on.send(Array.from({ length: 400 }, () => ({})))).map(({ command_id }) => command_id));
      await vi.waitFor(() => expect(runsIn().length).toBeGreaterThan(before + 100), within);
      process.kill(on.nats.pid(), 'SIGKILL');
      adapter.kill('SIGKILL');
      // It waits for the end of the process.
      await on.nats.suspend();
      await on.nats.resume();
    }
    launch();
    await on.allAcknowledged();
    const seen = new Set<string>();
    const unmarked = runsIn().filter(([id, redelivered]) => {
      const isSecond = seen.has(id);
      seen.add(id);
      return isSecond && redelivered !== 'true';
    });
    expect(unmarked).toEqual([]);
    expect(runsIn().length).toBeGreaterThan(seen.size);
    expect(seen).toEqual(new Set(sent));
  },
  120_000 + MACHINES_LOST * 60_000,
);

test.concurrent('two processes share the commands of a vendor: a slow one takes only what it can start', async (context) => {
  const { on, serve } = await setUp(context);
  let end = () => {};
  const held = new Promise<void>((resolve) => (end = resolve));
  const slow = await serve(() => held, { concurrency: 4 });
  // Otherwise the fast one may take them all.
  const sent = await on.send([{}]);
  await vi.waitFor(() => expect(slow.runs).toHaveLength(1), within);
  const fast = await serve();
  sent.push(...(await on.send(Array.from({ length: 199 }, () => ({})))));
  await vi.waitFor(() => expect(slow.runs.length + fast.runs.length).toBe(sent.length), within);
  expect(slow.runs.length).toBeLessThanOrEqual(4);
  end();
  await expectEachOnce(on, sent, slow.runs, fast.runs);
});

test.concurrent('stop: the running handler ends, its outcome is acknowledged, the rest stays for others', async (context) => {
  const { on, serve } = await setUp(context);
  let end = () => {};
  const held = new Promise<void>((resolve) => (end = resolve));
  const { adapter, runs } = await serve(() => held, { concurrency: 2 });
  const sent = await on.send([{}, {}, {}, {}]);
  await vi.waitFor(() => expect(runs).toHaveLength(2), within);
  const stopped = adapter.stop();
  end();
  await stopped;
  expect(adapter.counters).toMatchObject({ running: 0, started: 2, outcomes: { SUCCEEDED: 2 } });
  expect(await on.updates()).toHaveLength(2);
  const other = await serve();
  await expectEachOnce(on, sent, runs, other.runs);
});

test.concurrent('stop returns while NATS is away, if nothing is in work', async (context) => {
  const { on, serve } = await setUp(context);
  const { adapter } = await serve();
  await on.nats.suspend();
  await adapter.stop();
  expect(adapter.counters.running).toBe(0);
  await on.nats.resume();
});

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
  // One after the other: the order on the bus is the order of the list.
  const sent = [];
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

test.concurrent('progress comes before the outcome', async (context) => {
  const { on, serve } = await setUp(context);
  await serve(async (_, { progress }) => {
    await progress('DELIVERED');
    void progress('IN_PROGRESS');
    return { done: true };
  });
  await on.send([{}]);
  await on.allAcknowledged();
  expect(await on.updates()).toMatchObject([
    { adapter_status: 'DELIVERED' },
    { device_execution_status: 'IN_PROGRESS' },
    { device_execution_status: 'SUCCEEDED', result: { done: true } },
  ]);
});

test.concurrent('an adapter of the tenant platform reports on the subject of the tenant of the command', async (context) => {
  const { on, serve } = await setUp(context);
  const durable = { durable_name: `platform+${vendor}`, ack_policy: AckPolicy.Explicit };
  await on.manager.consumers.add('TOP_COMMANDS', durable);
  const { adapter } = await serve(undefined, { tenantId: 'platform' });
  const [command] = await on.send([{}]);
  await vi.waitFor(async () => expect(await on.updates()).toMatchObject([{ command_id: command?.command_id }]), within);
  await expect(adapter.request(request())).rejects.toThrow('tenant_id');
  void adapter.request(request({ tenant_id: tenantId }));
  await vi.waitFor(async () => expect(await on.requests()).toHaveLength(1), within);
});

test.concurrent('from an adapter of a tenant to one of the tenant platform: all that waits runs, what has ended comes again marked', async (context) => {
  const { on, serve } = await setUp(context);
  const before = await serve();
  const [ended] = await on.send([{}]);
  await on.allAcknowledged();
  await before.adapter.stop();
  const [waiting] = await on.send([{}]);
  await on.manager.consumers.add('TOP_COMMANDS', {
    durable_name: `platform+${vendor}`,
    ack_policy: AckPolicy.Explicit,
  });
  const { runs } = await serve(undefined, { tenantId: 'platform' });
  await on.askedTwice();
  const [later] = await on.send([{}]);
  await vi.waitFor(() => expect(runs).toHaveLength(3), within);
  expect(before.runs.map(({ id }) => id)).toEqual([ended?.command_id]);
  expect(runs).toMatchObject([
    { id: ended?.command_id, redelivered: true },
    { id: waiting?.command_id, redelivered: true },
    { id: later?.command_id, redelivered: false },
  ]);
});

test.concurrent('connects with TLS, by the authority that it is given', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'top-adapter-tls-'));
  context.onTestFinished(() => rmSync(folder, { recursive: true }));
  const key = join(folder, 'key.pem');
  const caFile = join(folder, 'certificate.pem');
  const parameters = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=nats'];
  const files = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', key, '-out', caFile];
  await promisify(execFile)('openssl', [...parameters, ...files]);
  const configuration = `tls { cert_file: "${caFile}", key_file: "${key}" }`;
  const { on, serve } = await setUp(context, { configuration, tls: { caFile } });
  const { runs } = await serve(undefined, { servers: on.nats.url.replace('nats://', 'tls://'), tls: { caFile } });
  await expectEachOnce(on, await on.send([{}]), runs);
});

test.concurrent('what is no command is named in the log, and blocks nothing', async (context) => {
  const { on, serve } = await setUp(context);
  const { runs, events } = await serve();
  await on.publish(`tenants.${tenantId}.commands.${vendor}`, 'no JSON');
  await on.publish(`tenants.${tenantId}.commands.${vendor}`, '{"command_id":"1"}');
  await expectEachOnce(on, await on.send([{}]), runs);
  expect(events.filter(({ event }) => event === 'invalid')).toHaveLength(2);
});

test.concurrent('waits for the durable, and says what is missing', async (context) => {
  const { on, serve } = await setUp(context);
  await on.deleteDurable();
  const events: AdapterEvent[] = [];
  const starting = serve(undefined, { log: (event) => events.push(event) });
  await vi.waitFor(() => expect(events.map(({ event }) => event)).toContain('not-readable'), within);
  expect(events.find(({ event }) => event === 'not-readable')?.message).toContain(`${tenantId}+${vendor}`);
  await on.createDurable();
  const { runs } = await starting;
  await expectEachOnce(on, await on.send([{}]), runs);
});

/** With a seed, the kit asks JetStream under the prefix that principals have. */
const API_WITHOUT_ACCOUNTS = 'mappings { "TOP.API.>": "$JS.API.>" }';

test.concurrent('a seed where NATS has no accounts: says that NATS asks for no key', async (context) => {
  const { on, serve } = await setUp(context, { configuration: API_WITHOUT_ACCOUNTS });
  const seed = new TextDecoder().decode(createUser().getSeed());
  const { runs, events } = await serve(undefined, { seed });
  expect(events.find(({ level }) => level === 'warn')?.message).toContain('asks for no key');
  await expectEachOnce(on, await on.send([{}]), runs);
});

test.concurrent('waits for NATS', async (context) => {
  const { on, serve } = await setUp(context);
  await on.nats.suspend();
  const events: AdapterEvent[] = [];
  const starting = serve(undefined, { log: (event) => events.push(event) });
  await vi.waitFor(() => expect(events.map(({ event }) => event)).toContain('disconnected'), within);
  await on.nats.resume();
  const { runs } = await starting;
  await expectEachOnce(on, await on.send([{}]), runs);
});

const request = (fields: object = {}) => ({
  device_id: 'd-1',
  request_type: 'firmware_check',
  payload: {},
  dedupe_id: randomUUID(),
  ...fields,
});
const replyTo = ({ dedupe_id }: { dedupe_id: string }) => ({
  dedupe_id,
  device_id: 'd-1',
  request_type: 'firmware_check',
  outcome: 'SUCCESS',
  payload: { version: '2.4.1' },
  expires_at: new Date(Date.now() + 600_000).toISOString(),
});

test.concurrent('a request of a device resolves with its reply, for each caller that sent it', async (context) => {
  const { on, serve } = await setUp(context);
  const { adapter } = await serve();
  const asked = request();
  const answers = [adapter.request(asked), adapter.request(asked)];
  await vi.waitFor(async () => expect(await on.requests()).toHaveLength(1), within);
  await on.reply(replyTo(asked));
  for (const answer of answers) expect(await answer).toMatchObject({ payload: { version: '2.4.1' } });
  expect(await on.requests()).toEqual([asked]);
  await on.allAcknowledged('TOP_REPLIES');
});

test.concurrent('a request that nobody replies to in time resolves to null', async (context) => {
  const { serve } = await setUp(context);
  const { adapter } = await serve();
  expect(await adapter.request(request({ expires_in_seconds: 5 }))).toBeNull();
});

test.concurrent('a request is published through a restart of NATS', async (context) => {
  const { on, serve } = await setUp(context);
  const { adapter } = await serve();
  await on.nats.suspend();
  const asked = request();
  const answer = adapter.request(asked);
  await delay(1_000);
  await on.nats.resume();
  await on.answers();
  await vi.waitFor(async () => expect(await on.requests()).toEqual([asked]), within);
  await on.reply(replyTo(asked));
  expect(await answer).toMatchObject({ outcome: 'SUCCESS' });
});

test.concurrent('the reply reaches the process that waits for it', async (context) => {
  const { on, serve } = await setUp(context);
  const { adapter } = await serve();
  const { adapter: other } = await serve();
  const asked = Array.from({ length: 10 }, () => request());
  // The other process reads replies, too.
  void other.request(request());
  const answers = asked.map((one) => adapter.request(one));
  await vi.waitFor(async () => expect(await on.requests()).toHaveLength(11), within);
  for (const one of asked) await on.reply(replyTo(one));
  expect(await Promise.all(answers)).toMatchObject(asked.map(({ dedupe_id }) => ({ dedupe_id })));
});

test.concurrent('onReply gets replies that no request waits for, again if it fails', async (context) => {
  const { on, serve } = await setUp(context);
  const seen: string[] = [];
  await serve(undefined, {
    onReply: async ({ dedupe_id }, { tenant_id }) => {
      seen.push(`${tenant_id} ${dedupe_id}`);
      if (seen.length === 1) throw new Error('The device is asleep.');
    },
  });
  const asked = request();
  await on.reply(replyTo(asked));
  await on.reply({ ...replyTo(request()), expires_at: new Date(Date.now() - 1).toISOString() });
  await on.allAcknowledged('TOP_REPLIES');
  expect(seen).toEqual([`${tenantId} ${asked.dedupe_id}`, `${tenantId} ${asked.dedupe_id}`]);
});

test.concurrent('two devices with one dedupe_id each get their own reply', async (context) => {
  const { on, serve } = await setUp(context);
  const { adapter } = await serve();
  const asked = ['cp-A', 'cp-B'].map((device_id) => request({ device_id, dedupe_id: 'm1' }));
  const answers = asked.map((one) => adapter.request(one));
  await vi.waitFor(async () => expect(await on.requests()).toHaveLength(2), within);
  for (const { device_id } of asked.toReversed()) await on.reply({ ...replyTo({ dedupe_id: 'm1' }), device_id });
  expect(await Promise.all(answers)).toMatchObject([{ device_id: 'cp-A' }, { device_id: 'cp-B' }]);
});

test.concurrent('stop ends the waiting requests', async (context) => {
  const { on, serve } = await setUp(context);
  const { adapter } = await serve();
  const answer = adapter.request(request());
  await vi.waitFor(async () => expect(await on.requests()).toHaveLength(1), within);
  await adapter.stop();
  expect(await answer).toBeNull();
  await expect(adapter.request(request())).rejects.toThrow('stopped');
});

test.concurrent.for<[string, object]>([
  ['dedupe_id', { dedupe_id: 'with space' }],
  ['expires_in_seconds', { expires_in_seconds: 1 }],
  ['payload', { payload: { log: '.'.repeat(33_000) } }],
])('a request that the platform would park is refused at once: %s', async ([field, wrong], context) => {
  const { serve } = await setUp(context);
  const { adapter } = await serve();
  await expect(adapter.request(request(wrong))).rejects.toThrow(field);
});
