import { serveVendor } from '@tenant-open-platform/sdk/adapter';
import { carryOutWith } from './devices.js';
import { receiveWebhooks } from './webhooks.js';

const { NATS_URL = 'nats://127.0.0.1:4222', NATS_NKEY_SEED_FILE, TENANT_ID = '', VENDOR = '' } = process.env;
const { API_URL = '', API_KEYS = '{}', WEBHOOK_SECRET = '', PORT = '8080' } = process.env;

const webhooks = receiveWebhooks(WEBHOOK_SECRET);
webhooks.server.listen(Number(PORT));

const adapter = await serveVendor({
  servers: NATS_URL,
  seedFile: NATS_NKEY_SEED_FILE,
  tenantId: TENANT_ID,
  vendor: VENDOR,
  // A command keeps its place while it waits for a webhook.
  concurrency: 256,
  onCommand: carryOutWith({ url: API_URL, keys: new Map(Object.entries(JSON.parse(API_KEYS))) }, webhooks.outcomeOf),
});
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => void adapter.stop().then(() => webhooks.server.close()));
}
