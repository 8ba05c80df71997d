import { randomUUID } from 'node:crypto';
import { allOperations, type Operation } from '@tenant-open-platform/contract';
import {
  type Answer,
  createCredential,
  createTenant,
  platform,
  signedRequest,
  type TestTenant,
} from '@tenant-open-platform/testing';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { completed, newCommand } from './support/commands.js';
import { createObjectCredential, createObjectResource } from './support/create-object.js';
import { newDeviceRequest } from './support/new-device-request.js';
import { newPrincipal } from './support/new-principal.js';
import { newParkedMessage } from './support/parked-messages.js';

/** A separate tenant for each test. */
const VENDOR = `page-${randomUUID()}`;
const VENDORS = '/api/v1/platform/catalog/vendors';

const tenantPath = (tenant: TestTenant) => `/api/v1/platform/tenants/${tenant.tenant_id}`;

/** For each list: how to create an item, who reads it, and filters whose values differ from other lists. */
const lists: Record<
  string,
  {
    caller: (tenant: TestTenant) => TestTenant['admin'];
    add: (tenant: TestTenant) => Promise<unknown>;
    filters?: Record<string, string>;
  }
> = {
  'tenants.list': {
    caller: () => platform().admin,
    add: () =>
      signedRequest(platform().admin, 'POST', '/api/v1/platform/tenants', {
        body: { tenant_id: `page-${randomUUID()}`, name: 'Page' },
      }),
    filters: { status: 'ACTIVE' },
  },
  'tenants.export': { caller: () => platform().admin, add: exportable },
  'credentials.list': {
    caller: ({ admin }) => admin,
    add: (tenant) => createCredential(tenant.tenant_id),
    filters: { status: 'ACTIVE' },
  },
  'roles.list': { caller: ({ admin }) => admin, add: async () => {} },
  'roleBindings.list': {
    caller: ({ admin }) => admin,
    add: (tenant) => createCredential(tenant.tenant_id, { role: 'integration_reader' }),
  },
  'busPrincipals.list': {
    caller: ({ admin }) => admin,
    add: (tenant) =>
      signedRequest(tenant.admin, 'POST', `${tenantPath(tenant)}/bus/principals`, { body: newPrincipal() }),
    filters: { status: 'ACTIVE' },
  },
  'policies.list': {
    caller: ({ admin }) => admin,
    add: async (tenant) => {
      const { client_id } = await createCredential(tenant.tenant_id);
      const body = { client_id, scope: 'open:event:read' };
      return signedRequest(tenant.admin, 'POST', `${tenantPath(tenant)}/policies`, { body });
    },
  },
  'access.list': {
    caller: ({ admin }) => admin,
    add: (tenant) => createCredential(tenant.tenant_id, { role: 'integration_reader' }),
  },
  'vendors.list': {
    caller: () => platform().admin,
    add: () => signedRequest(platform().admin, 'PUT', `${VENDORS}/page-${randomUUID()}`, { body: { enabled: false } }),
  },
  'commandTypes.list': {
    caller: () => platform().admin,
    add: async () => {
      await signedRequest(platform().admin, 'PUT', `${VENDORS}/${VENDOR}`, { body: { enabled: false } });
      return signedRequest(platform().admin, 'PUT', `${VENDORS}/${VENDOR}/command-types/${randomUUID()}`, {
        body: { description: 'Does nothing.', payload_schema: { type: 'object' } },
      });
    },
  },
  'auditEvents.list': { caller: ({ admin }) => admin, add: (tenant) => createCredential(tenant.tenant_id) },
  'objectCredentials.list': {
    caller: ({ admin }) => admin,
    add: ({ admin }) => createObjectCredential(admin),
    filters: { status: 'ACTIVE' },
  },
  'objectResources.list': {
    caller: ({ admin }) => admin,
    add: async ({ admin }) => createObjectResource(admin, await createObjectCredential(admin)),
    filters: { status: 'ACTIVE' },
  },
  'commands.list': {
    caller: ({ reader }) => reader,
    add: async ({ operator, reader }) => completed(reader, await newCommand(operator, { device_id: 'device-1' })),
  },
  'callbackEndpoints.list': { caller: ({ admin }) => admin, add: createEndpoint, filters: { status: 'ACTIVE' } },
  'callbackSubscriptions.list': { caller: ({ admin }) => admin, add: subscribeToNext, filters: { status: 'ACTIVE' } },
  'deviceRequests.list': {
    caller: ({ reader }) => reader,
    add: newDeviceRequest,
    filters: { status: 'PENDING' },
  },
  'parkedMessages.list': { caller: ({ admin }) => admin, add: newParkedMessage },
  // The ids of commands that the other lists need.
  'events.list': { caller: ({ reader }) => reader, add: async () => {} },
};

/** The DISABLED tenant that is exported in the place of each tenant. Its first page is the tenant itself. */
const exported = new Map<string, string>();

async function exportable({ tenant_id }: TestTenant): Promise<void> {
  const other = exported.get(tenant_id) ?? (await createTenant()).tenant_id;
  exported.set(tenant_id, other);
  await createCredential(other);
  const body = { status: 'DISABLED' };
  await signedRequest(platform().admin, 'PUT', `/api/v1/platform/tenants/${other}`, { body });
}

const ENDPOINTS = '/api/v1/open/callbacks/endpoints';

async function createEndpoint({ admin }: TestTenant): Promise<string> {
  const body = { name: 'Order system', url: 'https://hooks.acme.example/top' };
  return (await signedRequest(admin, 'POST', ENDPOINTS, { body })).body.endpoint_id;
}

/** The endpoint of each tenant whose subscriptions are listed. It has at most one subscription per event type. */
const subscribed = new Map<string, string>();

async function subscribeToNext(tenant: TestTenant): Promise<void> {
  const { tenant_id, admin } = tenant;
  const endpoint = subscribed.get(tenant_id) ?? (await createEndpoint(tenant));
  const event_type = subscribed.has(tenant_id) ? 'command.completed' : 'command.accepted';
  subscribed.set(tenant_id, endpoint);
  await signedRequest(admin, 'POST', `${ENDPOINTS}/${endpoint}/subscriptions`, { body: { event_type } });
}

/** A value for every filter of the contract. */
const filters: Record<string, string> = {
  client_id: 'client-1',
  created_by_client_id: 'client-1',
  role: 'integration_reader',
  scope: 'open:command:read',
  status: 'ACCEPTED',
  is_final: 'true',
  has_late_result: 'false',
  batch_id: randomUUID(),
  vendor: 'vendor_a',
  device_id: 'device-1',
  command_type: 'reboot',
  idempotency_key: 'key-1',
  accepted_after: '2026-01-01T00:00:00Z',
  accepted_before: '2999-01-01T00:00:00%2B01:00',
  completed_after: '2026-01-01T00:00:00Z',
  completed_before: '2999-01-01T00:00:00%2B01:00',
  reason: 'UNREACHABLE',
  credential_id: randomUUID(),
  request_type: 'firmware_check',
  received_after: '2026-01-01T00:00:00Z',
  received_before: '2999-01-01T00:00:00%2B01:00',
  changed_after: '2026-01-01T00:00:00Z',
  event_type: 'command.accepted',
  command_id: '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d',
  operation: 'credentials.create',
  target: 'credentials%2Fclient-1',
  source_address: '127.0.0.1',
  outcome: 'DONE',
  kind: 'COMMAND_UPDATE',
  parked_after: '2026-01-01T00:00:00Z',
  parked_before: '2999-01-01T00:00:00%2B01:00',
  occurred_after: '2026-01-01T00:00:00Z',
  occurred_before: '2999-01-01T00:00:00%2B01:00',
};

const queryNames = ({ route }: Operation) => Object.keys((route.query as z.ZodObject).shape);

const listOperations = allOperations.filter((operation) => queryNames(operation).includes('cursor'));

const filterOf = (operation: Operation, name: string) => lists[operation.name]?.filters?.[name] ?? filters[name] ?? '';

const pathOf = ({ name, route }: Operation, tenant: TestTenant) =>
  route.path
    .replace(':tenant_id', (name === 'tenants.export' && exported.get(tenant.tenant_id)) || tenant.tenant_id)
    .replace(':vendor', VENDOR)
    .replace(':endpoint_id', () => subscribed.get(tenant.tenant_id) ?? '');

const list = (
  operation: Operation,
  tenant: TestTenant,
  query: Record<string, string>,
  path = pathOf(operation, tenant),
) => {
  const pairs = Object.entries(query).map((pair) => pair.join('='));
  const caller = lists[operation.name]?.caller(tenant) ?? tenant.admin;
  return signedRequest(caller, 'GET', [path, ...(pairs.length > 0 ? [pairs.join('&')] : [])].join('?'));
};

// biome-ignore lint/suspicious/noExplicitAny: items of every list
const itemsOf = ({ body }: Answer): any[] => (Array.isArray(body) ? body : body.items);

const nextCursorOf = ({ body, headers }: Answer): string | null =>
  Array.isArray(body) ? ((headers['x-next-cursor'] as string | undefined) ?? null) : body.next_cursor;

const timeOf = (item: Record<string, string>) =>
  item.accepted_at ?? item.received_at ?? item.occurred_at ?? item.parked_at ?? item.created_at ?? '';

const encode = (text: string) => Buffer.from(text).toString('base64url');

/** Their items come from commands. */
const ofCommands = ['commands.list', 'deviceRequests.list', 'parkedMessages.list'];

/** `other` lends the first cursor of each list. */
const [tenant, other] = await Promise.all([createTenant(), createTenant()]);
await Promise.all([fill(tenant, 5), fill(other, 2)]);

/**
 * One command after another: concurrent ones may enter the event log in another order than their times. So may other
 * changes in the audit log.
 */
async function fill(one: TestTenant, items: number): Promise<void> {
  const fillInTurn = async (names: string[]) => {
    for (const name of names) for (let item = 0; item < items; item++) await lists[name]?.add(one);
  };
  const others = Object.keys(lists).filter((name) => !ofCommands.includes(name));
  await Promise.all([fillInTurn(ofCommands), fillInTurn(others)]);
}

const cursors = new Map<string, Promise<string>>();

/** Of the list as it was when it was first asked for. */
function firstCursor(operation: Operation, of: TestTenant): Promise<string> {
  const key = `${operation.name} ${of.tenant_id}`;
  const cursor = cursors.get(key) ?? readFirstCursor(operation, of);
  cursors.set(key, cursor);
  return cursor;
}

async function readFirstCursor(operation: Operation, of: TestTenant): Promise<string> {
  const cursor = nextCursorOf(await list(operation, of, { limit: '1' }));
  if (cursor === null) throw new Error('There is no second page.');
  return cursor;
}

test('every list of the contract is read page by page, with every filter', () => {
  expect(Object.keys(lists).sort()).toEqual(listOperations.map(({ name }) => name).sort());
  const noFilters = ['limit', 'cursor', 'wait_seconds', 'from', 'order'];
  const declared = new Set(listOperations.flatMap(queryNames).filter((name) => !noFilters.includes(name)));
  expect(Object.keys(filters).sort()).toEqual([...declared].sort());
});

describe.each(listOperations)('$name', (operation) => {
  // Other test files change tenants meanwhile, so only the beginning of their list is known.
  const sharedId = { 'tenants.list': 'tenant_id', 'vendors.list': 'vendor' }[operation.name];
  const isShared = sharedId !== undefined;
  // A log grows: oldest first, and every page has a cursor.
  const isLog = operation.name === 'events.list';
  // Stored in the background.
  const USE = /"\w*last_used_at":("[^"]*"|null),?/g;
  const identityOf = ({ request_id: _, ...item }: Record<string, unknown>) =>
    sharedId === undefined ? JSON.stringify(item).replace(USE, '') : String(item[sharedId]);

  test(`pages show every item once, ${isLog ? 'oldest first, up to an empty one' : 'newest first, and the last page no cursor'}`, async () => {
    const whole = await list(operation, tenant, { limit: isShared ? '9' : '500' });
    const expected = itemsOf(whole).map(identityOf);

    const seen: string[] = [];
    const times: string[] = [];
    const isDone = (page: Answer) =>
      isLog
        ? itemsOf(page).length === 0
        : nextCursorOf(page) === null || (isShared && expected.every((item) => seen.includes(item)));
    for (let cursor: string | null = null, last: Answer | null = null; !last || !isDone(last); ) {
      const page: Answer = await list(operation, tenant, { limit: '2', ...(cursor && { cursor }) });
      expect(page.status, page.raw).toBe(200);
      expect(itemsOf(page).length).toBeLessThanOrEqual(2);
      seen.push(...itemsOf(page).map(identityOf));
      times.push(...itemsOf(page).map(timeOf));
      cursor = nextCursorOf(page);
      last = page;
    }
    expect(new Set(seen).size).toBe(seen.length);
    expect(isShared ? seen.filter((item) => expected.includes(item)) : seen).toEqual(expected);
    const ascending = [...times].sort();
    expect(times).toEqual(isLog ? ascending : ascending.reverse());
  });

  if (!isShared && !isLog) {
    test('the last page has no cursor, even if it is exactly full', async () => {
      const all = itemsOf(await list(operation, tenant, {}));
      const full = await list(operation, tenant, { limit: String(all.length) });
      expect([itemsOf(full).length, nextCursorOf(full)]).toEqual([all.length, null]);
    });
  }

  test('refuses a cursor of another tenant, of another list or with other filters', async () => {
    const refused: Promise<Answer>[] = [];
    const cursor = await firstCursor(operation, tenant);
    expect((await list(operation, tenant, { cursor, limit: '3' })).status).toBe(200);
    if (operation.route.path.includes(':tenant_id')) {
      refused.push(list(operation, tenant, { cursor: await firstCursor(operation, other) }));
    }
    for (const another of listOperations.filter(({ name }) => name !== operation.name)) {
      refused.push(list(operation, tenant, { cursor: await firstCursor(another, tenant) }));
    }
    for (const name of queryNames(operation).filter((name) => name in filters)) {
      refused.push(list(operation, tenant, { cursor, [name]: filterOf(operation, name) }));
    }
    for (const { status, body } of await Promise.all(refused)) {
      expect([status, body.code]).toEqual([400, 'INVALID_CURSOR']);
    }
  });

  test('refuses a forged cursor', async () => {
    const cursor = await firstCursor(operation, tenant);
    const [binding, position] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const forged = ['x', '....', cursor.slice(0, -4), `x${cursor}`, 'null', '1', '[]', '{}', '[[]]', '"', '\u0000'];
    const refuses = async (text: unknown, sent: string) => {
      const { status, body } = await list(operation, tenant, { cursor: sent });
      expect([text, status, body.code]).toEqual([text, 400, 'INVALID_CURSOR']);
    };
    await Promise.all(forged.map((text, index) => refuses(text, index < 4 ? text : encode(text))));
    const wrong = [
      '',
      null,
      1,
      `${position} `,
      `${position}'`,
      `\n${position}`,
      'x'.repeat(99),
      '9'.repeat(70),
      // In milliseconds: the first instant after the year 9999, and the last one that the pattern accepts.
      ...['253402300800000', '999999999999999'].flatMap((instant) =>
        /^[0-9]{13} /.test(position) ? [position.replace(/^[0-9]+/, instant)] : [],
      ),
    ];
    await Promise.all(wrong.map((one) => refuses(one, encode(JSON.stringify([binding, one])))));
  });

  test('each filter narrows the list, and an unknown value is no error', async () => {
    const names = queryNames(operation).filter((name) => name in filters);
    const narrows = async (name: string) => {
      const answer = await list(operation, tenant, { [name]: filterOf(operation, name) });
      expect(answer.status, answer.raw).toBe(200);
      if (name in (itemsOf(answer)[0] ?? {})) {
        expect(new Set(itemsOf(answer).map((item) => item[name]))).toEqual(new Set([filterOf(operation, name)]));
      }
    };
    await Promise.all(names.map(narrows));
  });
});

test('the credential list is a bare array whose Link header leads to the next page', async () => {
  const first = await signedRequest(tenant.admin, 'GET', `${tenantPath(tenant)}/credentials?limit=3`);
  expect(first.body).toHaveLength(3);
  const [, next] = /^<([^>]+)>; rel="next"$/.exec(String(first.headers.link)) ?? [];
  expect(next).toBe(`${tenantPath(tenant)}/credentials?limit=3&cursor=${first.headers['x-next-cursor']}`);
  const second = await signedRequest(tenant.admin, 'GET', next ?? '');
  expect(second.status).toBe(200);
  const ids = [...first.body, ...second.body].map(({ client_id }: { client_id: string }) => client_id);
  expect(new Set(ids).size).toBe(6);
  for (const { request_id } of second.body) expect(request_id).toBe(second.headers['x-request-id']);
});
