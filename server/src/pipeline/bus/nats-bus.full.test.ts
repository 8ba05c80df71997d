import { createConnection } from 'node:net';
import { jetstream } from '@nats-io/jetstream';
import { connect, nanos } from '@nats-io/transport-node';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
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
import { StartupError } from '../../foundation/startup-error.js';
import { natsBus } from './nats-bus.js';

const nats = await ownNats();

const openNats = () => openOn(nats);

test('refuses to publish while the server is down; the same messages later arrive once and in order', async () => {
  const server = await ownNats();
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

test('a full stream of updates refuses new messages and keeps old ones; a message above the size limit is refused for good', async () => {
  const server = await ownNats();
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
  const server = await ownNats();
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
  const server = await ownNats();
  await openOn(server);
  const { streams } = await managerOf(server);
  const windows = await Promise.all(
    (['TOP_UPDATES', 'TOP_COMMANDS'] as const).map(async (name) => (await streams.info(name)).config.duplicate_window),
  );
  expect(windows).toEqual([nanos(100), nanos(600_000)]);
});

test('refuses to start on a stream of another kind or with taken subjects, and names it', async () => {
  const server = await ownNats();
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
  const server = await ownNats();
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
  const server = await ownNats();
  const bus = await openOn(server);
  const place = newSubject();
  const reading = await bus.consume(reader(place).consumer);
  await server.suspend();
  await vi.waitFor(() => expect(bus.unreadyReason()).not.toBeNull(), soon);
  await reading.stop();
  await bus.close();
});
