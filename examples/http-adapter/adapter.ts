import { limitCalls, serveVendor } from '@tenant-open-platform/sdk/adapter';
import { carryOutWith } from './devices.js';
import { receiveWebhooks } from './webhooks.js';

const { NATS_URL = 'nats://127.0.0.1:4222', NATS_NKEY_SEED_FILE, TENANT_ID = '', VENDOR = '' } = process.env;
const { API_URL = '', API_KEYS = '{}', API_CALLS = '64', WEBHOOK_SECRET = '', PORT = '8080' } = process.env;

const webhooks = receiveWebhooks(WEBHOOK_SECRET);
webhooks.server.listen(Number(PORT));

// A command that waits for a webhook makes no call: thousands may wait.
const api = {
  url: API_URL,
  keys: new Map<string, string>(Object.entries(JSON.parse(API_KEYS))),
  limit: limitCalls(Number(API_CALLS)),
};
const adapter = await serveVendor({
  servers: NATS_URL,
  seedFile: NATS_NKEY_SEED_FILE,
  tenantId: TENANT_ID,
  vendor: VENDOR,
  onCommand: carryOutWith(api, webhooks.outcomeOf),
});
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.once(signal, () => void adapter.stop().then(() => webhooks.server.close()));
}
