import { randomUUID } from 'node:crypto';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  firstsOf,
  messagesOn,
  newSubject,
  numberOf,
  opened,
  openOn,
  reader,
  soon,
  twoTenants,
  upTo,
} from '../../../test/support/bus-messages.js';
import { type Bus, MAX_IN_FLIGHT, type Outcome } from './bus.js';
import { inProcessBus } from './in-process-bus.js';

/** Two ends of one bus: two connections, or one in-process bus. */
type Ends = [Bus, Bus];

const nats = await ownNats();

const openNats = () => openOn(nats);

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

  test('says how long it has had a message, at each delivery', async () => {
    const [bus] = await open();
    const place = newSubject();
    const ages: number[] = [];
    await bus.consume({
      ...reader(place).consumer,
      async handle({ age, attempt }) {
        ages.push(await age());
        return attempt < 3 ? { retryInMs: 700 } : 'DONE';
      },
    });
    const publishedAt = performance.now();
    await bus.publish(messagesOn(place.subject, 1));
    await vi.waitFor(() => expect(ages).toHaveLength(3), soon);
    expect(ages[0]).toBeLessThan(performance.now() - publishedAt);
    // 2.9 tells its time once a second, in whole milliseconds.
    expect(ages[2]).toBeGreaterThan(1_300);
    expect(ages[2]).toBeLessThan(performance.now() - publishedAt + 10);
  });

  test('returns the oldest unhandled update, and the number of the last one', async () => {
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
    const before = await bus.lastUpdate();
    for (const message of messagesOn(subject, 3)) await bus.publish([message]);
    await vi.waitFor(() => expect(releases).toHaveLength(3), soon);
    const oldest = async () => (await bus.oldestUntaken(subject))?.sentAt.getTime();
    expect(await oldest()).toBe(sentAt[0]?.getTime());
    const { seq = 0 } = (await bus.oldestUntaken(subject)) ?? {};
    expect(seq).toBeGreaterThan(before);
    expect(await bus.lastUpdate()).toBeGreaterThanOrEqual(seq + 2);
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
