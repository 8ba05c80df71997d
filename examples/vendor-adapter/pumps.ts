import { Rejected, serveVendor } from '@tenant-open-platform/sdk/adapter';

/** The command types of the vendor, with their payloads. */
type Commands = { set_speed: { rpm: number } };

const adapter = await serveVendor<Commands>({
  servers: process.env.NATS_URL ?? 'nats://127.0.0.1:4222',
  seedFile: process.env.NATS_NKEY_SEED_FILE,
  tenantId: 'demo',
  vendor: 'acme_pumps',
  async onCommand({ device_id, payload }) {
    if (device_id !== 'pump-7') throw new Rejected('UNKNOWN_DEVICE', 'There is no pump of this id.');
    // Speak to your device here. A command may come twice: see `redelivered`.
    console.error(`${device_id} turns at ${payload.rpm} rpm.`);
    return { rpm: payload.rpm };
  },
});
for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => void adapter.stop());
