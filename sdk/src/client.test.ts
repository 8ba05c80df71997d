import { allOperations } from '@tenant-open-platform/contract';
import { expect, test } from 'vitest';
import { version } from '../package.json';
import { answer, credential, fakeClient } from '../test/fake-fetch.js';
import { explain, sign } from './sign.js';

type Body = { safeParse(body: unknown): { success: boolean } };

const pathValues: Record<string, string> = {
  tenant_id: 'acme',
  client_id: 'acme-backend',
  role: 'tenant_admin',
  policy_id: '019bd3a4-5c4e-7b11-8a40-6f0e5d4c3b2a',
  principal_id: '019bd3a4-5c4e-7d22-9b51-7a1b2c3d4e5f',
  parked_message_id: '019bd3a4-5c4e-7f01-8a42-3c4d5e6f7081',
  vendor: 'vendor_a',
  command_type: 'reboot',
  command_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
  credential_id: '019bd3a4-5c4e-7f44-8d73-9c3d4e5f6071',
  resource_id: '019bd3a4-5c4e-7a55-9e84-ad4e5f607182',
  endpoint_id: '019bd3a4-5c4e-7c77-8aa6-cf6071829304',
  subscription_id: '019bd3a4-5c4e-7d88-9bb7-d07182930415',
  request_id: '019bd3a4-5c4e-7e99-8cc8-e18293a4b5c6',
};

test.each(allOperations)('$name has a method that sends the request of the contract', async ({ name, route }) => {
  const { client, fetch } = fakeClient([
    answer(
      200,
      name === 'credentials.list' ? [] : { items: [{ idempotency_key: 'k' }], next_cursor: null, counts: {} },
    ),
  ]);
  const [resource = '', verb = ''] = name.split('.');
  const resources = client as unknown as Record<string, Record<string, unknown> | undefined>;
  expect(resources[resource], `sdk/src/client.ts has no ${resource}`).toBeDefined();
  const isThere = typeof resources[resource]?.[verb] === 'function';
  expect(isThere, `sdk/src/resources.gen.ts has no ${name}: run pnpm golden`).toBe(true);
  const parameters = [...route.path.matchAll(/:(\w+)/g)].map(([, parameter = '']) => pathValues[parameter]);
  // An optional body has no fields.
  const takesBody = 'body' in route && !(route.body as Body).safeParse(undefined).success;
  const isMany = name === 'commands.createMany';
  const one = { some: 'field', idempotency_key: 'k' };
  const body = isMany ? { batch_id: 'b', commands: [one] } : one;
  const given = isMany ? [[one], { batchId: 'b' }] : [one];
  // biome-ignore lint/suspicious/noExplicitAny: the operation is only known by its name here.
  await (client as any)[resource][verb](...parameters, ...(takesBody ? given : []));

  const target = route.path.replace(/:(\w+)/g, (_, parameter: string) => pathValues[parameter] ?? '');
  expect(fetch.sent).toHaveLength(1);
  expect(fetch.sent[0]).toMatchObject({ method: route.method, url: `https://platform.test${target}` });
  expect(fetch.sent[0]?.body).toEqual(takesBody ? body : undefined);
});

test('a test of a consumer can replace a method, and stack traces name it', async () => {
  const { client } = fakeClient([]);
  expect(client.tenants.get.name).toBe('get');
  const tenant = { tenant_id: 'acme' };
  for (const resource of [client.tenants, client.commands]) Object.assign(resource, { get: () => tenant });
  expect([await client.tenants.get('acme'), await client.commands.get('c1')]).toEqual([tenant, tenant]);
});

/** The methods of the class, and of the class that it may extend. */
function methodsOf(prototype: object): string[] {
  if (prototype === Object.prototype) return [];
  const own = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
  return [...own, ...methodsOf(Object.getPrototypeOf(prototype))];
}

test('has no method outside the contract, except for waiting, following and transfers', () => {
  const { client } = fakeClient([]);
  const names = Object.entries(client).flatMap(([resource, value]) =>
    typeof value === 'object' ? methodsOf(Object.getPrototypeOf(value)).map((verb) => `${resource}.${verb}`) : [],
  );
  const conveniences = [
    ...['commands.wait', 'commands.createAndWait', 'commands.outcomes', 'objects.upload', 'objects.download'],
    ...['events.follow', 'deviceRequests.follow'],
  ];
  expect([...new Set(names)].sort()).toEqual([...allOperations.map(({ name }) => name), ...conveniences].sort());
});

test('signs exactly the bytes that it sends', async () => {
  const { client, fetch } = fakeClient([answer(201, {})]);
  await client.tenants.create({ tenant_id: 'acme', name: 'Küche' }, { requestId: 'my-id', idempotencyKey: 'my-key' });
  const { headers } = fetch.sent[0] ?? {};
  const { headers: signature } = await explain({
    ...credential,
    method: 'POST',
    target: '/api/v1/platform/tenants',
    body: '{"tenant_id":"acme","name":"Küche"}',
    timestamp: headers?.['X-Api-Timestamp'],
    nonce: headers?.['X-Api-Nonce'],
  });
  expect(headers).toEqual({
    ...signature,
    Accept: 'application/json',
    'Content-Type': 'application/json',
    'User-Agent': `tenant-open-platform-sdk/${version}`,
    'X-Request-Id': 'my-id',
    'Idempotency-Key': 'my-key',
  });
});

test('does not sign the path prefix of the base URL', async () => {
  const { client, fetch } = fakeClient([answer(200, {})], { baseUrl: 'https://gateway.test/iot/' });
  await client.me.get();
  const { url, headers } = fetch.sent[0] ?? {};
  expect(url).toBe('https://gateway.test/iot/api/v1/open/me');
  const request = { ...credential, method: 'GET', target: '/api/v1/open/me', timestamp: headers?.['X-Api-Timestamp'] };
  expect(headers).toMatchObject(await sign({ ...request, nonce: headers?.['X-Api-Nonce'] }));
});

test('encodes query values in the only spelling of the grammar', async () => {
  const { client, fetch } = fakeClient([answer(200, { items: [], next_cursor: null })]);
  await client.commands.list({ device_id: "a b+c'(d)é/*!", accepted_after: '2026-01-31T09:30:00+02:00', limit: 5 });
  const query = 'device_id=a%20b%2Bc%27%28d%29%C3%A9%2F%2A%21&accepted_after=2026-01-31T09%3A30%3A00%2B02%3A00&limit=5';
  expect(fetch.sent[0]?.url).toBe(`https://platform.test/api/v1/open/downlink/commands?${query}`);
  expect(new URL(fetch.sent[0]?.url ?? '').search).toBe(`?${query}`);
});

test.each(['', '.', '..', 'a/b', 'a?b', 'a%2Fb', 'é'])('sends nothing for the id %j', async (id) => {
  const { client, fetch } = fakeClient([]);
  await expect(client.commands.get(id)).rejects.toMatchObject({
    name: 'InvalidArgumentError',
    message: expect.stringContaining('command_id'),
  });
  expect(fetch.sent).toEqual([]);
});

test.each([{ device_id: '' }, { device_id: '\ud800' }, { device_id: 'a\0' }])(
  'sends nothing for the filter %j, which no target can carry',
  async (query) => {
    const { client, fetch } = fakeClient([]);
    await expect(client.commands.list(query)).rejects.toMatchObject({ name: 'InvalidArgumentError' });
    expect(fetch.sent).toEqual([]);
  },
);

test.each([{ requestId: 'a b' }, { timeoutMs: 0 }, { deadlineMs: Number.POSITIVE_INFINITY }, { maxRetries: -1 }])(
  'sends nothing with the option %j',
  async (options) => {
    const { client, fetch } = fakeClient([]);
    await expect(client.me.get(options)).rejects.toMatchObject({ name: 'InvalidArgumentError' });
    expect(fetch.sent).toEqual([]);
  },
);

test('withResponse returns the result with status, headers and request id', async () => {
  const reply = answer(202, { command_id: 'c' }, { 'X-Request-Id': 'r9', 'Idempotent-Replayed': 'true' });
  const { client } = fakeClient([reply]);
  const body = { vendor: 'v', device_id: 'd', command_type: 't', payload: {} };
  const { data, status, requestId, headers } = await client.commands.create(body).withResponse();
  expect({ data, status, requestId }).toEqual({
    data: { command_id: 'c', request_id: 'r1' },
    status: 202,
    requestId: 'r9',
  });
  expect(headers.get('idempotent-replayed')).toBe('true');
});

test('a failure is handled once, also through withResponse', async () => {
  const { client } = fakeClient([]);
  await expect(client.me.get({ requestId: '' }).withResponse()).rejects.toMatchObject({ name: 'InvalidArgumentError' });
});

test('an unknown value of an enum is passed on', async () => {
  const { client } = fakeClient([answer(200, { status: 'PAUSED', future_field: 1 })]);
  expect(await client.commands.get('c1')).toEqual({ request_id: 'r1', status: 'PAUSED', future_field: 1 });
});
