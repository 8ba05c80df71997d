import {
  createCredential,
  createTenant,
  nextMillisecond,
  type Profile,
  platform,
  signedRequest,
} from '@tenant-open-platform/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { COMMANDS, newCommand } from './support/commands.js';
import { createObjectCredential, createObjectResource } from './support/create-object.js';
import { expectRefusal } from './support/expect-refusal.js';
import { newDeviceRequest } from './support/new-device-request.js';
import { unique } from './support/unique.js';

let tenant = await createTenant();

const get = async (caller: Profile, target: string) => {
  const answer = await signedRequest(caller, 'GET', target);
  expect(answer.status, answer.raw).toBe(200);
  return answer.body;
};

/** Every item of every page. */
async function all(caller: Profile, target: string): Promise<Record<string, string>[]> {
  const { items, next_cursor } = await get(caller, target);
  const [path] = target.split('&cursor=');
  return next_cursor === null ? items : [...items, ...(await all(caller, `${path}&cursor=${next_cursor}`))];
}

/** Creates one after the other, each in its own millisecond: a list shows them in this order. */
async function inOrder<Value, Made>(values: Value[], make: (value: Value) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = [];
  for (const value of values) {
    made.push(await make(value));
    await nextMillisecond();
  }
  return made;
}

const ENDPOINTS = '/api/v1/open/callbacks/endpoints';
const OBJECTS = '/api/v1/open/objects';

/** Lists whose items have a status: two items, of which the second one is disabled. */
const disabled: Record<string, () => Promise<{ caller: Profile; list: string; id: string; ids: string[] }>> = {
  tenants: async () => {
    const { admin } = platform();
    const ids = [unique('filter'), unique('filter')];
    await inOrder(ids, (tenant_id) =>
      signedRequest(admin, 'POST', '/api/v1/platform/tenants', { body: { tenant_id, name: 'Filter' } }),
    );
    const list = '/api/v1/platform/tenants';
    await signedRequest(admin, 'PUT', `${list}/${ids[1]}`, { body: { status: 'DISABLED' } });
    return { caller: admin, list, id: 'tenant_id', ids };
  },
  'callback endpoints': async () => {
    const ids = await inOrder(['ACTIVE', 'DISABLED'], newEndpoint);
    return { caller: tenant.admin, list: ENDPOINTS, id: 'endpoint_id', ids };
  },
  'callback subscriptions': async () => {
    const list = `${ENDPOINTS}/${await newEndpoint('ACTIVE')}/subscriptions`;
    const active = { event_type: 'command.accepted', status: 'ACTIVE' };
    const disabled = { event_type: 'command.completed', status: 'DISABLED' };
    const subscribe = async (body: object) =>
      (await signedRequest(tenant.admin, 'POST', list, { body })).body.subscription_id;
    const ids = await inOrder([active, disabled], subscribe);
    return { caller: tenant.admin, list, id: 'subscription_id', ids };
  },
  'object credentials': async () => {
    const ids = await inOrder([tenant.admin, tenant.admin], (admin) => createObjectCredential(admin));
    const list = `${OBJECTS}/credentials`;
    await signedRequest(tenant.admin, 'PUT', `${list}/${ids[1]}`, { body: { status: 'DISABLED' } });
    return { caller: tenant.admin, list, id: 'credential_id', ids };
  },
  'object resources': async () => {
    const credential = await createObjectCredential(tenant.admin);
    const ids = await inOrder([credential, credential], (id) => createObjectResource(tenant.admin, id));
    const list = `${OBJECTS}/resources`;
    await signedRequest(tenant.admin, 'PUT', `${list}/${ids[1]}`, { body: { status: 'DISABLED' } });
    return { caller: tenant.admin, list, id: 'resource_id', ids };
  },
};

async function newEndpoint(status: string): Promise<string> {
  const body = { name: 'Order system', url: 'https://hooks.acme.example/top', status };
  return (await signedRequest(tenant.admin, 'POST', ENDPOINTS, { body })).body.endpoint_id;
}

describe('status', () => {
  test.each(Object.keys(disabled))('of %s: one, both, and what is no status', async (name) => {
    const { caller, list, id, ids } = await (disabled[name] as (typeof disabled)[string])();
    const [active, second] = ids;
    const found = async (status: string) => {
      const { items } = await get(caller, `${list}?limit=500&status=${status}`);
      return items.map((item: Record<string, string>) => item[id]).filter((one: string) => ids.includes(one));
    };
    expect(await found('ACTIVE')).toEqual([active]);
    expect(await found('DISABLED')).toEqual([second]);
    expect(await found('ACTIVE,DISABLED')).toEqual([second, active]);
    expectRefusal(await signedRequest(caller, 'GET', `${list}?status=OPEN`), 'VALIDATION_FAILED');
  });
});

describe('role and scope', () => {
  let path: string;
  let ids: { custom: string; builtIn: string; direct: string };

  beforeAll(async () => {
    const own = await createTenant();
    tenant = own;
    path = `/api/v1/platform/tenants/${own.tenant_id}`;
    await signedRequest(own.admin, 'PUT', `${path}/roles/replier`, {
      body: { scopes: ['open:device-request:create', 'open:event:read'] },
    });
    const custom = await createCredential(own.tenant_id, { role: 'replier' });
    const direct = await createCredential(own.tenant_id);
    for (const scope of ['open:event:read', 'open:device-request:create']) {
      const body = { client_id: direct.client_id, scope };
      expect((await signedRequest(own.admin, 'POST', `${path}/policies`, { body })).status).toBe(201);
    }
    ids = { custom: custom.client_id, builtIn: own.operator.client_id, direct: direct.client_id };
  });

  const bindings = async (query: string) =>
    (await all(tenant.admin, `${path}/role-bindings?limit=1${query}`)).map(({ client_id }) => client_id);

  test('bindings by role', async () => {
    expect(await bindings('&role=replier')).toEqual([ids.custom]);
    expect(await bindings('&role=integration_operator')).toEqual([ids.builtIn]);
    expect(await bindings(`&role=replier&client_id=${ids.builtIn}`)).toEqual([]);
    expect(await bindings('&role=missing')).toEqual([]);
  });

  test('bindings by the scope that their role grants, a built-in or a custom one, of this tenant alone', async () => {
    expect(await bindings('&scope=open:device-request:create')).toEqual([ids.custom]);
    expect((await bindings('&scope=open:event:read')).toSorted()).toEqual(
      [ids.custom, ids.builtIn, tenant.reader.client_id].toSorted(),
    );
    expect(await bindings('&scope=open:event:read&role=replier')).toEqual([ids.custom]);
    expectRefusal(
      await signedRequest(tenant.admin, 'GET', `${path}/role-bindings?scope=open:nothing`),
      'SCOPE_UNKNOWN',
    );
    const other = await createTenant();
    await signedRequest(other.admin, 'PUT', `/api/v1/platform/tenants/${other.tenant_id}/roles/replier`, {
      body: { scopes: ['open:object:create'] },
    });
    expect(await bindings('&scope=open:object:create')).toEqual([ids.builtIn]);
  });

  test('policies by scope', async () => {
    const found = (await all(tenant.admin, `${path}/policies?limit=1&scope=open:event:read`)).map(
      ({ client_id, scope }) => [client_id, scope],
    );
    expect(found).toEqual([[ids.direct, 'open:event:read']]);
    expectRefusal(await signedRequest(tenant.admin, 'GET', `${path}/policies?scope=open:nothing`), 'SCOPE_UNKNOWN');
  });
});

test('commands by the credential that created them, and oldest first', async () => {
  const own = await createTenant();
  const second = await createCredential(own.tenant_id, { role: 'integration_operator' });
  const ids = await inOrder([own.operator, second, own.operator, second, own.operator], (caller) => newCommand(caller));
  const found = async (query: string) =>
    (await all(own.reader, `${COMMANDS}?limit=2${query}`)).map(({ command_id }) => command_id);
  expect(await found('')).toEqual(ids.toReversed());
  expect(await found('&order=asc')).toEqual(ids);
  expect(await found('&order=desc')).toEqual(ids.toReversed());
  expect(await found(`&created_by_client_id=${second.client_id}&order=asc`)).toEqual([ids[1], ids[3]]);
  expect(await found(`&created_by_client_id=${own.reader.client_id}`)).toEqual([]);
  const { next_cursor } = await get(own.reader, `${COMMANDS}?limit=2&order=asc`);
  expectRefusal(await signedRequest(own.reader, 'GET', `${COMMANDS}?cursor=${next_cursor}`), 'INVALID_CURSOR');
});

test('from=now with a cursor is refused: the cursor would be ignored', async () => {
  const events = '/api/v1/open/events';
  const { next_cursor } = await get(tenant.reader, `${events}?from=now`);
  const refused = await signedRequest(tenant.reader, 'GET', `${events}?from=now&cursor=${next_cursor}`);
  expectRefusal(refused, 'VALIDATION_FAILED');
  expect(refused.body.details).toMatchObject([{ location: 'query/from' }]);
});

test('device requests, oldest first, always have a next_cursor, and it brings what comes later once', async () => {
  const own = await createTenant();
  const list = '/api/v1/open/device-requests';
  const empty = await get(own.reader, `${list}?order=asc`);
  expect([empty.items, empty.next_cursor]).toEqual([[], expect.any(String)]);
  expect(await get(own.reader, list)).toMatchObject({ items: [], next_cursor: null });
  const later = (cursor: string) => get(own.reader, `${list}?order=asc&limit=2&cursor=${cursor}`);
  expect((await later(empty.next_cursor)).next_cursor).toBe(empty.next_cursor);
  await inOrder([1, 2, 3], () => newDeviceRequest(own));
  const seen: string[] = [];
  for (let cursor = empty.next_cursor; ; ) {
    const { items, next_cursor } = await later(cursor);
    expect(next_cursor).toEqual(expect.any(String));
    if (items.length === 0) {
      expect(next_cursor).toBe(cursor);
      break;
    }
    seen.push(...items.map(({ device_request_id }: { device_request_id: string }) => device_request_id));
    cursor = next_cursor;
  }
  expect(seen).toHaveLength(3);
  expect(seen).toEqual((await all(own.reader, list)).map(({ device_request_id }) => device_request_id).toReversed());
});
