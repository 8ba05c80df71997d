import { setTimeout as delay } from 'node:timers/promises';
import { nextMillisecond } from '@tenant-open-platform/testing';
import { startNatsCluster } from '@tenant-open-platform/testing/private-nats';
import { expect, test, vi } from 'vitest';
import { expectEachOnce, setUp, within } from './serve.js';
import { startDeafProxy } from './start-deaf-proxy.js';

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

test.concurrent('what was received before the connection was lost is marked: another process may have got it meanwhile', async (context) => {
  const { on, serve } = await setUp(context, { ackWaitMs: 500 });
  const proxy = await startDeafProxy(on.nats.url);
  context.onTestFinished(() => proxy.stop());
  const slow = await serve(undefined, { servers: proxy.url });
  await on.send([{}]);
  await on.allAcknowledged();
  await on.askedTwice();
  // It asks when the durable was created, and waits for the answer before it takes the first.
  proxy.beDeafAfter('"command_id"', 2);
  const sent = await on.send([{}, {}]);
  const other = await serve();
  await vi.waitFor(() => expect(other.runs).toHaveLength(2), within);
  proxy.hear();
  await vi.waitFor(() => expect(slow.runs).toHaveLength(3), within);
  const ids = new Set(sent.map(({ command_id }) => `${command_id} true`));
  for (const runs of [slow.runs.slice(1), other.runs]) {
    expect(new Set(runs.map(({ id, redelivered }) => `${id} ${redelivered}`))).toEqual(ids);
  }
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
