import { setTimeout as delay } from 'node:timers/promises';
import { serveVendor } from '@tenant-open-platform/sdk/adapter';
import { connectDevices } from './devices.js';

const { NATS_URL = 'nats://127.0.0.1:4222', NATS_NKEY_SEED_FILE, TENANT_ID = '', VENDOR = '' } = process.env;
const { MQTT_URL = 'mqtt://127.0.0.1:1883', MQTT_USER, MQTT_PASSWORD } = process.env;
const { HAND_OVER_FILE = 'hand-over.json' } = process.env;

const devices = await connectDevices(MQTT_URL, { username: MQTT_USER, password: MQTT_PASSWORD }, TENANT_ID);
const adapter = await serveVendor({
  servers: NATS_URL,
  seedFile: NATS_NKEY_SEED_FILE,
  tenantId: TENANT_ID,
  vendor: VENDOR,
  onePerDevice: true,
  handOverFile: HAND_OVER_FILE,
  onCommand: devices.carryOut,
});

/** A command without an outcome comes again to the next process: as new, or the device repeats its outcome. */
async function stop() {
  await Promise.race([adapter.stop(), delay(5_000)]);
  process.exit();
}
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop());
