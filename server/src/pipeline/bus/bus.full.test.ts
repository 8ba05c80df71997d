import { randomUUID } from 'node:crypto';
import { createConnection } from 'node:net';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, nanos } from '@nats-io/transport-node';
import { ownNats, type PrivateNats, startNatsCluster } from '@tenant-open-platform/testing/private-nats';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { StartupError } from '../../foundation/startup-error.js';
import { type Bus, type Consumer, type Delivery, MAX_IN_FLIGHT, type Message, type Outcome } from './bus.js';
import { inProcessBus } from './in-process-bus.js';
import { natsBus } from './nats-bus.js';

const logger = pino({ level: 'silent' });

const nats = await ownNats();

/** Two ends of one bus: two connections, or one in-process bus. */
type Ends = [Bus, Bus];

const opened = (bus: Bus): Bus => {
  onTestFinished(() => bus.close());
  return bus;
};

const openNats = async () => opened(await natsBus({ url: nats.url }, logger));

const implementations: [string, () => Promise<Ends>][] = [
  [
    'the in-process bus',
    async () => {
      const bus = opened(inProcessBus());
      return [bus, bus];
    },
  ],
  ['NATS JetStream', async () => [await openNats(), await openNats()]],
];

/** Separate subjects for each test. */
function newSubject() {
  const tenantId = `tenant-${randomUUID().slice(0, 8)}`;
  return { subject: `tenants.${tenantId}.commands.vendor_a`, durable: `${tenantId}+vendor_a` };
}

const messagesOn = (subject: string, count: number): Message[] =>
  Array.from({ length: count }, (_, index) => ({
    subject,
    id: randomUUID(),
    body: Buffer.from(JSON.stringify({ number: index })),
  }));

const numberOf = ({ body }: Delivery): number => JSON.parse(body.toString('utf8')).number;
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

/** The subjects of two tenants, and a durable that reads both. */
function twoTenants() {
  const vendor = `vendor_${randomUUID().slice(0, 8)}`;
  const placeOf = (tenantId: string) => ({ tenantId, subject: `tenants.${tenantId}.commands.${vendor}` });
  const shared = { subject: `tenants.*.commands.${vendor}`, durable: `shared-${vendor}` };
  return { gone: placeOf(`gone-${vendor}`), kept: placeOf(`kept-${vendor}`), shared };
}

/** The first deliveries. JetStream delivers again what it hears nothing of for five seconds, as on a machine that stalls. */
function firstsOf(taken: readonly Delivery[]): Delivery[] {
  const ids = new Set<string>();
  return taken.filter(({ id }) => ids.size < ids.add(id).size);
}

/** A reader that records its messages. */
function reader(
  { subject, durable }: ReturnType<typeof newSubject>,
  answer?: (delivery: Delivery) => Promise<Outcome>,
) {
  const taken: Delivery[] = [];
  const consumer: Consumer = {
    stream: 'TOP_COMMANDS',
    durable,
    subjects: [subject],
    async handle(delivery) {
      taken.push(delivery);
      return answer ? answer(delivery) : 'DONE';
    },
  };
  return { taken, consumer, numbers: () => firstsOf(taken).map(numberOf) };
}

/** Longer than JetStream waits for the acknowledgement of a message that it may have sent to a stopped reader. */
const soon = { timeout: 50_000, interval: 5 };

describe.each(implementations)('%s', (_, open) => {
  test('a durable of commands is read from the moment its reader waits, and still counts once the reader is gone', async () => {
    const [bus] = await open();
    const [read, unread] = [newSubject(), newSubject()];
    for (const { durable, subject } of [read, unread]) {
      await bus.provide([{ stream: 'TOP_COMMANDS', durable, subjects: [subject] }]);
    }
    const names = [read.durable, unread.durable, 'missing+vendor_a'];
    expect(await bus.commandReads(names)).toEqual(new Map());
    const { consumer, taken } = reader(read);
    const reading = await bus.consume(consumer);
    await vi.waitFor(async () => expect([...(await bus.commandReads(names)).keys()]).toEqual([read.durable]), soon);
    await bus.publish(messagesOn(read.subject, 1));
    await vi.waitFor(() => expect(taken).toHaveLength(1), soon);
    await reading.stop();
    const readAt = (await bus.commandReads()).get(read.durable);
    expect(readAt).toBeInstanceOf(Date);
    expect([...(await bus.commandReads(names)).keys()]).toEqual([read.durable]);
  });

  test('delivers messages in order, with subject, body and attempt 1', async () => {
    const [bus, other] = await open();
    const place = newSubject();
    const { consumer, taken, numbers } = reader(place);
    await other.consume(consumer);
    await bus.publish(messagesOn(place.subject, 500));
    await vi.waitFor(() => expect(numbers()).toHaveLength(500), soon);
    expect(numbers()).toEqual(upTo(500));
    expect(new Set(taken.map(({ subject }) => subject))).toEqual(new Set([place.subject]));
    expect(new Set(firstsOf(taken).map(({ attempt }) => attempt))).toEqual(new Set([1]));
  });

  test('keeps one message per id', async () => {
    const [bus, other] = await open();
    const place = newSubject();
    const { consumer, taken, numbers } = reader(place);
    const messages = messagesOn(place.subject, 3);
    await bus.publish(messages);
    await other.consume(consumer);
    await other.publish(messages);
    await bus.publish(messagesOn(place.subject, 4).slice(3));
    await vi.waitFor(() => expect(taken.map(numberOf)).toContain(3), soon);
    expect(numbers()).toEqual(upTo(4));
  });

  test('keeps messages that are published while nobody reads', async () => {
    const [bus, other] = await open();
    const place = newSubject();
    const { consumer, numbers } = reader(place);
    const messages = messagesOn(place.subject, 30);
    await bus.publish(messages.slice(0, 10));
    const reading = await other.consume(consumer);
    await vi.waitFor(() => expect(numbers()).toEqual(upTo(10)), soon);
    await reading.stop();
    // Over the connection of the reader: over another one, they may reach nats-server before the end of the reading.
    await other.publish(messages.slice(10, 20));
    await other.consume(consumer);
    await vi.waitFor(() => expect(numbers()).toEqual(upTo(20)), soon);
    await bus.publish(messages.slice(20));
    await vi.waitFor(() => expect(numbers()).toEqual(upTo(30)), soon);
  });

  test('gives each message to one of two readers of a durable, and to every durable', async () => {
    const [bus, other] = await open();
    const place = newSubject();
    let meet = () => {};
    const met = new Promise<void>((resolve) => {
      meet = resolve;
    });
    onTestFinished(() => meet());
    /** A reader that is slow to begin still gets some: the other one holds no more than it may have in progress. */
    const answer = async (): Promise<Outcome> => {
      if (one.taken.length > 0 && two.taken.length > 0) meet();
      await met;
      return 'DONE';
    };
    const one = reader(place, answer);
    const two = reader(place, answer);
    const another = reader({ ...place, durable: `${place.durable}-2` });
    await bus.consume(one.consumer);
    await other.consume(two.consumer);
    await other.consume(another.consumer);
    await bus.publish(messagesOn(place.subject, 400));
    const firstTries = () => [...one.taken, ...two.taken].filter(({ attempt }) => attempt === 1).map(numberOf);
    await vi.waitFor(() => expect(firstTries()).toHaveLength(400), soon);
    expect(firstTries().sort((a, b) => a - b)).toEqual(upTo(400));
    expect(one.taken.length).toBeGreaterThan(0);
    expect(two.taken.length).toBeGreaterThan(0);
    await vi.waitFor(() => expect(another.numbers()).toEqual(upTo(400)), soon);
  });

  test('redelivers a message to retry after the messages behind it', async () => {
    const [bus, other] = await open();
    const place = newSubject();
    const { consumer, taken } = reader(place, async (delivery) =>
      numberOf(delivery) === 0 && delivery.attempt < 3 ? { retryInMs: delivery.attempt === 1 ? 8_000 : 100 } : 'DONE',
    );
    await other.consume(consumer);
    await bus.publish(messagesOn(place.subject, 100));
    const tries = () =>
      taken.flatMap((delivery) =>
        numberOf(delivery) === 0 || delivery.attempt === 1 ? [[numberOf(delivery), delivery.attempt]] : [],
      );
    await vi.waitFor(() => expect(tries()).toHaveLength(102), soon);
    expect(tries()).toEqual([...upTo(100).map((number) => [number, 1]), [0, 2], [0, 3]]);
  });

  test('many messages to retry do not block the messages behind them', async () => {
    const [bus, other] = await open();
    const place = newSubject();
    const poison = 3 * MAX_IN_FLIGHT;
    const { consumer, taken } = reader(place, async (delivery) =>
      numberOf(delivery) < poison ? { retryInMs: 1_000 } : 'DONE',
    );
    await other.consume(consumer);
    await bus.publish(messagesOn(place.subject, poison + 50));
    const last = poison + 49;
    await vi.waitFor(() => expect(taken.some((delivery) => numberOf(delivery) === last)).toBe(true), soon);
  });

  test('redelivers a message whose handler threw', async () => {
    const [bus, other] = await open();
    const place = newSubject();
    const { consumer, taken } = reader(place, async ({ attempt }) => {
      if (attempt === 1) throw new Error('Not this time.');
      return 'DONE';
    });
    await other.consume(consumer);
    await bus.publish(messagesOn(place.subject, 1));
    await vi.waitFor(() => expect(taken.map(({ attempt }) => attempt)).toEqual([1, 2]), soon);
  });

  test(`handles at most ${MAX_IN_FLIGHT} messages at a time`, async () => {
    const [bus, other] = await open();
    const place = newSubject();
    let underWay = 0;
    let most = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    onTestFinished(() => release());
    const held = reader(place, async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await released;
      underWay -= 1;
      return 'DONE';
    });
    const free = reader({ ...place, durable: `${place.durable}-2` });
    await other.consume(held.consumer);
    await other.consume(free.consumer);
    await bus.publish(messagesOn(place.subject, 4 * MAX_IN_FLIGHT));
    await vi.waitFor(() => expect(free.numbers()).toHaveLength(4 * MAX_IN_FLIGHT), soon);
    await vi.waitFor(() => expect(underWay).toBe(MAX_IN_FLIGHT), soon);
    release();
    await vi.waitFor(() => expect(held.numbers()).toEqual(upTo(4 * MAX_IN_FLIGHT)), soon);
    expect(most).toBe(MAX_IN_FLIGHT);
  });

  test('stop waits for the messages in progress, and the next reader continues with the rest', async () => {
    const [bus, other] = await open();
    const place = newSubject();
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    onTestFinished(() => release());
    const first = reader(place, async () => {
      await released;
      return 'DONE';
    });
    const reading = await other.consume(first.consumer);
    await bus.publish(messagesOn(place.subject, 2 * MAX_IN_FLIGHT));
    await vi.waitFor(() => expect(first.taken.length).toBe(MAX_IN_FLIGHT), soon);
    const stopped = reading.stop();
    release();
    await stopped;
    const taken = first.numbers();
    const second = reader(place);
    await other.consume(second.consumer);
    // An acknowledgement of the first reader may come too late: then this is no first try.
    const rest = () =>
      firstsOf(second.taken).flatMap((delivery) =>
        delivery.attempt > 1 && taken.includes(numberOf(delivery)) ? [] : [numberOf(delivery)],
      );
    await vi.waitFor(() => expect(taken.length + rest().length).toBe(2 * MAX_IN_FLIGHT), soon);
    expect([...taken, ...rest()].sort((a, b) => a - b)).toEqual(upTo(2 * MAX_IN_FLIGHT));
  });

  test('a provided durable keeps messages that arrive before its first reader', async () => {
    const [bus, other] = await open();
    const place = newSubject();
    const { consumer, numbers } = reader(place);
    await bus.provide([{ stream: 'TOP_COMMANDS', durable: place.durable, subjects: [place.subject] }]);
    await bus.provide([{ stream: 'TOP_COMMANDS', durable: place.durable, subjects: [place.subject] }]);
    await bus.publish(messagesOn(place.subject, 5));
    await other.consume(consumer);
    await vi.waitFor(() => expect(numbers()).toEqual(upTo(5)), soon);
  });

  test('forgets the messages of a tenant, also one whose retry is under way', async () => {
    const [bus] = await open();
    /** Tenants of which one is forgotten before its retry: a slow machine may need several tries. */
    async function forgetInTime() {
      for (;;) {
        const { gone, kept, shared } = twoTenants();
        const { taken, consumer } = reader(shared, async ({ attempt }) =>
          attempt === 1 ? { retryInMs: 200 } : 'DONE',
        );
        await bus.consume(consumer);
        await bus.publish(messagesOn(gone.subject, 1));
        await vi.waitFor(() => expect(taken).not.toEqual([]), soon);
        await bus.forgetTenant(gone.tenantId);
        if (taken.length === 1) return { gone, kept, taken };
      }
    }
    const { gone, kept, taken } = await forgetInTime();
    // Its retry comes after that of the forgotten message.
    await bus.publish(messagesOn(kept.subject, 1));
    await vi.waitFor(() => expect(taken.at(-1)).toMatchObject({ subject: kept.subject, attempt: 2 }), soon);
    expect(taken.map(({ subject }) => subject)).toEqual([gone.subject, kept.subject, kept.subject]);
  });

  test('forgets a message that waits for a reader after its retry', async () => {
    const [bus] = await open();
    const { gone, kept, shared } = twoTenants();
    const { taken, consumer } = reader(shared, async ({ subject }) =>
      subject === gone.subject ? { retryInMs: 20 } : 'DONE',
    );
    const reading = await bus.consume(consumer);
    await bus.publish(messagesOn(gone.subject, 1));
    await vi.waitFor(() => expect(taken).not.toEqual([]), soon);
    await reading.stop();
    const before = taken.length;
    const later = newSubject();
    const { taken: retried, consumer: other } = reader(later, async () => ({ retryInMs: 100 }));
    const stillReading = await bus.consume(other);
    await bus.publish(messagesOn(later.subject, 1));
    await vi.waitFor(() => expect(retried.length).toBeGreaterThan(1), soon);
    await stillReading.stop();
    await bus.forgetTenant(gone.tenantId);
    await bus.publish(messagesOn(kept.subject, 1));
    await bus.consume(consumer);
    await vi.waitFor(() => expect(taken.at(-1)?.subject).toBe(kept.subject), soon);
    expect(taken.slice(before).map(({ subject }) => subject)).toEqual([kept.subject]);
  });

  test('returns the time of the oldest unhandled update', async () => {
    const [bus, other] = await open();
    const tenantId = `tenant-${randomUUID().slice(0, 8)}`;
    const subject = `tenants.${tenantId}.command-updates.vendor_a`;
    const releases: (() => void)[] = [];
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    onTestFinished(() => finish());
    const sentAt: Date[] = [];
    const durable = { stream: 'TOP_UPDATES', durable: tenantId, subjects: [subject] } as const;
    await other.consume({
      ...durable,
      async handle(delivery) {
        if (delivery.attempt > 1) {
          await finished;
          return 'DONE';
        }
        sentAt.push(delivery.sentAt);
        await new Promise<void>((resolve) => releases.push(resolve));
        return { retryInMs: 500 };
      },
    });
    expect(await bus.oldestUntaken(subject)).toBeNull();
    for (const message of messagesOn(subject, 3)) await bus.publish([message]);
    await vi.waitFor(() => expect(releases).toHaveLength(3), soon);
    const oldest = async () => (await bus.oldestUntaken(subject))?.getTime();
    expect(await oldest()).toBe(sentAt[0]?.getTime());
    expect(await bus.oldestUntaken(subject.replace('vendor_a', 'vendor_b'))).toBeNull();
    // The message waits for its second try and is still unhandled.
    releases[0]?.();
    expect(await oldest()).toBe(sentAt[0]?.getTime());
    finish();
    await vi.waitFor(async () => expect(await oldest()).toBe(sentAt[1]?.getTime()), soon);
    for (const release of releases) release();
    await vi.waitFor(async () => expect(await oldest()).toBeUndefined(), soon);
  });

  test('refuses a subject that no stream keeps', async () => {
    const [bus] = await open();
    await expect(
      bus.publish([{ subject: 'tenants.acme.other.vendor_a', id: '1', body: Buffer.from('{}') }]),
    ).rejects.toThrow();
  });
});

test('forgets all durables of a tenant, however many it has, and none of another tenant', async () => {
  const bus = await openNats();
  const durablesOf = async () => {
    const connection = await connect({ servers: nats.url });
    const { consumers } = await jetstreamManager(connection);
    const names: string[] = [];
    for await (const { name } of consumers.list('TOP_COMMANDS')) if (name.startsWith('many')) names.push(name);
    await connection.close();
    return names;
  };
  const provide = (durable: string) =>
    bus.provide([{ stream: 'TOP_COMMANDS', durable, subjects: ['tenants.many.commands.a'] }]);
  await provide('many-others+vendor');
  // The list of durables has pages of 256.
  for (let index = 0; index < 300; index++) await provide(`many+vendor_${index}`);
  expect(await durablesOf()).toHaveLength(301);
  await bus.forgetTenant('many');
  expect(await durablesOf()).toEqual(['many-others+vendor']);
});

describe('NATS JetStream on a separate server', () => {
  /** These tests break their server. */
  async function own(): Promise<PrivateNats> {
    const server = await ownNats();
    return server;
  }
  const openOn = async (server: PrivateNats) => opened(await natsBus({ url: server.url }, logger));

  async function managerOf(server: PrivateNats) {
    const connection = await connect({ servers: server.url.replace('nats://', '') });
    onTestFinished(() => connection.close());
    return jetstreamManager(connection);
  }

  test('refuses to publish while the server is down; the same messages later arrive once and in order', async () => {
    const server = await own();
    const bus = await openOn(server);
    const place = newSubject();
    const { consumer, numbers } = reader(place);
    await bus.consume(consumer);
    const messages = messagesOn(place.subject, 50);
    await bus.publish(messages.slice(0, 10));
    await vi.waitFor(() => expect(numbers()).toEqual(upTo(10)), soon);
    const manager = await managerOf(server);
    const acknowledged = async () => (await manager.consumers.info('TOP_COMMANDS', place.durable)).ack_floor.stream_seq;
    await vi.waitFor(async () => expect(await acknowledged()).toBe(10), soon);

    await server.suspend();
    await vi.waitFor(() => expect(bus.unreadyReason()).toBe('the bus does not answer'), soon);
    await expect(bus.publish(messages)).rejects.toThrow('the bus does not answer');

    await server.resume();
    await vi.waitFor(() => expect(bus.unreadyReason()).toBeNull(), soon);
    await vi.waitFor(() => bus.publish(messages), soon);
    await vi.waitFor(() => expect(numbers()).toEqual(upTo(50)), soon);
  });

  test('recreates deleted streams and continues to read', async () => {
    const server = await own();
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
    const server = await own();
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
    const server = await own();
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
    const server = await own();
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
    const server = await own();
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
    const server = await own();
    await (await openOn(server)).close();
    const { streams } = await managerOf(server);
    const before = (await streams.info('TOP_EVENTS')).config;
    await streams.update('TOP_EVENTS', { subjects: ['tenants.*.events.*'], max_age: 0, max_bytes: 1_000_000 });
    await (await openOn(server)).close();
    expect((await streams.info('TOP_EVENTS')).config).toEqual({ ...before, max_bytes: 1_000_000 });
  });

  const updates = 'tenants.acme.command-updates.vendor_a';

  test('updates and bounds streams and durables of an earlier version', async () => {
    const server = await own();
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

  test('a full stream of updates refuses new messages and keeps old ones; a message above the size limit is refused for good', async () => {
    const server = await own();
    const bus = await openOn(server);
    const { streams } = await managerOf(server);
    const large = { subject: updates, id: 'large', body: Buffer.alloc(70_000) };
    expect(await bus.publish([large])).toEqual([{ message: large, reason: 'message size exceeds maximum allowed' }]);
    await streams.update('TOP_UPDATES', { max_bytes: 100_000, max_msgs_per_subject: 3 });
    await bus.publish(messagesOn(updates, 3));
    await expect(bus.publish(messagesOn(updates, 1))).rejects.toMatchObject({
      cause: { message: 'maximum messages per subject exceeded' },
    });
    const others = (count: number) =>
      messagesOn('tenants.other.command-updates.vendor_a', count).map((one) => ({
        ...one,
        body: Buffer.alloc(40_000),
      }));
    await bus.publish(others(2));
    await expect(bus.publish(others(1))).rejects.toMatchObject({ cause: { message: 'maximum bytes exceeded' } });
    expect((await streams.info('TOP_UPDATES')).state).toMatchObject({ messages: 5, first_seq: 1 });
  });

  test('of two processes the one whose turn it is reads alone, in the order of the stream', async () => {
    const server = await own();
    const [one, two] = [await openOn(server), await openOn(server)];
    const place = newSubject();
    let reads = 0;
    const listeners: (() => void)[] = [];
    const take = (number: number) => {
      reads = number;
      for (const listener of listeners) listener();
    };
    const all: [process: number, message: number][] = [];
    const seen = new Set<string>();
    for (const [number, bus] of [one, two].entries()) {
      const { consumer } = reader(place, async (delivery) => {
        if (!seen.has(delivery.id)) all.push([number, numberOf(delivery)]);
        seen.add(delivery.id);
        return 'DONE';
      });
      const onChange = (listener: () => void) => void listeners.push(listener);
      await bus.consume({ ...consumer, turn: { isOurs: () => reads === number, onChange } });
    }
    for (const [number, former] of [
      [0, two],
      [1, one],
      [0, two],
    ] as const) {
      take(number);
      // Over the connection of the former reader, so that NATS has heard of its end.
      await former.publish(messagesOn(place.subject, 200));
      await vi.waitFor(() => expect(all).toHaveLength(200), soon);
      expect(all.splice(0)).toEqual(upTo(200).map((message) => [number, message]));
    }
  });

  test('messages of a reader that died reach another one within seconds', async () => {
    const bus = await openNats();
    const place = newSubject();
    const reading = await bus.consume(reader(place).consumer);
    await reading.stop();
    const connection = await connect({ servers: nats.url.replace('nats://', '') });
    const dying = await jetstream(connection).consumers.get('TOP_COMMANDS', place.durable);
    await bus.publish(messagesOn(place.subject, 1));
    expect(await dying.next()).not.toBeNull();
    await connection.close();
    const from = performance.now();
    const { consumer, taken } = reader(place);
    await bus.consume(consumer);
    await vi.waitFor(() => expect(taken).not.toEqual([]), soon);
    expect(performance.now() - from).toBeLessThan(20_000);
  });

  test('a message with a header whose name is not valid is handled once', async () => {
    const bus = await openNats();
    const place = newSubject();
    const { consumer, taken } = reader(place);
    await bus.consume(consumer);
    const { hostname, port } = new URL(nats.url);
    const socket = createConnection({ host: hostname, port: Number(port) });
    onTestFinished(() => void socket.destroy());
    const headers = 'NATS/1.0\r\nNats-Msg-Id: 1\r\nnot valid: 1\r\n\r\n';
    socket.write('CONNECT {"verbose":false,"headers":true}\r\n');
    socket.write(`HPUB ${place.subject} ${headers.length} ${headers.length + 12}\r\n${headers}{"number":0}\r\n`);
    await vi.waitFor(() => expect(taken).toMatchObject([{ messageId: '', attempt: 1 }]), soon);
    const { consumers } = await managerOf(nats);
    const waiting = async () => (await consumers.info('TOP_COMMANDS', place.durable)).num_ack_pending;
    await vi.waitFor(async () => expect(await waiting()).toBe(0), soon);
    expect(taken).toHaveLength(1);
  });

  test("forgets the ids of adapters' messages at once, so one tenant's id cannot drop another tenant's message", async () => {
    const server = await own();
    await openOn(server);
    const { streams } = await managerOf(server);
    const windows = await Promise.all(
      (['TOP_UPDATES', 'TOP_COMMANDS'] as const).map(
        async (name) => (await streams.info(name)).config.duplicate_window,
      ),
    );
    expect(windows).toEqual([nanos(100), nanos(600_000)]);
  });

  test('refuses to start on a stream of another kind or with taken subjects, and names it', async () => {
    const server = await own();
    const { streams } = await managerOf(server);
    await streams.add({ name: 'TOP_COMMANDS', subjects: ['tenants.*.commands.*'], storage: 'memory' });
    await expect(openOn(server)).rejects.toThrow(
      new StartupError(
        'The stream TOP_COMMANDS on NATS has storage memory where the platform needs file, and NATS cannot change it: delete the stream, or give the platform an account of its own.',
      ),
    );
    await streams.delete('TOP_COMMANDS');
    await streams.add({ name: 'MINE', subjects: ['tenants.>'] });
    await expect(openOn(server)).rejects.toThrow(/^NATS refuses the stream TOP_COMMANDS: subjects overlap/);
  });

  test('a start gives up after a bounded time, without the password in its message', async () => {
    const server = await own();
    await server.suspend();
    const url = server.url.replace('nats://', 'nats://platform:hunter2@');
    const failed = natsBus({ url, startWithinMs: 500 }, logger);
    await expect(failed).rejects.toThrow(StartupError);
    await expect(failed).rejects.toThrow(/^NATS does not answer at 127\.0\.0\.1:\d+: /);
    await expect(failed).rejects.not.toThrow('hunter2');
  });

  test('reports a refused password at once', async () => {
    const server = await ownNats('authorization { user: platform, password: "p:ss/word" }');
    const as = (password: string) => server.url.replace('nats://', `nats://platform:${encodeURIComponent(password)}@`);
    opened(await natsBus({ url: as('p:ss/word') }, logger));
    await expect(natsBus({ url: as('wrong') }, logger)).rejects.toThrow(
      /^NATS at 127\.0\.0\.1:\d+ refuses the platform: /,
    );
  });

  test('closes while the server is down', async () => {
    const server = await own();
    const bus = await openOn(server);
    const place = newSubject();
    const reading = await bus.consume(reader(place).consumer);
    await server.suspend();
    await vi.waitFor(() => expect(bus.unreadyReason()).not.toBeNull(), soon);
    await reading.stop();
    await bus.close();
  });
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
