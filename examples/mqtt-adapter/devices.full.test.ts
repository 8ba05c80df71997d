import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestVendor, testVendor } from '@tenant-open-platform/sdk/adapter';
import mqtt from 'mqtt';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Broker, passwords, startMosquitto, startNatsBroker } from './brokers.js';
import { connectDevices } from './devices.js';

type Lamp = 'demo/lamp-7' | 'demo/lamp-8';

const large = JSON.stringify({ status: 'SUCCEEDED', result: { text: 'x'.repeat(50_000) } });

const WAIT = { timeout: 60_000, interval: 20 };

describe.each([
  ['the MQTT broker of nats-server', startNatsBroker],
  ['mosquitto', () => startMosquitto()],
])('%s', (_, startBroker) => {
  let broker: Broker;
  let devices: Awaited<ReturnType<typeof connectDevices>>;
  let vendor: TestVendor;

  beforeAll(async () => {
    broker = await startBroker();
    devices = await connectDevices(url(), loginOf('mqtt-adapter'), 'demo');
    vendor = testVendor({ onCommand: devices.carryOut, onePerDevice: true });
  });
  afterAll(async () => {
    await vendor?.stop();
    await devices?.close();
    await broker?.stop();
  });

  const url = () => `mqtt://127.0.0.1:${broker.port}`;
  const loginOf = (username: keyof typeof passwords) => ({ username, password: passwords[username] });

  /** A client of any kind, such as a device that does not do what it should. */
  async function login(user: keyof typeof passwords, options: mqtt.IClientOptions = {}) {
    const client = await mqtt.connectAsync(url(), { ...loginOf(user), ...options });
    onTestFinished(() => void client.end(true));
    return client;
  }

  /** Runs device.sh, with these programs in the place of others. */
  function plugIn(lamp: Lamp, programs: Record<string, string> = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'top-lamp-'));
    mkdirSync(join(folder, 'bin'));
    for (const [name, code] of Object.entries(programs)) {
      writeFileSync(join(folder, 'bin', name), `#!/bin/sh\nPATH='${process.env.PATH}'\n${code}\n`, { mode: 0o755 });
    }
    const device = spawn(join(import.meta.dirname, 'device.sh'), [lamp, passwords[lamp], join(folder, 'outcomes')], {
      detached: true,
      stdio: 'pipe',
      env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, MQTT_PORT: String(broker.port) },
    });
    const exited = once(device, 'exit');
    let log = '';
    device.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
    });
    /** SIGINT is Ctrl-C: it goes to all processes of the device. */
    async function unplug(signal: 'SIGKILL' | 'SIGINT' = 'SIGKILL') {
      if (device.exitCode !== null || device.signalCode !== null) return;
      process.kill(-(device.pid as number), signal);
      await exited;
    }
    onTestFinished(async () => {
      await unplug();
      rmSync(folder, { recursive: true, force: true });
    });
    return { log: () => log, unplug };
  }

  /** The presence of the lamp that the broker keeps. */
  async function presenceOf(lamp: Lamp) {
    const adapter = await login('mqtt-adapter');
    const presence = new Promise((resolve) => {
      adapter.once('message', (_topic, payload) => resolve(String(payload)));
    });
    await adapter.subscribeAsync(`devices/${lamp}/presence`, { qos: 1 });
    return presence;
  }

  const brightness = (lamp: Lamp, percent: number, timeoutMs = 120_000) =>
    vendor.send(
      {
        tenant_id: 'demo',
        device_id: lamp.slice('demo/'.length),
        command_type: 'set_brightness',
        payload: { percent },
      },
      { timeoutMs },
    );

  const succeeded = (percent: number) => ({ device_execution_status: 'SUCCEEDED', result: { percent } });

  test('a device of 20 lines of shell carries out a command, and refuses another', async () => {
    plugIn('demo/lamp-7');
    expect((await brightness('demo/lamp-7', 40)).outcome).toMatchObject(succeeded(40));
    const device = { tenant_id: 'demo', device_id: 'lamp-7' };
    expect((await vendor.send({ ...device, command_type: 'reboot', payload: {} })).outcome).toMatchObject({
      adapter_status: 'UNSUPPORTED',
      status_reason: { code: 'UNSUPPORTED' },
    });
  });

  /** Sends a command as the adapter does, and as often as it is called. */
  async function sender(lamp: Lamp) {
    const adapter = await login('mqtt-adapter');
    return (id: string, percent: number, remaining_ms: number) =>
      adapter.publishAsync(
        `devices/${lamp}/commands/${id}`,
        JSON.stringify({ command_type: 'set_brightness', remaining_ms, payload: { percent } }),
      );
  }

  test.each([
    ['ahead', '1 hour'],
    ['behind', '1 hour ago'],
  ])('a device whose clock is an hour %s carries out a command in its time, and none after it', async (_, moved) => {
    const { log } = plugIn('demo/lamp-7', { date: `exec date -d '${moved}' "$@"` });
    expect((await brightness('demo/lamp-7', 40)).outcome).toMatchObject(succeeded(40));
    const send = await sender('demo/lamp-7');
    await send('late', 90, 0);
    expect((await brightness('demo/lamp-7', 50)).outcome).toMatchObject(succeeded(50));
    expect(log()).not.toContain('90 %');
  });

  test('a command that has waited in its device until its time was over does not begin', async () => {
    const { log } = plugIn('demo/lamp-7', {
      mosquitto_pub: 'case "$*" in *outcomes/slow*) sleep 2 ;; esac; exec mosquitto_pub "$@"',
    });
    await brightness('demo/lamp-7', 1);
    const send = await sender('demo/lamp-7');
    await send('slow', 10, 60_000);
    await send('late', 90, 1_000);
    await send('next', 20, 60_000);
    await vi.waitFor(() => expect(log()).toContain('20 %'), WAIT);
    expect(log()).toContain('10 %');
    expect(log()).not.toContain('90 %');
  });

  test('no broker keeps a command for a device that is away: it would come late', async () => {
    const session = { clientId: 'lamp-8-with-a-session', clean: false, reconnectPeriod: 0 };
    const away = await login('demo/lamp-8', session);
    await away.subscribeAsync('devices/demo/lamp-8/commands/+', { qos: 1 });
    await away.publishAsync('devices/demo/lamp-8/presence', 'online', { qos: 1, retain: true });
    await away.endAsync();
    // The adapter has not learned that it is away, and sends this one.
    expect((await brightness('demo/lamp-8', 90, 4_000)).outcome).toMatchObject({
      device_execution_status: 'TIMED_OUT',
    });
    const back = mqtt.connect(url(), { ...loginOf('demo/lamp-8'), ...session });
    onTestFinished(() => void back.end(true));
    const came: number[] = [];
    back.on('message', (topic, message) => {
      came.push(JSON.parse(String(message)).payload.percent);
      back.publish(topic.replace('commands', 'outcomes'), '{"status":"SUCCEEDED"}', { qos: 1 });
    });
    await new Promise((resolve) => void back.once('connect', resolve));
    expect((await brightness('demo/lamp-8', 20)).outcome).toMatchObject({ device_execution_status: 'SUCCEEDED' });
    expect(came).toEqual([20]);
  });

  test('a device that disappears ends as UNREACHABLE, and one that comes back in time gets its commands in their order', async () => {
    const { unplug } = plugIn('demo/lamp-7');
    expect((await brightness('demo/lamp-7', 10)).outcome).toMatchObject(succeeded(10));
    await unplug();
    // Until the adapter hears the last will, a command may have begun: TIMED_OUT.
    await vi.waitFor(async () => {
      const { outcome } = await brightness('demo/lamp-7', 20, 1_000);
      expect(outcome).toMatchObject({ adapter_status: 'UNREACHABLE' });
    }, WAIT);
    const asleep = [30, 40, 50].map((percent) => brightness('demo/lamp-7', percent));
    const { log } = plugIn('demo/lamp-7');
    expect((await Promise.all(asleep)).map((each) => each.outcome)).toMatchObject([30, 40, 50].map(succeeded));
    await vi.waitFor(() => expect(log()).toMatch(/ 30 %[\s\S]* 40 %[\s\S]* 50 %/), WAIT);
    expect(log()).not.toContain('20 %');
  });

  test('a device that disappears with a command is not UNREACHABLE: it may have executed the command', async () => {
    const will = {
      topic: 'devices/demo/lamp-8/presence',
      payload: Buffer.from('offline'),
      qos: 1,
      retain: true,
    } as const;
    const device = await login('demo/lamp-8', { will, reconnectPeriod: 0 });
    let disappear = () => {};
    device.on('message', (topic) => {
      disappear();
      device.publish(topic.replace('commands', 'outcomes'), '{"status":"SUCCEEDED"}', { qos: 1 });
    });
    await device.subscribeAsync('devices/demo/lamp-8/commands/+', { qos: 1 });
    await device.publishAsync('devices/demo/lamp-8/presence', 'online', { qos: 1, retain: true });
    // The adapter has heard that it is online.
    expect((await brightness('demo/lamp-8', 5)).outcome).toMatchObject({ device_execution_status: 'SUCCEEDED' });
    disappear = () => void device.stream.destroy();
    expect((await brightness('demo/lamp-8', 5, 4_000)).outcome).toMatchObject({ device_execution_status: 'TIMED_OUT' });
  });

  test('a command that comes again while its device is away is not UNREACHABLE: its first run may have begun', async () => {
    const command = { tenant_id: 'demo', device_id: 'lamp-9', command_type: 'set_brightness', payload: {} };
    const sent = await Promise.all(
      [false, true].map((redelivered) => vendor.send(command, { timeoutMs: 1_000, redelivered })),
    );
    expect(sent).toMatchObject([
      { outcome: { adapter_status: 'UNREACHABLE' } },
      { outcome: { device_execution_status: 'TIMED_OUT' } },
    ]);
  });

  test('a device that is switched off with Ctrl-C says so', async () => {
    const { unplug } = plugIn('demo/lamp-7');
    expect((await brightness('demo/lamp-7', 10)).outcome).toMatchObject(succeeded(10));
    await unplug('SIGINT');
    expect(await presenceOf('demo/lamp-7')).toBe('offline');
  });

  test('after a restart of the broker the device gets commands again, also those that were sent meanwhile', async () => {
    plugIn('demo/lamp-7');
    expect((await brightness('demo/lamp-7', 10)).outcome).toMatchObject(succeeded(10));
    await broker.suspend();
    const meanwhile = brightness('demo/lamp-7', 20);
    await broker.resume();
    expect((await meanwhile).outcome).toMatchObject(succeeded(20));
    expect((await brightness('demo/lamp-7', 30)).outcome).toMatchObject(succeeded(30));
  });

  test('a device carries out a command once, however often it comes, and none after its deadline', async () => {
    const { log } = plugIn('demo/lamp-7');
    await brightness('demo/lamp-7', 1);
    const adapter = await login('mqtt-adapter');
    const outcomes: string[] = [];
    adapter.on('message', (topic) => outcomes.push(topic.split('/').at(-1) as string));
    // Not `+`: the command before may have come twice, too.
    for (const id of ['late', 'twice']) {
      await adapter.subscribeAsync(`devices/demo/lamp-7/outcomes/${id}`, { qos: 1 });
    }
    const send = await sender('demo/lamp-7');
    await send('late', 90, 0);
    await send('twice', 20, 60_000);
    await send('twice', 20, 60_000);
    await vi.waitFor(() => expect(outcomes).toEqual(['twice', 'twice']), WAIT);
    await vi.waitFor(() => expect(log().match(/ 20 %/g)).toHaveLength(1), WAIT);
    expect(log()).not.toContain('90 %');
  });

  test('a command that the device has lost comes again, with the time that is left then', async () => {
    const impatient = await connectDevices(url(), loginOf('mqtt-adapter'), 'demo', 100);
    onTestFinished(() => impatient.close());
    const device = await login('demo/lamp-8');
    const received: string[] = [];
    const left: number[] = [];
    device.on('message', (topic, message) => {
      left.push(JSON.parse(String(message)).remaining_ms);
      // It comes once or twice when the device comes online, and then again.
      if (received.push(topic) === 4) device.publish(topic.replace('commands', 'outcomes'), '{"status":"SUCCEEDED"}');
    });
    await device.subscribeAsync('devices/demo/lamp-8/commands/+', { qos: 1 });
    await device.publishAsync('devices/demo/lamp-8/presence', 'online', { qos: 1, retain: true });
    const again = testVendor({ onCommand: impatient.carryOut, onePerDevice: true });
    const command = { tenant_id: 'demo', device_id: 'lamp-8', command_type: 'set_brightness', payload: {} };
    expect((await again.send(command)).outcome).toMatchObject({ device_execution_status: 'SUCCEEDED' });
    expect(new Set(received).size).toBe(1);
    expect((left[0] ?? 0) - (left[3] ?? 0)).toBeGreaterThan(50);
  });

  test('a device neither reads nor sends on the topics of another', async () => {
    plugIn('demo/lamp-7');
    await brightness('demo/lamp-7', 1);
    const willOn = (lamp: Lamp) =>
      ({ topic: `devices/${lamp}/presence`, payload: Buffer.from('forged'), qos: 1, retain: true }) as const;
    const intruder = await login('demo/lamp-8', { will: willOn('demo/lamp-7'), reconnectPeriod: 0 });
    const heard: string[] = [];
    intruder.on('message', (topic) => heard.push(topic));
    for (const topic of ['#', 'devices/#', 'devices/demo/+/commands/+', '+/demo/lamp-7/commands/#', '$MQTT/sub/+']) {
      await intruder.subscribeAsync(topic, { qos: 1 }).catch(() => {});
    }
    await intruder.subscribeAsync('devices/demo/lamp-8/presence', { qos: 1 });
    const adapter = await login('mqtt-adapter');
    const forged: string[] = [];
    adapter.on('message', (topic, payload) => {
      if (String(payload) === 'forged') forged.push(topic);
    });
    await adapter.subscribeAsync(['devices/+/+/outcomes/+', 'devices/+/+/presence'], { qos: 1 });
    for (const topic of ['outcomes/1', 'presence', 'commands/1']) {
      await intruder.publishAsync(`devices/demo/lamp-7/${topic}`, 'forged', { qos: 0 });
    }
    await intruder.publishAsync('devices/demo/lamp-8/presence', 'online', { qos: 1 });
    expect((await brightness('demo/lamp-7', 2)).outcome).toMatchObject(succeeded(2));
    await vi.waitFor(() => expect(heard).toContain('devices/demo/lamp-8/presence'), WAIT);
    expect(heard.filter((topic) => topic.includes('lamp-7'))).toEqual([]);
    const honest = await login('demo/lamp-8', { will: willOn('demo/lamp-8'), reconnectPeriod: 0 });
    for (const lost of [intruder, honest]) lost.stream.destroy();
    await vi.waitFor(() => expect(forged).toEqual(['devices/demo/lamp-8/presence']), WAIT);
  });

  const unknown = { device_execution_status: 'TIMED_OUT', status_reason: { code: 'OUTCOME_INVALID' } };
  const withoutResult = { device_execution_status: 'SUCCEEDED', status_reason: { code: 'RESULT_INVALID' } };
  const failed = { device_execution_status: 'FAILED', status_reason: { code: 'FAILED', message: '' } };

  test.each<[string, string, object]>([
    ['no JSON', 'nonsense', unknown],
    ['another JSON value', 'null', unknown],
    ['an unknown status', '{"status":"SUCCESS"}', unknown],
    ['a status somewhere in what is no JSON', '{"result":{"status":"FAILED"},"t":nan}', unknown],
    ['SUCCEEDED beside NaN', '{"status":"SUCCEEDED","result":{"temp":nan}}', withoutResult],
    ['SUCCEEDED, cut off', '{"status":"SUCCEEDED","result":{"te', withoutResult],
    [
      'SUCCEEDED beside a message that is null',
      '{"status":"SUCCEEDED","message":null,"result":null}',
      {
        device_execution_status: 'SUCCEEDED',
      },
    ],
    ['SUCCEEDED and the end of a string in C', '{"status":"SUCCEEDED","result":{"percent":5}}\0', succeeded(5)],
    ['SUCCEEDED beside a result that is no object', '{"status":"SUCCEEDED","result":"bright"}', withoutResult],
    ['SUCCEEDED beside more than the platform takes', large, withoutResult],
    ['FAILED beside a message that is no text', '{"status":"FAILED","message":{"toString":1}}', failed],
    ['FAILED, cut off', '{"status":"FAILED","mess', failed],
    [
      'UNSUPPORTED',
      '{"status":"UNSUPPORTED","code":"NO_DIMMER","message":"It cannot dim."}',
      { adapter_status: 'UNSUPPORTED', status_reason: { code: 'NO_DIMMER', message: 'It cannot dim.' } },
    ],
    ['UNSUPPORTED, cut off', '{"status":"UNSUPPORTED","mess', { adapter_status: 'UNSUPPORTED' }],
    [
      'REJECTED with a number',
      '{"status":"REJECTED","code":7}',
      {
        device_execution_status: 'REJECTED',
        status_reason: { code: '7' },
      },
    ],
  ])('an outcome that is %s ends the command of its device by its status', async (_what, payload, outcome) => {
    plugIn('demo/lamp-7');
    const broken = await login('demo/lamp-8');
    broken.on('message', (topic) => broken.publish(topic.replace('commands', 'outcomes'), payload, { qos: 1 }));
    await broken.subscribeAsync('devices/demo/lamp-8/commands/+', { qos: 1 });
    await broken.publishAsync('devices/demo/lamp-8/presence', 'online', { qos: 1, retain: true });
    const [other, own] = await Promise.all([brightness('demo/lamp-7', 5), brightness('demo/lamp-8', 5)]);
    expect(other.outcome).toMatchObject(succeeded(5));
    expect(own.outcome).toMatchObject(outcome);
  });
});
