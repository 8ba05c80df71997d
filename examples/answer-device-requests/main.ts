import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type DeviceRequest,
  isApiError,
  isConnectionError,
  isTimeoutError,
  TenantOpenPlatform,
} from '@tenant-open-platform/sdk';
import { answerTo } from './answers.js';

const AT_ONCE = 20;
const TRY_AGAIN_AFTER_MS = 2_000;

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

/** Ends the wait, but not a reply in progress. A second signal ends the process at once. */
const stopping = new AbortController();
const { signal } = stopping;
process.once('SIGINT', () => stopping.abort()).once('SIGTERM', () => stopping.abort());

/**
 * Resolves as soon as a device asks, or after 30 seconds without a request. A replied request is no longer PENDING, so
 * the next page is always the first one.
 */
async function nextRequests(client: TenantOpenPlatform): Promise<DeviceRequest[]> {
  const query = { status: 'PENDING', wait_seconds: 30, limit: AT_ONCE } as const;
  return (await client.deviceRequests.list(query, { signal })).items;
}

async function reply(client: TenantOpenPlatform, request: DeviceRequest): Promise<void> {
  const { device_request_id, device_id, request_type } = request;
  const answer = answerTo(request);
  try {
    await client.deviceRequests.reply(device_request_id, answer);
    console.log(`${device_id} ${request_type}: ${answer.outcome}`);
  } catch (error) {
    // Another program replied first, or the device no longer waits: neither is a failure of this program.
    if (!isApiError(error) || error.status !== 409) throw error;
    console.log(`${device_id} ${request_type}: ${error.code}`);
  }
}

/** A failure that a later attempt may not meet. The client has already retried. */
const mayPass = (error: unknown): boolean =>
  isConnectionError(error) || isTimeoutError(error) || (isApiError(error) && error.retryable);

const client = connect();
while (!signal.aborted) {
  try {
    const requests = await nextRequests(client);
    await Promise.all(requests.map((request) => reply(client, request)));
  } catch (error) {
    if (signal.aborted) break;
    if (mayPass(error)) {
      console.error(`Trying again soon: ${error}`);
      await delay(TRY_AGAIN_AFTER_MS, undefined, { signal }).catch(() => {});
      continue;
    }
    if (!isApiError(error)) throw error;
    console.error(`${error.code}: ${error.message} (request ${error.requestId})`);
    process.exitCode = 1;
    break;
  }
}
