import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { DeviceConnections, serveVendor } from '@tenant-open-platform/sdk/adapter';
import { type ChargePoint, type ChargePoints, startCentralSystem } from './central-system.js';
import { commandsFor } from './commands.js';

const { NATS_URL = 'nats://127.0.0.1:4222', NATS_NKEY_SEED_FILE, TENANT_ID = '', VENDOR = '' } = process.env;
const { OCPP_PORT = '9000', CHARGE_POINTS_FILE = 'charge-points.json' } = process.env;
const { HAND_OVER_FILE = 'hand-over.json' } = process.env;
const chargePoints: ChargePoints = JSON.parse(readFileSync(CHARGE_POINTS_FILE, 'utf8'));

const online = new DeviceConnections<ChargePoint>();
// First: what charge points ask goes to the platform. Commands wait for them.
const adapter = await serveVendor({
  servers: NATS_URL,
  seedFile: NATS_NKEY_SEED_FILE,
  tenantId: TENANT_ID,
  vendor: VENDOR,
  onePerDevice: true,
  handOverFile: HAND_OVER_FILE,
  onCommand: commandsFor(chargePoints, online),
});
const hangUp = await startCentralSystem(Number(OCPP_PORT), chargePoints, online, adapter);

/** The next process gets what still waits for its charge point. */
async function stop() {
  await Promise.race([adapter.stop(), delay(5_000)]);
  await hangUp();
  process.exit();
}
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop());
