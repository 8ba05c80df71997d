import { randomUUID } from 'node:crypto';
import { createTenant, nextMillisecond, platform, signedRequest } from '@tenant-open-platform/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { onBothNodes } from '../../../test/support/on-both-nodes.js';

const VENDORS = '/api/v1/platform/catalog/vendors';

const { admin } = platform();

/** A separate vendor for each test. */
let vendor: string;

const tenant = await createTenant();

beforeEach(async () => {
  vendor = `vendor-${randomUUID()}`;
  await putVendor(true);
});

const putVendor = (enabled: boolean) => signedRequest(admin, 'PUT', `${VENDORS}/${vendor}`, { body: { enabled } });

const put = (commandType: string, body: unknown, node?: string) =>
  signedRequest(admin, 'PUT', `${VENDORS}/${vendor}/command-types/${commandType}`, { body, ...(node && { node }) });

const list = (query = '', of = vendor) => signedRequest(admin, 'GET', `${VENDORS}/${of}/command-types${query}`);

const send = (command_type: string, payload: unknown = {}) =>
  signedRequest(tenant.operator, 'POST', '/api/v1/open/downlink/commands', {
    body: { vendor, device_id: 'device-1', command_type, payload, idempotency_key: randomUUID() },
  });

const namesOf = (items: { command_type: string }[]) => items.map(({ command_type }) => command_type);

/** A new command type whose payloads must have the property `a`. */
const newType = {
  description: 'Of a test.',
  payload_schema: { required: ['a'], properties: { a: { type: 'string' } } },
};

test('a new command type is enabled, and its schema revision is 1', async () => {
  const added = await put('reboot', newType);
  expect([added.status, added.body]).toEqual([
    200,
    {
      vendor,
      command_type: 'reboot',
      enabled: true,
      ...newType,
      revision: 1,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: added.body.created_at,
      request_id: added.headers['x-request-id'],
    },
  ]);
  expect((await put('silent', { ...newType, enabled: false })).body.enabled).toBe(false);
  expect((await send('silent', { a: 'a' })).body.code).toBe('COMMAND_TYPE_UNKNOWN');
});

test('PUT merges', async () => {
  const { body: added } = await put('reboot', newType);
  const changes = [
    { enabled: false },
    { description: 'Other.' },
    { payload_schema: { type: 'object' } },
    { enabled: true },
  ];
  let expected = added;
  for (const change of changes) {
    await nextMillisecond();
    expected = { ...expected, ...change, revision: expected.revision + Number('payload_schema' in change) };
    const { status, body } = await put('reboot', change);
    expect([status, body]).toEqual([200, { ...expected, updated_at: body.updated_at, request_id: body.request_id }]);
    expect(body.updated_at > added.updated_at).toBe(true);
    expect((await list()).body.items).toEqual([{ ...body, request_id: expect.any(String) }]);
  }
});

test.each([
  {},
  { enabled: null },
  { description: null },
  { description: '' },
  { description: 'a\nb' },
  { payload_schema: null },
  { payload_schema: true },
  { payload_schema: [] },
  { payload_schema: '{}' },
  { revision: 5 },
])('the body %j is refused, also for an existing command type', async (change) => {
  const { body: added } = await put('reboot', newType);
  for (const commandType of ['reboot', 'other']) {
    const { status, body } = await put(commandType, change);
    expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
  }
  expect((await list()).body.items).toEqual([{ ...added, request_id: expect.any(String) }]);
});

test.each([
  [{ enabled: true }, ['body/description', 'body/payload_schema']],
  [{ description: 'A new one.' }, ['body/payload_schema']],
  [{ payload_schema: {} }, ['body/description']],
])('a new command type of %j lacks %j', async (fields, locations) => {
  const { status, body } = await put('reboot', fields);
  expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
  const message = 'is required for a new command type';
  expect(body.details).toEqual(locations.map((location) => ({ location, code: 'REQUIRED', message })));
  for (const location of locations) expect(body.message).toContain(`${location} ${message}`);
  expect((await list()).body.items).toEqual([]);
});

describe('the revision', () => {
  test('stays the same if only the order of the schema changes', async () => {
    const { body: added } = await put('reboot', newType);
    const reordered = Buffer.from(
      '{"payload_schema":{"properties":{"a":{"type":"string"}},"required":["\\u0061"]},"description":"Other."}',
    );
    await nextMillisecond();
    const { body } = await put('reboot', reordered);
    expect(body).toMatchObject({ description: 'Other.', payload_schema: newType.payload_schema, revision: 1 });
    expect(body.updated_at > added.updated_at).toBe(true);
  });

  test('increases if the order is significant, and with every change back and forth', async () => {
    const schema = { enum: [{ a: 1 }, { a: 2 }] };
    const revisions: number[] = [];
    for (const payload_schema of [schema, schema, { enum: [...schema.enum].reverse() }, schema, {}]) {
      revisions.push((await put('reboot', { description: 'a', payload_schema })).body.revision);
    }
    expect(revisions).toEqual([1, 1, 2, 3, 4]);
  });

  test('counts every one of 50 concurrent schemas', async () => {
    await put('reboot', newType);
    const answers = await onBothNodes(50, (node, index) =>
      put('reboot', { payload_schema: { minProperties: index + 1 } }, node),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const revisions = answers.map(({ body }) => body.revision).sort((a, b) => a - b);
    expect(revisions).toEqual(Array.from({ length: 50 }, (_, index) => index + 2));
    const last = answers.find(({ body }) => body.revision === 51)?.body;
    const { body } = await list();
    expect(body.items).toEqual([{ ...last, request_id: body.request_id }]);
  });

  test('counts concurrent schemas of a new command type', async () => {
    const answers = await onBothNodes(20, (node, index) =>
      put('reboot', { description: 'a', payload_schema: { minProperties: index } }, node),
    );
    const revisions = answers.map(({ body }) => body.revision).sort((a, b) => a - b);
    expect(revisions).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  });

  test('is not lost in a concurrent change of another field', async () => {
    await put('reboot', newType);
    const answers = await onBothNodes(40, (node, index) =>
      put('reboot', index % 4 < 2 ? { description: `${index}` } : { payload_schema: { minProperties: index } }, node),
    );
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect((await list()).body.items[0].revision).toBe(21);
  });
});

test('a schema applies from the next command on', async () => {
  expect((await send('reboot', { a: 'a' })).body.code).toBe('COMMAND_TYPE_UNKNOWN');
  await put('reboot', newType);
  expect((await send('reboot', { a: 'a' })).status).toBe(202);
  const refused = await send('reboot', { a: 1 });
  expect([refused.status, refused.body.code]).toEqual([422, 'COMMAND_PAYLOAD_INVALID']);
  expect(refused.body.details).toEqual([
    { location: 'body/payload/a', code: 'TYPE', message: 'must be of type string' },
  ]);

  await put('reboot', { payload_schema: { properties: { a: { type: 'number' } } } });
  expect((await send('reboot', { a: 1 })).status).toBe(202);
  expect((await send('reboot', { a: 'a' })).body.code).toBe('COMMAND_PAYLOAD_INVALID');
});

test('tenants read the stored command type in their catalog while it is enabled', async () => {
  const read = async () => {
    const { body } = await signedRequest(tenant.reader, 'GET', '/api/v1/open/catalog');
    return body.vendors.find((entry: { vendor: string }) => entry.vendor === vendor);
  };
  await put('silent', { ...newType, enabled: false });
  expect(await read()).toEqual({ vendor, last_read_at: null, command_types: [] });
  await put('reboot', newType);
  expect(await read()).toEqual({
    vendor,
    last_read_at: null,
    command_types: [{ command_type: 'reboot', ...newType }],
  });
  await putVendor(false);
  expect(await read()).toBeUndefined();
});

test('the command types of a disabled vendor can still be changed and listed', async () => {
  await putVendor(false);
  expect((await put('reboot', newType)).status).toBe(200);
  expect(namesOf((await list()).body.items)).toEqual(['reboot']);
});

test('an unknown vendor has no command types, and cannot get any', async () => {
  const headers = { 'X-Request-Id': randomUUID() };
  const put = (missing: string, commandType = 'reboot') =>
    signedRequest(admin, 'PUT', `${VENDORS}/${missing}/command-types/${commandType}`, { body: newType, headers });
  const missing = await put('vendor-missing');
  expect([missing.status, missing.body.code]).toEqual([404, 'NOT_FOUND']);
  expect((await put('x~')).raw).toBe(missing.raw);
  expect((await put(vendor, 'x~')).raw).toBe(missing.raw);
  for (const name of ['vendor-missing', 'x~']) {
    const { status, body } = await list('', name);
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
  }
});

test('the list shows one vendor, newest first, and refuses a cursor of another vendor', async () => {
  const names = ['a', 'Z', '0', 'b.c', '_'];
  for (const name of names) {
    await put(name, newType);
    await nextMillisecond();
  }
  const newestFirst = [...names].reverse();
  const whole = await list();
  expect([namesOf(whole.body.items), whole.body.next_cursor]).toEqual([newestFirst, null]);

  const paged: string[] = [];
  let page = await list('?limit=2');
  const { next_cursor: first } = page.body;
  for (;;) {
    paged.push(...namesOf(page.body.items));
    if (page.body.next_cursor === null) break;
    page = await list(`?limit=2&cursor=${page.body.next_cursor}`);
  }
  expect(paged).toEqual(newestFirst);
  expect(namesOf((await list('?limit=5')).body.items)).toHaveLength(5);
  expect((await list('?limit=5')).body.next_cursor).toBeNull();

  const { status, body } = await list(`?cursor=${first}`, 'vendor_a');
  expect([status, body.code]).toEqual([400, 'INVALID_CURSOR']);
});
