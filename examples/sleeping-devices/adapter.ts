import { setTimeout as delay } from 'node:timers/promises';
import { OutcomeUnknown, serveVendor, Unreachable } from '@tenant-open-platform/sdk/adapter';

type Commands = { set_interval: { minutes: number } };

/** So long the meter listens if nobody replies. */
const AWAKE_SECONDS = 30;
const awake = new Set<string>();

const adapter = await serveVendor<Commands>({
  servers: process.env.NATS_URL ?? 'nats://127.0.0.1:4222',
  seedFile: process.env.NATS_NKEY_SEED_FILE,
  tenantId: 'demo',
  vendor: 'acme_meters',
  async onCommand({ device_id, payload }, { redelivered }) {
    if (!awake.has(device_id)) {
      if (redelivered) throw new OutcomeUnknown('SENT_TWICE', 'The meter may have got the command already.');
      throw new Unreachable('ASLEEP', 'The meter sleeps.');
    }
    // Speak to your device here.
    console.error(`${device_id} will report every ${payload.minutes} minutes.`);
    return { minutes: payload.minutes };
  },
});

/** Your protocol calls this when a device wakes. It resolves when the device may sleep again. */
async function serveAwake(device_id: string): Promise<void> {
  awake.add(device_id);
  await adapter.request({
    device_id,
    request_type: 'awake',
    payload: {},
    dedupe_id: `${device_id}-${Date.now()}`,
    expires_in_seconds: AWAKE_SECONDS,
  });
  awake.delete(device_id);
}

for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void adapter.stop().then(() => process.exit()));

/** This meter wakes every 20 seconds instead of every 6 hours. */
for (;;) {
  await delay(20_000);
  await serveAwake('meter-7');
}
