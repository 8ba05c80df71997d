import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type DeviceRequest, TenantOpenPlatform } from '@tenant-open-platform/sdk';

const folder = process.argv[2] ?? '.';
const { base_url, client_id, secret } = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8'));
const client = new TenantOpenPlatform({ baseUrl: base_url, clientId: client_id, secret });

/** Shorter than the device listens. */
const TIMEOUT_SECONDS = 20;

async function serveAwake({ device_request_id, vendor, device_id }: DeviceRequest): Promise<void> {
  // What you want of a device, until it has done it. Replace the file with your database.
  const wish = readdirSync(folder).find((name) => name === `${device_id}.wish.json`);
  if (wish) {
    const wanted = JSON.parse(readFileSync(join(folder, wish), 'utf8'));
    const command = { vendor, device_id, timeout_seconds: TIMEOUT_SECONDS, ...wanted };
    // One command for each time that the device is awake, also if this program is started again in the middle.
    const { status } = await client.commands.createAndWait(command, { idempotencyKey: device_request_id });
    console.log(`${device_id}: ${command.command_type} ${status}`);
    // Otherwise the wish stays for the next time: to set the interval twice does no harm.
    if (status === 'SUCCEEDED') rmSync(join(folder, wish));
  }
  await client.deviceRequests.reply(device_request_id, { outcome: 'SUCCESS', payload: { sleep: true } });
}

for await (const request of client.deviceRequests.follow({ vendor: 'acme_meters', request_type: 'awake' })) {
  serveAwake(request).catch((error) => console.error(`${request.device_id}: ${error}`));
}
