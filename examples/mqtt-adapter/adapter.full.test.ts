import { join } from 'node:path';
import { atEnd } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { startPlatform } from '../vendor-adapter/start-platform.js';
import { startMosquitto } from './brokers.js';

const file = (name: string) => join(import.meta.dirname, name);
const users = { 'mqtt-adapter': 'adapter-secret' };
const [platform, broker] = await Promise.all([startPlatform(), startMosquitto(file('mosquitto.acl'), users)]);
atEnd(broker.stop);

async function start() {
  const adapter = await platform.startAdapter({
    argv: [process.execPath, '--import', 'tsx', file('adapter.ts')],
    environment: {
      MQTT_URL: `mqtt://127.0.0.1:${broker.port}`,
      MQTT_USER: 'mqtt-adapter',
      MQTT_PASSWORD: users['mqtt-adapter'],
    },
  });
  await adapter.logged('Serving vendor_a for demo.');
  return adapter;
}

test('what waits for its device when the adapter is stopped is new to the next process: it does not reach a device that never comes', async () => {
  const first = await start();
  const commandId = await platform.send({ timeout_seconds: 30 });
  await platform.taken(1);
  await first.stop();
  const second = await start();
  expect(await platform.outcomeOf(commandId)).toMatchObject({
    status: 'FAILED',
    adapter_status: 'UNREACHABLE',
    device_execution_status: 'NOT_STARTED',
  });
  await second.stop();
});
