import { AckPolicy } from '@nats-io/jetstream';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type AdapterEvent, serveVendor, type VendorOptions } from '../src/adapter.js';
import { startBus, tenantId, vendor } from './start-bus.js';

const within = { timeout: 40_000, interval: 50 };

async function newBus() {
  const bus = await startBus();
  onTestFinished(() => bus.stop());
  return bus;
}

async function serve(buses: NonNullable<VendorOptions['buses']>) {
  const ran: string[] = [];
  const events: AdapterEvent[] = [];
  const adapter = await serveVendor({
    buses,
    tenantId,
    vendor,
    log: (event) => events.push(event),
    async onCommand({ command_id }) {
      ran.push(command_id);
    },
  });
  onTestFinished(() => adapter.stop());
  return { adapter, ran, events };
}

const idsOf = (all: { command_id: string }[]) => new Set(all.map(({ command_id }) => command_id));

test('one call serves two buses: each outcome and each request of a device reaches its own bus, also while the other one is down; one stop ends both', async () => {
  const [eu, us] = [await newBus(), await newBus()];
  const { adapter, ran, events } = await serve({ eu: { servers: eu.nats.url }, us: { servers: us.nats.url } });
  const [ofEu, ofUs] = [await eu.send([{}, {}]), await us.send([{}, {}, {}])];
  await vi.waitFor(async () => expect(idsOf(await eu.updates())).toEqual(idsOf(ofEu)), within);
  await vi.waitFor(async () => expect(idsOf(await us.updates())).toEqual(idsOf(ofUs)), within);
  expect(ran).toHaveLength(5);
  expect(adapter.counters.outcomes.SUCCEEDED).toBe(5);

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

test('the lines of the page on cells serve every tenant of two cells', async () => {
  const [eu, us] = [await newBus(), await newBus()];
  const ran: string[] = [];
  const carryOut = async ({ command_id }: { command_id: string }) => void ran.push(command_id);
  const [busOfA, busOfB] = [{ servers: eu.nats.url }, { servers: us.nats.url }];
  const durable = { durable_name: `platform+${vendor}`, ack_policy: AckPolicy.Explicit };
  for (const { manager } of [eu, us]) await manager.consumers.add('TOP_COMMANDS', durable);
  const adapter = await serveVendor({
    buses: { a: busOfA, b: busOfB },
    tenantId: 'platform',
    vendor: 'vendor_a',
    onCommand: carryOut,
  });
  onTestFinished(() => adapter.stop());
  const sent = [...(await eu.send([{}])), ...(await us.send([{}]))];
  await vi.waitFor(() => expect(new Set(ran)).toEqual(idsOf(sent)), within);
});

test('a bus without servers, or no bus at all, is refused at once', async () => {
  const eu = await newBus();
  await expect(serve({})).rejects.toThrow('buses is empty');
  await expect(serve({ eu: { servers: eu.nats.url }, us: { servers: '' } })).rejects.toThrow('servers is missing');
});
