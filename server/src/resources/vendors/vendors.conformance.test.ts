import { randomUUID } from 'node:crypto';
import { createTenant, nextMillisecond, platform, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';

const VENDORS = '/api/v1/platform/catalog/vendors';

const { admin } = platform();

const put = (vendor: string, body: unknown) => signedRequest(admin, 'PUT', `${VENDORS}/${vendor}`, { body });
const newVendor = () => `vendor-${randomUUID()}`;

type Item = { vendor: string; enabled: boolean; created_at: string; updated_at: string };

/** Other test files add vendors meanwhile, which come first. */
async function* listed(limit: number): AsyncGenerator<Item> {
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: string = `limit=${limit}${cursor && `&cursor=${cursor}`}`;
    const { body } = await signedRequest(admin, 'GET', `${VENDORS}?${query}`);
    expect(body.items.length).toBeLessThanOrEqual(limit);
    for (const { request_id, ...item } of body.items) {
      expect(request_id).toBe(body.request_id);
      yield item;
    }
    cursor = body.next_cursor;
  }
}

async function find(vendor: string): Promise<Item | null> {
  for await (const item of listed(500)) if (item.vendor === vendor) return item;
  return null;
}

test('a vendor is added, disabled and enabled, each time with the same answer as in the list', async () => {
  const vendor = newVendor();
  const added = await put(vendor, { enabled: true });
  expect([added.status, added.body]).toEqual([
    200,
    {
      vendor,
      enabled: true,
      last_read_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: added.body.created_at,
      request_id: added.headers['x-request-id'],
    },
  ]);
  for (const enabled of [false, false, true]) {
    await nextMillisecond();
    const { status, body } = await put(vendor, { enabled });
    expect([status, body]).toEqual([
      200,
      { ...added.body, enabled, updated_at: body.updated_at, request_id: body.request_id },
    ]);
    expect(body.updated_at > added.body.updated_at).toBe(true);
    const { request_id: _, ...item } = body;
    expect(await find(vendor)).toEqual(item);
  }
});

test('a vendor may be added disabled', async () => {
  const vendor = newVendor();
  expect((await put(vendor, { enabled: false })).body.enabled).toBe(false);
  expect(await find(vendor)).toMatchObject({ enabled: false });
});

test('concurrent additions of the same vendor add it once', async () => {
  const vendor = newVendor();
  const answers = await Promise.all(Array.from({ length: 10 }, () => put(vendor, { enabled: true })));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.created_at}`)).size).toBe(1);
  expect(answers[0]?.status).toBe(200);
});

test('the list is newest first, and pages show every vendor once', async () => {
  const added: string[] = [];
  for (let count = 0; count < 5; count++) {
    const vendor = newVendor();
    await put(vendor, { enabled: count % 2 === 0 });
    await nextMillisecond();
    added.unshift(vendor);
  }
  const items: Item[] = [];
  for await (const item of listed(2)) {
    items.push(item);
    if (item.vendor === added.at(-1)) break;
  }
  const names = items.map(({ vendor }) => vendor);
  expect(names.filter((vendor) => added.includes(vendor))).toEqual(added);
  expect(new Set(names).size).toBe(names.length);
  const times = items.map(({ created_at }) => created_at);
  expect(times).toEqual([...times].sort().reverse());
});

test.each(['A', 'aB', '_a', 'a.b', 'a~b', 'a'.repeat(64)])(
  'the vendor %s is answered 404 like a missing one',
  async (vendor) => {
    const { status, body } = await put(vendor, { enabled: true });
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  },
);

test.each([{}, { enabled: null }, { enabled: 'true' }, { enabled: 1 }, { enabled: true, vendor: 'vendor_a' }])(
  'the body %j is refused',
  async (fields) => {
    const { status, body } = await put(newVendor(), fields);
    expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
  },
);

test('the list has the seeded vendors, and an administrator of a tenant cannot read it', async () => {
  expect(await find('vendor_a')).toMatchObject({ enabled: true });
  const tenant = await createTenant();
  const { status, body } = await signedRequest(tenant.admin, 'GET', VENDORS);
  expect([status, body.metadata.required_scope]).toEqual([403, 'platform:catalog:read']);
});
