import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AckPolicy } from '@nats-io/jetstream';
import { createUser } from '@nats-io/nkeys';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type AdapterEvent, type CommandContext, serveVendor, type VendorOptions } from '../src/adapter.js';
import { startBus, tenantId, vendor } from './start-bus.js';

const within = { timeout: 90_000, interval: 50 };

async function newBus() {
  const bus = await startBus();
  onTestFinished(() => bus.stop());
  return bus;
}

async function serve(buses: NonNullable<VendorOptions['buses']>, concurrency?: number) {
  const ran: string[] = [];
  const events: AdapterEvent[] = [];
  const held: CommandContext[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const adapter = await serveVendor({
    buses,
    tenantId,
    vendor,
    concurrency,
    log: (event) => events.push(event),
    async onCommand({ command_id, command_type }, context) {
      ran.push(command_id);
      if (command_type !== 'hold') return;
      held.push(context);
      await released;
    },
  });
  onTestFinished(() => {
    release();
    return adapter.stop();
  });
  return { adapter, ran, events, held, release };
}

const idsOf = (all: { command_id: string }[]) => new Set(all.map(({ command_id }) => command_id));

test('a request on a bus that was never up ends with null when its time is over', async () => {
  const eu = await newBus();
  const { adapter } = await serve({
    eu: { servers: eu.nats.url },
    down: { servers: `nats://127.0.0.1:${await freePort()}` },
  });
  const request = { device_id: 'd', request_type: 'ask', payload: {}, dedupe_id: 'one', expires_in_seconds: 5 };
  expect(await adapter.request({ ...request, bus: 'down' })).toBeNull();
});

test('one call serves two buses: each outcome and each request of a device reaches its own bus, also while the other one is down; one stop ends both', async () => {
  const [eu, us] = [await newBus(), await newBus()];
  const { adapter, ran, events } = await serve({ eu: { servers: eu.nats.url }, us: { servers: us.nats.url } });
  const [ofEu, ofUs] = [await eu.send([{}, {}]), await us.send([{}, {}, {}])];
  await vi.waitFor(async () => expect(idsOf(await eu.updates())).toEqual(idsOf(ofEu)), within);
  await vi.waitFor(async () => expect(idsOf(await us.updates())).toEqual(idsOf(ofUs)), within);
  expect(ran).toHaveLength(5);
  // It counts an outcome once NATS has acknowledged it.
  await vi.waitFor(() => expect(adapter.counters.outcomes.SUCCEEDED).toBe(5), within);

  const request = { device_id: 'd', request_type: 'ask', payload: {}, dedupe_id: 'one', expires_in_seconds: 60 };
  await expect(adapter.request(request)).rejects.toThrow('bus must be one of the names');
  void adapter.request({ ...request, bus: 'us' }).catch(() => {});
  await vi.waitFor(async () => expect(await us.requests()).toMatchObject([{ dedupe_id: 'one' }]), within);
  expect(await eu.requests()).toEqual([]);

  await us.nats.suspend();
  await vi.waitFor(
    () => expect(events).toContainEqual(expect.objectContaining({ event: 'disconnected', bus: 'us' })),
    within,
  );
  const later = await eu.send([{}]);
  await vi.waitFor(async () => expect(idsOf(await eu.updates())).toEqual(idsOf([...ofEu, ...later])), within);
  await us.nats.resume();
  await us.allAcknowledged();
  const afterwards = await us.send([{}]);
  await vi.waitFor(async () => expect(idsOf(await us.updates())).toEqual(idsOf([...ofUs, ...afterwards])), within);

  await adapter.stop();
  const stopped = events.filter(({ event, command_id }) => event === 'stopped' && !command_id);
  expect(stopped.map(({ bus }) => bus).sort()).toEqual(['eu', 'us']);
});

test('buses that refuse the key or do not answer do not keep the others from being served; they are tried again until the stop', async () => {
  const eu = await newBus();
  const closed = await ownNats('authorization { token: secret }');
  const { adapter, ran, events } = await serve({
    closed: { servers: closed.url },
    away: { servers: `nats://127.0.0.1:${await freePort()}` },
    eu: { servers: eu.nats.url },
  });
  const sent = await eu.send([{}]);
  await vi.waitFor(async () => expect(idsOf(await eu.updates())).toEqual(idsOf(sent)), within);
  expect(ran).toEqual([...idsOf(sent)]);
  await vi.waitFor(() => {
    expect(events).toContainEqual(expect.objectContaining({ level: 'error', event: 'not-readable', bus: 'closed' }));
    expect(events).toContainEqual(expect.objectContaining({ event: 'disconnected', bus: 'away' }));
  }, within);
  await adapter.stop();
  await expect(
    adapter.request({ bus: 'away', device_id: 'd', request_type: 'ask', payload: {}, dedupe_id: 'x' }),
  ).rejects.toThrow('stopped');
});

test('a bus whose seed file is missing or holds no seed does not keep the others from being served; it is served once the file has a seed', async () => {
  const [eu, us, asia] = [await newBus(), await newBus(), await newBus()];
  const folder = await mkdtemp(join(tmpdir(), 'top-seeds-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [missing, empty] = [join(folder, 'us.nk'), join(folder, 'asia.nk')];
  await writeFile(empty, '');
  const { ran, events } = await serve({
    us: { servers: us.nats.url, seedFile: missing },
    asia: { servers: asia.nats.url, seedFile: empty },
    eu: { servers: eu.nats.url },
  });
  const sent = await eu.send([{}]);
  await vi.waitFor(() => expect(ran).toEqual([...idsOf(sent)]), within);
  for (const [bus, what] of [
    ['us', 'us.nk: ENOENT'],
    ['asia', 'asia.nk: It holds no seed of a user'],
  ]) {
    const error = expect.objectContaining({ message: expect.stringContaining(`${what}`) });
    const complaint = expect.objectContaining({ level: 'error', event: 'not-readable', bus, error });
    await vi.waitFor(() => expect(events).toContainEqual(complaint), within);
  }
  const seed = new TextDecoder().decode(createUser().getSeed());
  for (const file of [missing, empty]) await writeFile(file, seed);
  for (const bus of ['us', 'asia']) {
    const connected = expect.objectContaining({ event: 'connected', bus });
    await vi.waitFor(() => expect(events).toContainEqual(connected), within);
  }
});

test('while a handler runs, `redelivered` becomes true once its own bus is lost, and not when another one is', async () => {
  const [eu, us] = [await newBus(), await newBus()];
  const { events, held, release } = await serve({ eu: { servers: eu.nats.url }, us: { servers: us.nats.url } });
  const has = (event: string, bus: string) => expect(events).toContainEqual(expect.objectContaining({ event, bus }));
  await vi.waitFor(() => ['eu', 'us'].map((bus) => has('serving', bus)), within);
  for (const bus of [eu, us]) {
    await bus.askedTwice();
    await bus.send([{ command_type: 'hold' }]);
  }
  await vi.waitFor(() => expect(held).toHaveLength(2), within);
  expect(held.map(({ redelivered }) => redelivered)).toEqual([false, false]);
  await us.nats.suspend();
  await vi.waitFor(() => has('disconnected', 'us'), within);
  const byBus = Object.fromEntries(held.map(({ bus, redelivered }) => [bus, redelivered]));
  expect(byBus).toEqual({ eu: false, us: true });
  release();
  await us.nats.resume();
});

test('handlers learn the bus: the same device of the same tenant of two buses can be told apart, and asks on its own bus', async () => {
  const [eu, us] = [await newBus(), await newBus()];
  const ran: string[] = [];
  const delivered: string[] = [];
  const adapter = await serveVendor({
    buses: { eu: { servers: eu.nats.url }, us: { servers: us.nats.url } },
    tenantId,
    vendor,
    async onCommand({ command_id, device_id }, context) {
      ran.push(`${context.bus} ${command_id}`);
      const request = { device_id, request_type: 'ask', payload: {}, dedupe_id: command_id, expires_in_seconds: 60 };
      void adapter.request({ ...request, bus: context.bus }).catch(() => {});
    },
    onReply: ({ dedupe_id }, { tenant_id, bus }) => void delivered.push(`${bus} ${tenant_id} ${dedupe_id}`),
  });
  onTestFinished(() => adapter.stop());
  const buses = { eu, us };
  const expected: string[] = [];
  for (const [name, bus] of Object.entries(buses)) {
    const [{ command_id } = { command_id: '' }] = await bus.send([{ device_id: 'x' }]);
    expected.push(`${name} ${command_id}`);
    const asked = [{ device_id: 'x', dedupe_id: command_id }];
    await vi.waitFor(async () => expect(await bus.requests()).toMatchObject(asked), within);
    const expires_at = new Date(Date.now() + 60_000).toISOString();
    await bus.reply({ dedupe_id: 'same', device_id: 'x', request_type: 'ask', expires_at });
  }
  expect(ran).toEqual(expected);
  await vi.waitFor(() => expect(new Set(delivered)).toEqual(new Set(['eu acme same', 'us acme same'])), within);
});

test('the lines of the page on cells serve every tenant of two cells', async () => {
  const [eu, us] = [await newBus(), await newBus()];
  const ran: string[] = [];
  const carryOut = async ({ command_id }: { command_id: string }, bus = '') => void ran.push(`${bus} ${command_id}`);
  const [busOfA, busOfB] = [{ servers: eu.nats.url }, { servers: us.nats.url }];
  const durable = { durable_name: `platform+${vendor}`, ack_policy: AckPolicy.Explicit };
  for (const { manager } of [eu, us]) await manager.consumers.add('TOP_COMMANDS', durable);
  const adapter = await serveVendor({
    buses: { a: busOfA, b: busOfB },
    tenantId: 'platform',
    vendor: 'vendor_a',
    onCommand: (command, { bus }) => carryOut(command, bus),
  });
  onTestFinished(() => adapter.stop());
  const [ofA, ofB] = [idsOf(await eu.send([{}])), idsOf(await us.send([{}]))];
  const expected = [...[...ofA].map((id) => `a ${id}`), ...[...ofB].map((id) => `b ${id}`)];
  await vi.waitFor(() => expect(new Set(ran)).toEqual(new Set(expected)), within);
});

test('what no bus could be served with is refused at once: no bus, no servers, a seed that is none, no place', async () => {
  const eu = await newBus();
  await expect(serve({})).rejects.toThrow('buses is empty');
  await expect(serve({ eu: { servers: eu.nats.url }, us: { servers: '' } })).rejects.toThrow('servers is missing');
  const us = { servers: eu.nats.url, seed: 'SUnone' };
  await expect(serve({ eu: { servers: eu.nats.url }, us })).rejects.toThrow('holds no seed of a user');
  await expect(serve({ eu: { servers: eu.nats.url } }, 0)).rejects.toThrow('concurrency must be a whole number');
});
