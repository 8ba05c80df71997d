import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { testVendor } from '@tenant-open-platform/sdk/adapter';
import mqtt from 'mqtt';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { type Broker, startMosquitto } from '../mqtt-adapter/brokers.js';
import { connectToBroker } from './conversations.js';
import { commandsFor } from './devices.js';
import { startTasmota } from './tasmota.js';

const WAIT = { timeout: 60_000, interval: 20 };
/** What ends within the time limit of the test has not waited for its deadline. */
const LATER = { timeoutMs: 600_000 };

const topics = Array.from({ length: 20 }, (_, index) => `plug-${index}`);
/** Each test takes new ones: the broker retains what they say. */
const unused = [...topics];
const tenants = new Map(topics.map((topic) => [topic, 'demo']));
const loginOf = (username: string) => ({ username, password: `secret of ${username}` });

let broker: Broker;
let adapter: Awaited<ReturnType<typeof connectToBroker>>;
const url = () => `mqtt://127.0.0.1:${broker.port}`;

beforeAll(async () => {
  const users = [...topics, 'tasmota-adapter'].map((user) => [user, loginOf(user).password]);
  broker = await startMosquitto(join(import.meta.dirname, 'mosquitto.acl'), Object.fromEntries(users));
  adapter = await connectToBroker(url(), loginOf('tasmota-adapter'));
});
afterAll(async () => {
  await adapter?.close();
  await broker?.stop();
});

const serve = (connection: typeof adapter) => {
  const vendor = testVendor({ onCommand: commandsFor(connection, tenants), onePerDevice: true });
  onTestFinished(() => vendor.stop());
  return vendor;
};

async function plugIn(options: Parameters<typeof startTasmota>[2] = {}) {
  const topic = unused.shift() as string;
  const plug = await startTasmota(url(), loginOf(topic), options);
  onTestFinished(plug.unplug);
  if (!options.listensAfter) await plug.booted;
  const vendor = serve(adapter);
  const device = { tenant_id: 'demo', device_id: topic };
  return {
    ...plug,
    topic,
    vendor,
    power: (power: 'on' | 'off' | 'toggle', sending: Parameters<typeof vendor.send>[1] = {}) =>
      vendor.send({ ...device, command_type: 'set_power', payload: { power } }, sending),
    dimmer: (percent: number) => vendor.send({ ...device, command_type: 'set_dimmer', payload: { percent } }),
  };
}

/** Between an adapter and the broker. */
async function startLine() {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(broker.port, '127.0.0.1');
    for (const end of [near, far]) sockets.add(end.on('error', () => {}));
    near.pipe(far).pipe(near);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const cut = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const swallow = () => {
    for (const socket of sockets) socket.unpipe().resume();
  };
  return { swallow, url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`, cut };
}

const succeeded = (result: object) => ({ outcome: { device_execution_status: 'SUCCEEDED', result } });
const unknown = (code: string) => ({ outcome: { device_execution_status: 'TIMED_OUT', status_reason: { code } } });
const unreachable = (code: string) => ({ outcome: { adapter_status: 'UNREACHABLE', status_reason: { code } } });

test('a device carries out commands, and its RESULT is the result', async () => {
  const { power, dimmer, commands } = await plugIn({ hasLight: true });
  expect(await power('on')).toMatchObject(succeeded({ POWER: 'ON' }));
  expect(await power('toggle')).toMatchObject(succeeded({ POWER: 'OFF' }));
  expect(await dimmer(40)).toMatchObject(succeeded({ POWER: 'ON', Dimmer: 40 }));
  expect(commands()).toEqual(['POWER ON', 'POWER TOGGLE', 'DIMMER 40']);
});

test('a device with several relays answers with POWER1', async () => {
  const { power } = await plugIn({ relay: 'POWER1' });
  expect(await power('on')).toMatchObject(succeeded({ POWER1: 'ON' }));
});

test('a command that the device does not know is UNSUPPORTED, and one that it refuses REJECTED', async () => {
  const plug = await plugIn();
  expect(await plug.dimmer(40)).toMatchObject({ outcome: { adapter_status: 'UNSUPPORTED' } });
  const light = await plugIn({ hasLight: true });
  expect(await light.dimmer(400)).toMatchObject({
    outcome: { device_execution_status: 'REJECTED', status_reason: { code: 'REFUSED' } },
  });
  const update = { tenant_id: 'demo', device_id: plug.topic, command_type: 'upgrade', payload: {} };
  expect(await plug.vendor.send(update as never)).toMatchObject({ outcome: { adapter_status: 'UNSUPPORTED' } });
  expect(plug.commands()).toEqual(['DIMMER 40']);
});

test('a tenant reaches no device of another tenant', async () => {
  const { vendor, topic, commands, power } = await plugIn();
  for (const device of [
    { tenant_id: 'acme', device_id: topic },
    { tenant_id: 'demo', device_id: '+' },
    { tenant_id: 'demo', device_id: `${topic}/POWER` },
  ]) {
    const { outcome } = await vendor.send({ ...device, command_type: 'set_power', payload: { power: 'on' } });
    expect(outcome).toMatchObject({ adapter_status: 'REJECTED', status_reason: { code: 'UNKNOWN_DEVICE' } });
  }
  await power('off');
  expect(commands()).toEqual(['POWER OFF']);
});

test('a device gets its next command when it has answered the one before', async () => {
  const { power, from, commands } = await plugIn();
  expect(await power('toggle')).toMatchObject(succeeded({ POWER: 'ON' }));
  from('holds its answer');
  const both = Promise.all([power('off'), power('on')]);
  await vi.waitFor(() => expect(commands()).toEqual(['POWER TOGGLE', 'POWER OFF']), WAIT);
  from('answers');
  expect(await both).toMatchObject([succeeded({ POWER: 'OFF' }), succeeded({ POWER: 'ON' })]);
  expect(commands()).toEqual(['POWER TOGGLE', 'POWER OFF', 'POWER ON']);
});

test('a late RESULT of a command that timed out does not answer the next command', async () => {
  const { power, from, questions } = await plugIn();
  await power('on');
  from('holds its answer');
  expect(await power('toggle', { timeoutMs: 1_000 })).toMatchObject(unknown('NO_ANSWER'));
  const asked = questions();
  const next = power('toggle');
  await vi.waitFor(() => expect(questions()).toBeGreaterThan(asked), WAIT);
  from('answers');
  // The late one says OFF.
  expect(await next).toMatchObject(succeeded({ POWER: 'ON' }));
});

test('a device that is online and does not answer gets no command: it is UNREACHABLE before the deadline', async () => {
  const { power, from, commands } = await plugIn();
  from('is mute');
  // An odd number of milliseconds remains.
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await power('on', { timeoutMs: 2_001 })).toMatchObject(unreachable('SILENT'));
  expect(commands()).toEqual([]);
});

test('a device that is offline is UNREACHABLE at once, also for an adapter that starts later, until it comes back', async () => {
  const { power, unplug, topic } = await plugIn();
  await power('on');
  unplug();
  // Until the adapter hears the last will, a command may have begun: TIMED_OUT.
  await vi.waitFor(
    async () => expect(await power('on', { timeoutMs: 500 })).toMatchObject(unreachable('OFFLINE')),
    WAIT,
  );
  expect(await power('on', LATER)).toMatchObject(unreachable('OFFLINE'));
  const later = await connectToBroker(url(), loginOf('tasmota-adapter'));
  onTestFinished(() => later.close());
  const command = { tenant_id: 'demo', device_id: topic, command_type: 'set_power', payload: { power: 'on' } } as const;
  expect(await serve(later).send(command, LATER)).toMatchObject({ outcome: { adapter_status: 'UNREACHABLE' } });
  const again = await startTasmota(url(), loginOf(topic));
  onTestFinished(again.unplug);
  await again.booted;
  await vi.waitFor(async () => expect(await power('on')).toMatchObject(succeeded({ POWER: 'ON' })), WAIT);
});

test('a device that goes offline with a command may have executed it: TIMED_OUT at once', async () => {
  const { power, from } = await plugIn();
  await power('on');
  from('loses its connection');
  expect(await power('off', LATER)).toMatchObject(unknown('DEVICE_LOST'));
});

test('a command that comes again is executed again only if that changes nothing', async () => {
  const { power, unplug, commands } = await plugIn();
  const redelivered = { redelivered: true };
  expect(await power('toggle', redelivered)).toMatchObject(unknown('SENT_TWICE'));
  expect(await power('on', redelivered)).toMatchObject(succeeded({ POWER: 'ON' }));
  expect(commands()).toEqual(['POWER ON']);
  unplug();
  await vi.waitFor(
    async () => expect(await power('on', { timeoutMs: 500 })).toMatchObject(unreachable('OFFLINE')),
    WAIT,
  );
  expect(await power('on', { ...LATER, redelivered: true })).toMatchObject(unknown('OFFLINE'));
});

test('a restart of the broker: the command in the middle is TIMED_OUT, one meanwhile is never sent, later ones succeed', async () => {
  const { power, from, commands } = await plugIn();
  await power('off');
  from('is mute');
  const inTheMiddle = power('toggle', LATER);
  await vi.waitFor(() => expect(commands()).toContain('POWER TOGGLE'), WAIT);
  await broker.suspend();
  // mosquitto publishes the last wills before it ends.
  expect(await inTheMiddle).toMatchObject(unknown(expect.stringMatching(/^(DEVICE|BROKER)_LOST$/)));
  expect(await power('on', LATER)).toMatchObject(unreachable('OFFLINE'));
  from('answers');
  await broker.resume();
  await vi.waitFor(async () => expect(await power('off')).toMatchObject(succeeded({ POWER: 'OFF' })), WAIT);
  expect(commands()).not.toContain('POWER ON');
});

test('the connection of the adapter breaks: the command in the middle is TIMED_OUT, and the device is asked before the next', async () => {
  const { from, commands, questions, topic } = await plugIn();
  const line = await startLine();
  const behindLine = await connectToBroker(line.url, loginOf('tasmota-adapter'));
  onTestFinished(() => behindLine.close());
  const vendor = serve(behindLine);
  const power = (value: 'on' | 'off' | 'toggle') => {
    const device = { tenant_id: 'demo', device_id: topic };
    return vendor.send({ ...device, command_type: 'set_power', payload: { power: value } }, LATER);
  };
  const powerOff = async () => expect(await power('off')).toMatchObject(succeeded({ POWER: 'OFF' }));
  // As with SetOption104: the broker does not tell that the device is online.
  const device = await mqtt.connectAsync(url(), loginOf(topic));
  onTestFinished(() => void device.end(true));
  await device.publishAsync(`tele/${topic}/LWT`, '', { qos: 1, retain: true });
  await powerOff();
  from('is mute');
  const inTheMiddle = power('toggle');
  await vi.waitFor(() => expect(commands()).toContain('POWER TOGGLE'), WAIT);
  line.cut();
  expect(await inTheMiddle).toMatchObject(unknown('BROKER_LOST'));
  expect(await power('on')).toMatchObject(unreachable('OFFLINE'));
  from('answers');
  await vi.waitFor(powerOff, WAIT);
  expect(commands()).not.toContain('POWER ON');
  const asked = questions();
  line.cut();
  await vi.waitFor(() => expect(behindLine.stateOf(topic)).toBe('offline'), WAIT);
  await vi.waitFor(() => expect(behindLine.stateOf(topic)).not.toBe('offline'), WAIT);
  await powerOff();
  expect(questions()).toBeGreaterThan(asked);
  // What was sent into a dead connection is not sent again.
  line.swallow();
  const swallowed = power('on');
  line.cut();
  expect(await swallowed).toMatchObject(unknown('BROKER_LOST'));
  await vi.waitFor(powerOff, WAIT);
  expect(commands()).not.toContain('POWER ON');
});

test('a device that is online before it listens is asked again', async () => {
  let listen = () => {};
  const { power, topic } = await plugIn({
    listensAfter: new Promise<void>((resolve) => {
      listen = resolve;
    }),
  });
  const spy = await mqtt.connectAsync(url(), loginOf(topic));
  onTestFinished(() => void spy.end(true));
  spy.on('message', listen);
  await spy.subscribeAsync(`cmnd/${topic}/#`);
  expect(await power('on')).toMatchObject(succeeded({ POWER: 'ON' }));
});

test('what is no answer, or is said by another device, answers nothing', async () => {
  const { power, from, commands, say, topic } = await plugIn();
  await power('on');
  from('holds its answer');
  const waiting = power('off');
  await vi.waitFor(() => expect(commands()).toContain('POWER OFF'), WAIT);
  for (const nonsense of ['nonsense', 'null', '[]', '"POWER"', '{"Dimmer":1}', '{"POWER2":"ON"}']) say(nonsense);
  const intruder = await mqtt.connectAsync(url(), loginOf(unused.shift() as string));
  onTestFinished(() => void intruder.end(true));
  await intruder.publishAsync(`stat/${topic}/RESULT`, '{"POWER":"FORGED"}', { qos: 1 });
  await intruder.publishAsync(`tele/${topic}/LWT`, 'Offline', { qos: 1 });
  from('answers');
  expect(await waiting).toMatchObject(succeeded({ POWER: 'OFF' }));
});
