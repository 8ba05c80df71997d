import { jetstreamManager } from '@nats-io/jetstream';
import { connect, nanos } from '@nats-io/transport-node';
import { ownNats, startNatsCluster } from '@tenant-open-platform/testing/private-nats';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  firstsOf,
  logger,
  managerOf,
  messagesOn,
  newSubject,
  numberOf,
  opened,
  openOn,
  reader,
  soon,
  updates,
  upTo,
} from '../../../test/support/bus-messages.js';
import { natsBus } from './nats-bus.js';

test('recreates deleted streams and continues to read', async () => {
  const server = await ownNats();
  const bus = await openOn(server);
  const manager = await managerOf(server);
  const place = newSubject();
  const { consumer, numbers } = reader(place);
  await bus.consume(consumer);
  const messages = messagesOn(place.subject, 10);
  await bus.publish(messages.slice(0, 5));
  await vi.waitFor(() => expect(numbers()).toEqual(upTo(5)), soon);

  await manager.streams.delete('TOP_COMMANDS');
  const repeated = messagesOn(place.subject, 10).slice(5);
  await vi.waitFor(() => bus.publish(repeated), soon);
  await vi.waitFor(() => expect(numbers()).toEqual(upTo(10)), soon);
});

test('recreates a deleted durable, and delivers again what the stream keeps', async () => {
  const server = await ownNats();
  const bus = await openOn(server);
  const manager = await managerOf(server);
  const place = newSubject();
  const { consumer, taken, numbers } = reader(place);
  await bus.consume(consumer);
  await bus.publish(messagesOn(place.subject, 5));
  await vi.waitFor(() => expect(numbers()).toEqual(upTo(5)), soon);

  const before = taken.length;
  await manager.consumers.delete('TOP_COMMANDS', place.durable);
  await vi.waitFor(() => expect(firstsOf(taken.slice(before)).map(numberOf)).toEqual(upTo(5)), soon);
});

test('a process that freezes while it forgets a tenant, which comes back meanwhile, deletes no new message, and its lost durable is provided again', async () => {
  const server = await ownNats();
  const [bus, others] = [await openOn(server), await openOn(server)];
  const { subject, durable } = newSubject();
  const provided = { stream: 'TOP_COMMANDS', durable, subjects: [subject] } as const;
  await bus.provide([provided]);
  await bus.publish(messagesOn(subject, 2));
  const providing: Promise<unknown>[] = [];
  bus.onRestored(() => void providing.push(bus.provide([provided])));
  let hasComeBack = false;
  async function isDue(): Promise<boolean> {
    if (hasComeBack) return false;
    // Frozen between the answer and what follows.
    hasComeBack = true;
    await others.provide([provided]);
    await others.publish(messagesOn(subject, 3));
    return true;
  }
  await bus.forgetTenant(durable.split('+')[0] as string, { isDue, only: ['TOP_COMMANDS'] });
  await Promise.all(providing);
  const numbers: number[] = [];
  await others.consume({
    ...provided,
    async handle(delivery) {
      numbers.push(numberOf(delivery));
      return 'DONE';
    },
  });
  await vi.waitFor(() => expect(numbers).toEqual(upTo(3)), soon);
  expect(providing).toHaveLength(1);
});

test('reports recreated streams, and creates a stream when its durable is provided', async () => {
  const server = await ownNats();
  const bus = await openOn(server);
  const manager = await managerOf(server);
  let restored = 0;
  bus.onRestored(() => {
    restored += 1;
  });
  const { subject, durable } = newSubject();
  const provided = { stream: 'TOP_COMMANDS', durable, subjects: [subject] } as const;
  await bus.provide([provided]);
  expect(restored).toBe(0);
  await manager.streams.delete('TOP_COMMANDS');
  await vi.waitFor(() => bus.provide([provided]), soon);
  expect(restored).toBe(1);
  expect((await manager.consumers.info('TOP_COMMANDS', durable)).name).toBe(durable);
});

test('provides what is missing or has changed among many durables, and leaves the others alone', async () => {
  const server = await ownNats();
  const bus = await openOn(server);
  const { consumers } = await managerOf(server);
  const many = upTo(40).map((number) => ({
    stream: 'TOP_COMMANDS' as const,
    durable: `acme+vendor_${number}`,
    subjects: [`tenants.acme.commands.vendor_${number}`],
  }));
  expect(await bus.provide(many)).toEqual([]);
  const created = async () =>
    Promise.all(many.map(async ({ stream, durable }) => (await consumers.info(stream, durable)).created));
  const before = await created();
  await consumers.delete('TOP_COMMANDS', 'acme+vendor_7');
  await consumers.update('TOP_COMMANDS', 'acme+vendor_9', { ack_wait: nanos(60_000) });
  expect(await bus.provide(many)).toEqual([]);
  expect((await consumers.info('TOP_COMMANDS', 'acme+vendor_9')).config.ack_wait).toBe(nanos(6_000));
  const after = await created();
  expect(many.filter((_, at) => before[at] !== after[at]).map(({ durable }) => durable)).toEqual(['acme+vendor_7']);
});

test('restores changed settings of a stream, and keeps the operator’s', async () => {
  const server = await ownNats();
  await (await openOn(server)).close();
  const { streams } = await managerOf(server);
  const before = (await streams.info('TOP_EVENTS')).config;
  await streams.update('TOP_EVENTS', { subjects: ['tenants.*.events.*'], max_age: 0, max_bytes: 1_000_000 });
  await (await openOn(server)).close();
  expect((await streams.info('TOP_EVENTS')).config).toEqual({ ...before, max_bytes: 1_000_000 });
});

test('updates and bounds streams and durables of an earlier version', async () => {
  const server = await ownNats();
  const { streams, consumers } = await managerOf(server);
  const durable = 'platform-command-updates';
  await streams.add({
    name: 'TOP_UPDATES',
    subjects: ['tenants.*.command-updates.*', 'tenants.*.device-requests.*'],
    retention: 'workqueue',
    discard: 'old',
  });
  await consumers.add('TOP_UPDATES', {
    durable_name: durable,
    filter_subject: updates,
    ack_policy: 'explicit',
    ack_wait: nanos(5_000),
    max_ack_pending: 10_000,
  });
  const bus = await openOn(server);
  const reading = await bus.consume({
    stream: 'TOP_UPDATES',
    durable,
    subjects: [updates],
    handle: async () => 'DONE',
  });
  expect((await consumers.info('TOP_UPDATES', durable)).config).toMatchObject({
    ack_wait: nanos(5_000),
    max_ack_pending: -1,
  });
  expect((await streams.info('TOP_UPDATES')).config).toMatchObject({
    discard: 'new',
    discard_new_per_subject: true,
    max_msgs_per_subject: 5_000,
    max_msg_size: 69_632,
  });
  for (const name of ['TOP_COMMANDS', 'TOP_REPLIES', 'TOP_UPDATES', 'TOP_EVENTS']) {
    expect((await streams.info(name)).config.max_bytes).toBeGreaterThan(0);
  }
  await reading.stop();
});

test('on a cluster, streams and durables have three copies or NATS_REPLICAS, also old and recreated ones', async () => {
  const servers = await startNatsCluster();
  onTestFinished(() => Promise.all(servers.map((server) => server.stop())).then(() => {}));
  const url = servers.map((server) => server.url).join();
  const connection = await connect({ servers: url.split(',') });
  onTestFinished(() => connection.close());
  const manager = await vi.waitFor(() => jetstreamManager(connection), soon);
  // On busy cores a stream may have no leader for longer than a start waits.
  const openWith = (replicas?: number) => vi.waitFor(() => natsBus({ url, replicas }, logger), soon);
  const provided = {
    stream: 'TOP_COMMANDS',
    durable: 'acme+vendor_a',
    subjects: ['tenants.acme.commands.vendor_a'],
  } as const;
  /** The copies of each stream, and those of the durable besides its leader. */
  const copies = async () => {
    const streams = await manager.streams.list().next();
    const { cluster } = await manager.consumers.info(provided.stream, provided.durable);
    return [streams.map(({ config }) => config.num_replicas), cluster?.replicas?.length ?? 0];
  };
  const expectCopies = (count: number) =>
    vi.waitFor(async () => expect(await copies()).toEqual([Array(5).fill(count), count - 1]), soon);

  const single = await openWith(1);
  await vi.waitFor(() => single.provide([provided]), soon);
  await expectCopies(1);
  expect(await single.countSingleCopies()).toBe(4);
  await single.close();
  const bus = opened(await openWith());
  await expectCopies(3);
  expect(await bus.countSingleCopies()).toBe(0);
  await manager.streams.delete('TOP_COMMANDS');
  await vi.waitFor(() => bus.provide([provided]), soon);
  await expectCopies(3);
  await (await openWith(1)).close();
  await expectCopies(1);
  await vi.waitFor(() => bus.keepStreams(), soon);
  await expectCopies(3);
});

test('refuses to start with more copies than NATS can keep', async () => {
  const server = await ownNats();
  await expect(natsBus({ url: server.url, replicas: 3 }, logger)).rejects.toThrow(
    /^NATS refuses the stream TOP_COMMANDS: /,
  );
});
