import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { createTenant, platform, signedRequest, type TestTenant } from '@tenant-open-platform/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { completed, completedOnceDispatched, newCommand } from '../../test/support/commands.js';
import { newPrincipal } from '../../test/support/new-principal.js';
import { openPool } from '../../test/support/open-pool.js';
import { everySlot } from '../../test/support/owned-slots.js';
import { startTenantAdapter } from '../../test/support/start-tenant-adapter.js';
import { unique } from '../../test/support/unique.js';
import { storeCommandReads } from './adapter-reads.js';

const soon = { timeout: 50_000, interval: 200 };
const VENDORS = '/api/v1/platform/catalog/vendors';

const put = (target: string, body: object) => signedRequest(platform().admin, 'PUT', target, { body });

async function newVendor(): Promise<string> {
  const vendor = unique('pumps');
  await put(`${VENDORS}/${vendor}`, { enabled: true });
  await put(`${VENDORS}/${vendor}/command-types/reboot`, { description: 'Restarts.', payload_schema: {} });
  return vendor;
}

type Vendor = { vendor: string; last_read_at: string | null };

async function lastRead({ operator }: TestTenant, vendor: string) {
  const ofTenant = await signedRequest(operator, 'GET', '/api/v1/open/catalog');
  const ofPlatform = await signedRequest(platform().admin, 'GET', `${VENDORS}?limit=500`);
  return [ofTenant.body.vendors, ofPlatform.body.items].map(
    (vendors: Vendor[]) => vendors.find((entry) => entry.vendor === vendor)?.last_read_at,
  );
}

test('an adapter that waits for commands shows in the catalog of its tenant alone, before it has read any', async () => {
  const [tenant, other] = [await createTenant(), await createTenant()];
  const vendor = await newVendor();
  expect(await lastRead(tenant, vendor)).toEqual([null, null]);
  const target = `/api/v1/platform/tenants/${tenant.tenant_id}/bus/principals`;
  expect((await signedRequest(tenant.admin, 'POST', target, { body: newPrincipal() })).status).toBe(201);
  const nats = await connect({ servers: platform().natsUrl as string });
  const adapter = startTenantAdapter(jetstream(nats), tenant.tenant_id, vendor);
  onTestFinished(async () => {
    await adapter.stop();
    await nats.close();
  });
  const instant = expect.stringMatching(/Z$/);
  await vi.waitFor(async () => expect(await lastRead(tenant, vendor)).toEqual([instant, instant]), soon);
  expect(await lastRead(other, vendor)).toEqual([null, instant]);

  const served = await newCommand(tenant.operator, { vendor, timeout_seconds: 300 });
  const unserved = () => newCommand(other.operator, { vendor, timeout_seconds: 10 });
  expect(await completed(tenant.reader, served)).toMatchObject({ status: 'SUCCEEDED', status_reason: null });
  const ended = await completedOnceDispatched(other.reader, unserved);
  expect(ended).toMatchObject({ status_reason: { code: 'NO_ADAPTER' } });
});

test('an adapter of tenant platform shows for every tenant; an instant is written once a minute, and one ahead is corrected', async () => {
  const tenant = await createTenant();
  const vendor = await newVendor();
  const database = openPool();
  onTestFinished(() => database.close());
  const at = (seconds: number) => new Date(Date.now() + seconds * 1_000);
  const store = (readAt: Date | null) => {
    const reads = new Map([[`${PLATFORM_TENANT_ID}+${vendor}`, readAt]]);
    return storeCommandReads(everySlot(database).transaction, { commandReads: async () => reads });
  };
  const shows = async (readAt: Date | null) =>
    expect(await lastRead(tenant, vendor)).toEqual(Array(2).fill(readAt?.toISOString() ?? null));
  const [first, soonAfter, later, ahead, now] = [at(-600), at(-590), at(-300), at(3_600), at(0)];
  await store(null);
  await shows(null);
  for (const [readAt, shown] of [
    [first, first],
    [soonAfter, first],
    [later, later],
    [first, later],
    [null, later],
    [ahead, ahead],
    [now, now],
  ] as const) {
    // Skips rows that a node of the platform has locked at that moment.
    await vi.waitFor(async () => {
      await store(readAt);
      await shows(shown);
    }, soon);
  }
});
