import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isApiError, TenantOpenPlatform } from '@tenant-open-platform/sdk';

/** From TOP_BASE_URL, TOP_CLIENT_ID and TOP_SECRET; without them, from the profile that the first start wrote. */
function connect(): TenantOpenPlatform {
  if (process.env.TOP_CLIENT_ID) return new TenantOpenPlatform();
  const file = process.env.TOP_PROFILE_FILE ?? fileURLToPath(new URL('../../data/demo.json', import.meta.url));
  if (!existsSync(file)) {
    console.error(
      `There is no ${file}. Start the platform (npm start), or set TOP_BASE_URL, TOP_CLIENT_ID, TOP_SECRET.`,
    );
    process.exit(1);
  }
  const profile = JSON.parse(readFileSync(file, 'utf8'));
  return new TenantOpenPlatform({ baseUrl: profile.base_url, clientId: profile.client_id, secret: profile.secret });
}

try {
  const client = connect();
  const command = await client.commands.createAndWait({
    vendor: 'vendor_a',
    device_id: 'ok-1',
    command_type: 'set_power',
    payload: { power: 'on' },
  });
  console.log(JSON.stringify(command, null, 2));
} catch (error) {
  if (!isApiError(error)) throw error;
  console.error(`${error.code}: ${error.message} (request ${error.requestId})`);
  process.exitCode = 1;
}
