import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AckPolicy, jetstream } from '@nats-io/jetstream';
import { connect, headers } from '@nats-io/transport-node';
import { expect, type TestContext, test, vi } from 'vitest';
import { DeviceConnections, type VendorOptions } from '../src/adapter.js';
import { expectEachOnce, processesOf, setUp, within } from './serve.js';
import { type Bus, tenantId, vendor } from './start-bus.js';
import { startProxy } from './start-proxy.js';

/** As the platform marks a command that it may have sent before. */
function sentAgain() {
  const marked = headers();
  marked.set('Sent-Again', 'true');
  return marked;
}

test.concurrent('what was sent before anybody read is marked: another adapter may have had it; what comes later is not', async (context) => {
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

/** A kill might lose the last command. No process can know whether it was one. */
async function restartNats(on: Bus): Promise<void> {
  await on.nats.suspend();
  await on.nats.resume();
  await on.answers();
}

test.concurrent('what was sent while nobody read is new as long as NATS runs, and marked once NATS was started again', async (context) => {
  const { on, serve } = await setUp(context);
  const first = await serve();
  await expectEachOnce(on, await on.send([{}]), first.runs);
  await first.adapter.stop();
  const [meanwhile] = await on.send([{}]);
  const second = await serve();
  await on.allAcknowledged();
  await second.adapter.stop();
  const [forgotten] = await on.send([{}]);
  await restartNats(on);
  const third = await serve();
  await on.allAcknowledged();
  expect([...second.runs, ...third.runs]).toMatchObject([
    { id: meanwhile?.command_id, redelivered: false },
    { id: forgotten?.command_id, redelivered: true },
  ]);
});

test.concurrent('what was sent before an adapter is back from an outage is new, if NATS was not started since', async (context) => {
  const { on, serve } = await setUp(context);
  const proxy = await startProxy(on.nats.url);
  context.onTestFinished(() => proxy.stop());
  const { runs, events } = await serve(undefined, { servers: proxy.url.replace('http', 'nats') });
  const away = async () => {
    const before = events.length;
    proxy.close();
    await vi.waitFor(() => expect(events.slice(before).map(({ event }) => event)).toContain('disconnected'), within);
  };
  await on.askedTwice();
  const sent = await on.send([{}]);
  await on.allAcknowledged();
  await away();
  sent.push(...(await on.send([{}])));
  proxy.open();
  await on.allAcknowledged();
  await away();
  sent.push(...(await on.send([{}])));
  await restartNats(on);
  sent.push(...(await on.send([{}])));
  proxy.open();
  await on.allAcknowledged();
  const isMarked = sent.map(({ command_id }) => runs.find(({ id }) => id === command_id)?.redelivered);
  expect(isMarked).toEqual([false, false, true, false]);
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

test.concurrent('what NATS has delivered to a process that died is marked, also if NATS forgets that it has', async (context) => {
  const { on, serve } = await setUp(context, { ackWaitMs: 6_000 });
  const consumer = await on.consumer();
  const [earlier] = await on.send([{}]);
  await consumer.next();
  const begunAt = performance.now();
  const after = (ms: number) =>
    vi.waitFor(() => expect(performance.now() - begunAt).toBeGreaterThan(ms), { ...within, interval: 10 });
  const dying = await connect({ servers: on.nats.url, reconnect: false });
  const other = await jetstream(dying).consumers.get('TOP_COMMANDS', `${tenantId}+${vendor}`);
  await after(3_000);
  const [last] = await on.send([{}]);
  // It asks for more than there is, and is gone.
  for await (const _ of await other.fetch({ max_messages: 10, expires: 30_000 })) break;
  await dying.close();
  // The first command has come up for nobody. The last one, whose time is not over, is then delivered as new.
  await after(6_500);
  const { runs } = await serve();
  await on.allAcknowledged();
  expect(new Map(runs.map(({ id, redelivered }) => [id, redelivered]))).toEqual(
    new Map([earlier, last].map((command) => [command?.command_id, true])),
  );
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

test.concurrent.for<[string, number, (on: Bus) => Promise<void>, Partial<VendorOptions> | undefined]>([
  ['without the file', 50, async () => {}, {}],
  ['NATS was restarted meanwhile', 55, (on) => on.nats.suspend().then(() => on.nats.resume()), undefined],
])(
  'they are marked if the next process cannot know what happened: %s',
  async ([, marked, happens, options], context) => {
    const { on, serveDevices, sent, dialAll } = await dialIn(context);
    await happens(on);
    dialAll();
    const { runs } = await serveDevices(options);
    await vi.waitFor(() => expect(runs).toHaveLength(sent.length), within);
    const ids = sent.slice(0, marked).map(({ command_id }) => command_id);
    expect(new Set(runs.filter(({ redelivered }) => redelivered).map(({ id }) => id))).toEqual(new Set(ids));
  },
);

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
