import { readFileSync } from 'node:fs';
import { serveVendor } from '@tenant-open-platform/sdk/adapter';
import { type ChargePoints, startCentralSystem } from './central-system.js';
import { commandsFor } from './commands.js';

const { NATS_URL = 'nats://127.0.0.1:4222', NATS_NKEY_SEED_FILE, TENANT_ID = '', VENDOR = '' } = process.env;
const { OCPP_PORT = '9000', CHARGE_POINTS_FILE = 'charge-points.json' } = process.env;
const chargePoints: ChargePoints = JSON.parse(readFileSync(CHARGE_POINTS_FILE, 'utf8'));

const central = await startCentralSystem(Number(OCPP_PORT), chargePoints, {
  request: (message) => adapter.request(message),
});
const adapter = await serveVendor({
  servers: NATS_URL,
  seedFile: NATS_NKEY_SEED_FILE,
  tenantId: TENANT_ID,
  vendor: VENDOR,
  onePerDevice: true,
  onCommand: commandsFor(chargePoints, central.online),
});
async function stop() {
  await adapter.stop();
  await central.close();
  process.exit();
}
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void stop());
