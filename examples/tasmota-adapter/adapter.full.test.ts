import { join } from 'node:path';
import { atEnd } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test } from 'vitest';
import { startMosquitto } from '../mqtt-adapter/brokers.js';
import { startPlatform } from '../vendor-adapter/start-platform.js';
import { startTasmota } from './tasmota.js';

const file = (name: string) => join(import.meta.dirname, name);
const users = { 'plug-7': 'plug-secret', 'tasmota-adapter': 'adapter-secret' };

const [platform, broker] = await Promise.all([startPlatform(), startMosquitto(file('mosquitto.acl'), users)]);
atEnd(broker.stop);
const url = `mqtt://127.0.0.1:${broker.port}`;

test('a tenant switches its plug through the platform, and no other device', async () => {
  const plug = await startTasmota(url, { username: 'plug-7', password: users['plug-7'] });
  onTestFinished(plug.unplug);
  await plug.booted;
  const { logged, stop } = await platform.startAdapter({
    argv: [process.execPath, '--import', 'tsx', file('adapter.ts')],
    environment: {
      MQTT_URL: url,
      MQTT_USER: 'tasmota-adapter',
      MQTT_PASSWORD: users['tasmota-adapter'],
      DEVICES: '{"plug-7":"demo","plug-8":"acme"}',
    },
  });
  await logged('Serving vendor_a for demo.');
  const outcomeOf = async (device_id: string) =>
    platform.outcomeOf(await platform.send({ device_id, command_type: 'set_power', payload: { power: 'on' } }));
  expect(await outcomeOf('plug-7')).toMatchObject({ status: 'SUCCEEDED', result: { POWER: 'ON' } });
  expect(await outcomeOf('plug-8')).toMatchObject({
    status: 'REJECTED',
    device_execution_status: 'NOT_STARTED',
    status_reason: { code: 'UNKNOWN_DEVICE' },
  });
  await stop();
});
