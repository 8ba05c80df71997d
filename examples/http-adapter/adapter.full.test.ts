import { fileURLToPath } from 'node:url';
import { atEnd } from '@tenant-open-platform/testing';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { expect, test, vi } from 'vitest';
import { startPlatform } from '../vendor-adapter/start-platform.js';
import { send, startFakeVendor, WEBHOOK_SECRET } from './fake-vendor.js';

const [platform, vendor] = await Promise.all([startPlatform(), startFakeVendor()]);
atEnd(vendor.stop);

/** As `npm start` in this folder. */
async function start() {
  const port = String(await freePort());
  vendor.sendWebhooksTo(`http://127.0.0.1:${port}/webhooks`);
  const argv = [process.execPath, '--import', 'tsx', fileURLToPath(new URL('adapter.ts', import.meta.url))];
  const environment = {
    API_URL: vendor.url,
    API_KEYS: JSON.stringify({ demo: 'key-of-demo' }),
    WEBHOOK_SECRET,
    PORT: port,
  };
  const adapter = await platform.startAdapter({ argv, environment });
  await adapter.logged('Serving vendor_a for demo.');
  return adapter;
}

const begun = (commandId: string) =>
  vi.waitFor(() => expect(vendor.actions.has(commandId)).toBe(true), { timeout: 60_000 });

test('the webhook of the vendor becomes the outcome, also while the adapter stops, and a refusal reaches the caller', async () => {
  const { stop } = await start();
  vendor.next((response) => send(response, 503, '<html>'));
  const first = await platform.send({});
  await vi.waitFor(
    async () => expect(await platform.read(first)).toMatchObject({ device_execution_status: 'IN_PROGRESS' }),
    { timeout: 60_000, interval: 100 },
  );
  expect(await vendor.end(first, { state: 'done', result: { uptime_seconds: 0 } })).toBe(204);
  expect(await platform.outcomeOf(first)).toMatchObject({
    status: 'SUCCEEDED',
    device_execution_status: 'SUCCEEDED',
    result: { uptime_seconds: 0 },
    history: expect.arrayContaining([expect.objectContaining({ device_execution_status: 'IN_PROGRESS' })]),
  });

  vendor.next((response) => send(response, 404, {}));
  expect(await platform.outcomeOf(await platform.send({ device_id: 'of-another-tenant' }))).toMatchObject({
    status: 'REJECTED',
    device_execution_status: 'NOT_STARTED',
    status_reason: { code: 'UNKNOWN_DEVICE' },
  });

  const last = await platform.send({});
  await begun(last);
  const stopped = stop();
  await vendor.end(last, { state: 'failed', error: { code: 'JAM', message: 'The door is stuck.' } });
  await stopped;
  expect(await platform.outcomeOf(last)).toMatchObject({ status: 'FAILED', status_reason: { code: 'JAM' } });
});
