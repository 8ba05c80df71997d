import { randomUUID } from 'node:crypto';
import { createTenant, type Profile, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { onBothNodes } from '../../../test/support/on-both-nodes.js';

const ENDPOINTS = '/api/v1/open/callbacks/endpoints';
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;
const LIMIT = 50;

const [tenant, other] = await Promise.all([createTenant(), createTenant()]);

const create = (fields: object = {}, { caller = tenant.admin, node }: { caller?: Profile; node?: string } = {}) =>
  signedRequest(caller, 'POST', ENDPOINTS, {
    body: { name: 'Order system', url: 'https://hooks.acme.example/top', ...fields },
    ...(node && { node }),
  });
const update = (id: string, body: object, caller = tenant.admin, options: { node?: string } = {}) =>
  signedRequest(caller, 'PUT', `${ENDPOINTS}/${id}`, { body, ...options });
const get = (id: string, caller = tenant.admin) => signedRequest(caller, 'GET', `${ENDPOINTS}/${id}`);
const list = (query = '', caller = tenant.admin) => signedRequest(caller, 'GET', `${ENDPOINTS}${query}`);

test('is created with defaults and a secret, and is read as it was answered, without the secret', async () => {
  const created = await create({ url: 'HTTPS://Hooks.Acme.Example:443' });
  expect([created.status, created.body]).toEqual([
    201,
    {
      endpoint_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      name: 'Order system',
      url: 'https://hooks.acme.example/',
      status: 'ACTIVE',
      timeout_seconds: 15,
      max_attempts: 10,
      secret_version: 1,
      previous_secret_expires_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: created.body.created_at,
      request_id: created.headers['x-request-id'],
      secret: expect.stringMatching(SECRET),
    },
  ]);
  const { secret: _, ...shown } = created.body;
  const read = await get(created.body.endpoint_id);
  expect([read.status, read.body]).toEqual([200, { ...shown, request_id: read.headers['x-request-id'] }]);
  const listed = await list('?limit=1');
  expect([listed.status, listed.body.items]).toEqual([200, [{ ...shown, request_id: listed.body.request_id }]]);
});

test('keeps its fields, and PUT changes only the fields of the body', async () => {
  const given = { name: 'A', status: 'DISABLED', timeout_seconds: 30, max_attempts: 1 };
  const { body } = await create({ ...given, url: 'https://a.acme.example/x?y=1' });
  expect(body).toMatchObject({ ...given, url: 'https://a.acme.example/x?y=1' });
  const changes = [
    { name: 'B' },
    { url: 'https://B.acme.example' },
    { status: 'ACTIVE' },
    { timeout_seconds: 1, max_attempts: 20 },
    { rotate_secret: false },
  ];
  const { secret: _, updated_at: __, request_id: ___, ...expected } = body;
  for (const change of changes) {
    Object.assign(expected, 'rotate_secret' in change ? {} : change);
    if ('url' in change) expected.url = 'https://b.acme.example/';
    const changed = await update(body.endpoint_id, change);
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({ ...expected, updated_at: expect.any(String), request_id: expect.any(String) });
    expect(Date.parse(changed.body.updated_at)).toBeGreaterThanOrEqual(Date.parse(body.created_at));
    const read = await get(body.endpoint_id);
    expect(read.body).toEqual({ ...changed.body, request_id: read.body.request_id });
  }
});

test.each([
  {},
  { name: null },
  { url: null },
  { status: 'DELETED' },
  { timeout_seconds: 0 },
  { timeout_seconds: 31 },
  { timeout_seconds: 1.5 },
  { max_attempts: 0 },
  { max_attempts: 21 },
  { secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDSkAHDm4wYd4=' },
  { secret_version: 2 },
  { previous_secret_ttl_seconds: 60 },
  { rotate_secret: true, previous_secret_ttl_seconds: 604_801 },
  { url: `https://hooks.acme.example/${'a'.repeat(2_022)}` },
])('the change %j is refused', async (change) => {
  const { endpoint_id } = (await create({ status: 'DISABLED' })).body;
  expectRefusal(await update(endpoint_id, change), 'VALIDATION_FAILED');
});

test('refuses a forbidden URL on create and update, gives the reason, and stores nothing', async () => {
  const { endpoint_id, url: stored } = (await create({ status: 'DISABLED' })).body;
  const before = (await list('?limit=500')).body.items.length;
  const refused: Record<string, string> = {
    'http://hooks.acme.example/': 'HTTPS_REQUIRED',
    'https://user:hunter2@hooks.acme.example/': 'USER_NOT_ALLOWED',
    'https://hooks.acme.example/#x': 'FRAGMENT_NOT_ALLOWED',
    'https://hooks.acme.example:0/': 'PORT_NOT_ALLOWED',
    'https://hooks.acme.example\\@127.0.0.1/': 'INVALID_URL',
    'https://0x7f.1/': 'ADDRESS_NOT_PUBLIC',
    'https://[::ffff:169.254.169.254]/latest/meta-data': 'ADDRESS_NOT_PUBLIC',
    'https://１２７。０。０。１/': 'ADDRESS_NOT_PUBLIC',
    'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/': 'HOST_NOT_PUBLIC',
    'https://metadata.google.internal/': 'HOST_NOT_PUBLIC',
    'https://localhost./': 'INVALID_HOST',
    [`https://hooks.acme.example/${'é'.repeat(400)}`]: 'TOO_BIG',
  };
  for (const [url, code] of Object.entries(refused)) {
    for (const answer of [await create({ url }), await update(endpoint_id, { url })]) {
      expectRefusal(answer, 'CALLBACK_URL_NOT_ALLOWED');
      expect(answer.body.details).toEqual([{ location: 'body/url', code, message: expect.any(String) }]);
      expect(answer.raw).not.toContain('hunter2');
    }
  }
  expect((await get(endpoint_id)).body.url).toBe(stored);
  expect((await list('?limit=500')).body.items).toHaveLength(before);
});

test('answers 404 for a missing endpoint, whatever the change', async () => {
  const foreign = (await create({ status: 'DISABLED' }, { caller: other.admin })).body.endpoint_id;
  for (const change of [{ url: 'https://localhost/' }, { name: 'Mine' }, { rotate_secret: true }]) {
    for (const id of [foreign, randomUUID(), 'x']) expectRefusal(await update(id, change), 'NOT_FOUND');
  }
  expect((await get(foreign, other.admin)).body).toMatchObject({ name: 'Order system', secret_version: 1 });
  expect((await list('?limit=500')).raw).not.toContain(foreign);
});

test(`of 100 concurrent creations ${LIMIT} succeed`, async () => {
  const { admin } = await createTenant();
  const answers = await onBothNodes(100, (node) => create({}, { caller: admin, node }));
  const codes = answers.map(({ status, body }) => body.code ?? status).sort();
  expect(codes).toEqual([...Array(LIMIT).fill(201), ...Array(50).fill('RESOURCE_LIMIT_REACHED')]);
  const refused = answers.find(({ status }) => status === 409);
  expect(refused?.body.metadata).toEqual({ resource: 'callback_endpoints', limit: LIMIT });
  const { items } = (await list('?limit=500', admin)).body;
  expect(items.map(({ status }: { status: string }) => status)).toEqual(Array(LIMIT).fill('ACTIVE'));
});

test('the limit counts DISABLED endpoints too, because they can become ACTIVE again', async () => {
  const { admin } = await createTenant();
  const disabled = await Promise.all(
    Array.from({ length: LIMIT }, () => create({ status: 'DISABLED' }, { caller: admin })),
  );
  expect(new Set(disabled.map(({ status }) => status))).toEqual(new Set([201]));
  for (const status of ['ACTIVE', 'DISABLED']) {
    expectRefusal(await create({ status }, { caller: admin }), 'RESOURCE_LIMIT_REACHED');
  }
  const updates = disabled.map(({ body }) => update(body.endpoint_id, { status: 'ACTIVE' }, admin));
  expect(new Set((await Promise.all(updates)).map(({ status }) => status))).toEqual(new Set([200]));
});

test('the limit of one tenant does not affect another tenant', async () => {
  const [full, free] = await Promise.all([createTenant(), createTenant()]);
  await Promise.all(Array.from({ length: LIMIT }, () => create({}, { caller: full.admin })));
  expectRefusal(await create({}, { caller: full.admin }), 'RESOURCE_LIMIT_REACHED');
  expect((await create({}, { caller: free.admin })).status).toBe(201);
});

test('every change is in the log of the tenant, with values and without secrets', async () => {
  const { admin, tenant_id } = await createTenant();
  const { endpoint_id, secret } = (await create({ name: 'Canary name' }, { caller: admin })).body;
  const rotated = await update(endpoint_id, { rotate_secret: true, previous_secret_ttl_seconds: 60 }, admin);
  expectRefusal(await update(endpoint_id, { url: 'https://localhost/' }, admin), 'CALLBACK_URL_NOT_ALLOWED');
  const log = await signedRequest(admin, 'GET', `/api/v1/platform/tenants/${tenant_id}/audit-events`);
  const ours = log.body.items.filter(({ operation }: { operation: string }) => operation.startsWith('callback'));
  const target = `open/callbacks/endpoints/${endpoint_id}`;
  expect(ours).toMatchObject([
    { operation: 'callbackEndpoints.update', target, changes: ['rotate_secret', 'previous_secret_ttl_seconds'] },
    { operation: 'callbackEndpoints.create', target, changes: ['name', 'url'] },
  ]);
  expect(log.raw).toContain('Canary name');
  for (const value of [secret, rotated.body.secret]) expect(log.raw).not.toContain(value);
});

test('the log shows that the query of a URL was changed, and never its value', async () => {
  const { admin, tenant_id } = await createTenant();
  const url = 'https://hooks.acme.example/top';
  const { endpoint_id } = (await create({ url: `${url}?token=CANARY1` }, { caller: admin })).body;
  expect((await update(endpoint_id, { url: `${url}?token=CANARY2` }, admin)).body.url).toBe(`${url}?token=CANARY2`);
  for (const body of [{ name: 'New name' }, { url }, { url: `${url}?token=CANARY3` }]) {
    expect((await update(endpoint_id, body, admin)).status).toBe(200);
  }
  expect((await signedRequest(admin, 'DELETE', `${ENDPOINTS}/${endpoint_id}`)).status).toBe(200);
  const log = await signedRequest(admin, 'GET', `/api/v1/platform/tenants/${tenant_id}/audit-events`);
  expect(log.raw).not.toContain('CANARY');
  const ours = log.body.items.filter(({ operation }: { operation: string }) => operation.startsWith('callback'));
  expect(ours.map(({ before, after }: { before: object; after: object }) => [before, after])).toEqual([
    [expect.objectContaining({ url: `${url}?…` }), null],
    [{ url }, { url: `${url}?…`, url_query: 'set' }],
    [{ url: `${url}?…` }, { url, url_query: 'removed' }],
    [{ name: 'Order system' }, { name: 'New name' }],
    [{}, { url_query: 'rotated' }],
    [null, expect.objectContaining({ url: `${url}?…` })],
  ]);
});
