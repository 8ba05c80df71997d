import { serveVendor } from '@tenant-open-platform/sdk/adapter';
import { carryOut } from './devices.js';

const { NATS_URL = 'nats://127.0.0.1:4222', NATS_NKEY_SEED_FILE, TENANT_ID = '', VENDOR = '' } = process.env;

const adapter = await serveVendor({
  servers: NATS_URL,
  seedFile: NATS_NKEY_SEED_FILE,
  tenantId: TENANT_ID,
  vendor: VENDOR,
  onePerDevice: true,
  onCommand: carryOut,
});
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void adapter.stop());
