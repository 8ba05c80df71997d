import { serveVendor } from '@tenant-open-platform/sdk/adapter';

// An adapter made with the kit as built, which prints what it runs as examples/python-adapter does.

const { NATS_URL = '', TENANT_ID = '', VENDOR = '' } = process.env;

const adapter = await serveVendor({
  servers: NATS_URL,
  tenantId: TENANT_ID,
  vendor: VENDOR,
  async onCommand({ command_id, command_type, device_id }) {
    console.log(`${device_id}: ${command_type}`);
    if (command_type !== 'update_firmware') return;
    const payload = { version: '2.4.0' };
    const request = { device_id, request_type: 'firmware_check', payload, dedupe_id: command_id };
    const reply = await adapter.request({ ...request, expires_in_seconds: 300 });
    return { firmware: reply?.payload };
  },
});
process.once('SIGTERM', () => void adapter.stop());
