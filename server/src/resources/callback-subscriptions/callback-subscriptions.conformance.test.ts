import { randomUUID } from 'node:crypto';
import { type Answer, createTenant, nextMillisecond, type Profile, signedRequest } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { onBothNodes } from '../../../test/support/on-both-nodes.js';

const ENDPOINTS = '/api/v1/open/callbacks/endpoints';

const [tenant, other] = await Promise.all([createTenant(), createTenant()]);

async function createEndpoint(caller: Profile = tenant.admin): Promise<string> {
  const body = { name: 'Order system', url: 'https://hooks.acme.example/top', status: 'DISABLED' };
  return (await signedRequest(caller, 'POST', ENDPOINTS, { body })).body.endpoint_id;
}

type Options = { caller?: Profile; node?: string; headers?: Record<string, string> };

const ask = (method: string, path: string, body?: object, { caller = tenant.admin, ...options }: Options = {}) =>
  signedRequest(caller, method, `${ENDPOINTS}/${path}`, { ...(body && { body }), ...options });
const subscribe = (endpoint: string, event_type: string, options?: Options) =>
  ask('POST', `${endpoint}/subscriptions`, { event_type }, options);
const list = (endpoint: string, query = '', options?: Options) =>
  ask('GET', `${endpoint}/subscriptions${query}`, undefined, options);
const remove = (endpoint: string, subscription: string, options?: Options) =>
  ask('DELETE', `${endpoint}/subscriptions/${subscription}`, undefined, options);

/** The fields that may differ between two answers to the same X-Request-Id. */
const bytesOf = ({ status, headers: { date: _, ...headers }, raw }: Answer) => ({ status, headers, raw });

test('is created, listed newest first page by page, deleted, and can be created again', async () => {
  const endpoint = await createEndpoint();
  const accepted = await subscribe(endpoint, 'command.accepted');
  expect([accepted.status, accepted.body]).toEqual([
    201,
    {
      subscription_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      endpoint_id: endpoint,
      event_type: 'command.accepted',
      status: 'ACTIVE',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      request_id: accepted.headers['x-request-id'],
    },
  ]);
  await nextMillisecond();
  const completed = await ask('POST', `${endpoint}/subscriptions`, {
    event_type: 'command.completed',
    status: 'DISABLED',
  });
  expect(completed.body.status).toBe('DISABLED');

  const whole = await list(endpoint);
  expect([whole.status, whole.body]).toEqual([
    200,
    {
      items: [completed, accepted].map(({ body }) => ({ ...body, request_id: whole.body.request_id })),
      next_cursor: null,
      request_id: whole.headers['x-request-id'],
    },
  ]);
  const first = await list(endpoint, '?limit=1');
  const second = await list(endpoint, `?limit=1&cursor=${first.body.next_cursor}`);
  expect([...first.body.items, ...second.body.items].map(({ event_type }) => event_type)).toEqual([
    'command.completed',
    'command.accepted',
  ]);
  expect(second.body.next_cursor).toBeNull();

  const { subscription_id } = accepted.body;
  const deleted = await remove(endpoint, subscription_id);
  expect([deleted.status, deleted.body]).toEqual([
    200,
    { subscription_id, deleted: true, request_id: deleted.headers['x-request-id'] },
  ]);
  expect((await list(endpoint)).body.items).toHaveLength(1);
  expectRefusal(await remove(endpoint, subscription_id), 'NOT_FOUND');
  const again = await subscribe(endpoint, 'command.accepted');
  expect(again.status).toBe(201);
  expect(again.body.subscription_id).not.toBe(subscription_id);
});

test('a cursor is valid for one endpoint only', async () => {
  const [one, another] = [await createEndpoint(), await createEndpoint()];
  for (const endpoint of [one, another]) {
    for (const type of ['command.accepted', 'command.completed']) await subscribe(endpoint, type);
  }
  const { next_cursor } = (await list(one, '?limit=1')).body;
  expectRefusal(await list(another, `?limit=1&cursor=${next_cursor}`), 'INVALID_CURSOR');
  expect((await list(one.toUpperCase(), `?limit=1&cursor=${next_cursor}`)).status).toBe(200);
});

test.each([
  'command.succeeded',
  'command.failed',
  'command.timed_out',
  'command.delivered',
  'command.accepted,command.completed',
  'command.*',
  'command',
  '*',
  'COMMAND.COMPLETED',
  'Command.completed',
  'command.completed.',
  'constructor',
])('refuses the event type %s', async (event_type) => {
  const endpoint = await createEndpoint();
  const refused = await subscribe(endpoint, event_type);
  expectRefusal(refused, 'EVENT_TYPE_NOT_SUBSCRIBABLE');
  expect(refused.body.details).toEqual([
    {
      location: 'body/event_type',
      code: 'EVENT_TYPE_NOT_SUBSCRIBABLE',
      message: 'must be command.accepted or command.completed',
    },
  ]);
  expect((await list(endpoint)).body.items).toEqual([]);
});

test.each([{}, { event_type: '' }, { event_type: null }, { event_type: ['command.accepted'] }, { event_type: 'a b' }])(
  'the subscription %j is refused',
  async (body) => {
    expectRefusal(await ask('POST', `${await createEndpoint()}/subscriptions`, body), 'VALIDATION_FAILED');
  },
);

test('of 30 concurrent subscriptions to the same event type one is created, and one for each of two endpoints', async () => {
  const [one, another] = [await createEndpoint(), await createEndpoint()];
  const answers = await onBothNodes(30, (node) => subscribe(one, 'command.completed', { node }));
  const codes = answers.map(({ status, body }) => body.code ?? status).sort();
  expect(codes).toEqual([201, ...Array(29).fill('SUBSCRIPTION_ALREADY_EXISTS')]);
  expect((await list(one)).body.items).toHaveLength(1);
  expect((await subscribe(another, 'command.completed')).status).toBe(201);
});

test('of 10 concurrent deletions one succeeds', async () => {
  const endpoint = await createEndpoint();
  const { subscription_id } = (await subscribe(endpoint, 'command.completed')).body;
  const answers = await onBothNodes(10, (node) => remove(endpoint, subscription_id, { node }));
  const codes = answers.map(({ status, body }) => body.code ?? status).sort();
  expect(codes).toEqual([200, ...Array(9).fill('NOT_FOUND')]);
});

test('answers a foreign, missing, malformed or wrongly nested id in the same way, and changes nothing', async () => {
  const [own, sibling] = [await createEndpoint(), await createEndpoint()];
  const foreign = await createEndpoint(other.admin);
  const ofOwn = (await subscribe(own, 'command.completed')).body.subscription_id;
  const ofForeign = (await subscribe(foreign, 'command.completed', { caller: other.admin })).body.subscription_id;
  const options = { headers: { 'X-Request-Id': randomUUID() } };

  const missing = await remove(randomUUID(), randomUUID(), options);
  expectRefusal(missing, 'NOT_FOUND');
  const answers = [
    await remove(sibling, ofOwn, options),
    await remove(own, ofForeign, options),
    await remove(foreign, ofForeign, options),
    await remove(foreign, ofOwn, options),
    await remove(own, randomUUID(), options),
    await remove(own, 'x', options),
    await remove('x', ofOwn, options),
    ...(await Promise.all(
      [foreign, randomUUID(), 'x'].flatMap((endpoint) => [
        list(endpoint, '', options),
        list(endpoint, '?cursor=x', options),
        subscribe(endpoint, 'command.accepted', options),
        subscribe(endpoint, 'command.succeeded', options),
        ask('GET', endpoint, undefined, options),
        ask('PUT', endpoint, { name: 'Mine' }, options),
      ]),
    )),
  ];
  for (const answer of answers) expect(bytesOf(answer)).toEqual(bytesOf(missing));
  expect((await list(own)).body.items).toHaveLength(1);
  expect((await list(foreign, '', { caller: other.admin })).body.items).toHaveLength(1);
});

test('creation and deletion are in the log of the tenant', async () => {
  const { admin, tenant_id } = await createTenant();
  const endpoint = await createEndpoint(admin);
  const { subscription_id } = (await subscribe(endpoint, 'command.completed', { caller: admin })).body;
  await subscribe(endpoint, 'command.completed', { caller: admin });
  await remove(endpoint, subscription_id, { caller: admin });
  const log = await signedRequest(admin, 'GET', `/api/v1/platform/tenants/${tenant_id}/audit-events`);
  const target = `open/callbacks/endpoints/${endpoint}/subscriptions/${subscription_id}`;
  expect(log.body.items.slice(0, 2)).toMatchObject([
    { operation: 'callbackSubscriptions.delete', target, changes: [] },
    { operation: 'callbackSubscriptions.create', target, changes: ['event_type'] },
  ]);
});
