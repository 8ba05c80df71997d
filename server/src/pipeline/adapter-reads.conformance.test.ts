import { createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { expect, test, vi } from 'vitest';
import { completedOnceDispatched, newCommand } from '../../test/support/commands.js';
import { unique } from '../../test/support/unique.js';

const soon = { timeout: 50_000, interval: 200 };
const VENDORS = '/api/v1/platform/catalog/vendors';

type Vendor = { vendor: string; last_read_at: string | null };

async function newVendor(prefix: string): Promise<string> {
  const vendor = unique(prefix);
  for (const [target, body] of [
    [`${VENDORS}/${vendor}`, { enabled: true }],
    [`${VENDORS}/${vendor}/command-types/reboot`, { description: 'Restarts.', payload_schema: {} }],
  ] as const) {
    expect((await signedRequest(platform().admin, 'PUT', target, { body })).status).toBe(200);
  }
  return vendor;
}

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

test('a vendor whose devices are simulated counts as read, and any other one does not until an adapter reads', async () => {
  const tenant = await createTenant();
  const [simulated, own] = [await newVendor('simulated'), await newVendor('pumps')];
  const readAt = async () => {
    const { body } = await signedRequest(tenant.operator, 'GET', '/api/v1/open/catalog');
    const ofTenant = (body.vendors as Vendor[]).filter(({ vendor }) => [simulated, own].includes(vendor));
    const { body: all } = await signedRequest(platform().admin, 'GET', `${VENDORS}?limit=500`);
    const ofPlatform = (all.items as Vendor[]).filter(({ vendor }) => [simulated, own].includes(vendor));
    return [ofTenant, ofPlatform].map((vendors) =>
      Object.fromEntries(vendors.map(({ vendor, last_read_at }) => [vendor, last_read_at])),
    );
  };
  const expected = { [simulated]: instant, [own]: null };
  await vi.waitFor(async () => expect(await readAt()).toEqual([expected, expected]), soon);
});

test('a command of a vendor that nobody serves says so, and one of a silent device does not', async () => {
  const { operator, reader } = await createTenant();
  const vendor = await newVendor('pumps');
  const fields = { device_id: 'offline-1', timeout_seconds: 10 };
  const [unread, silent] = await Promise.all(
    [{ ...fields, vendor }, fields].map((some) => completedOnceDispatched(reader, () => newCommand(operator, some))),
  );
  expect(unread).toMatchObject({
    status: 'TIMED_OUT',
    public_status: 'UNKNOWN',
    status_reason: { code: 'NO_ADAPTER', message: `No adapter has ever read commands of ${vendor} for this tenant.` },
  });
  expect(silent).toMatchObject({ status: 'TIMED_OUT', status_reason: { code: 'TIMED_OUT' } });
});
