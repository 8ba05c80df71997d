import { type Answer, type Profile, signedRequest, startNode } from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, test } from 'vitest';
import { newObjectCredential, newObjectResource } from '../../../test/support/new-object.js';
import { newPrincipal } from '../../../test/support/new-principal.js';
import { openSession } from '../../../test/support/open-pool.js';
import { unique } from '../../../test/support/unique.js';
import { untilServed } from '../../../test/support/until-served.js';

const LIMIT = 6;
const AT_ONCE = 20;
const COMMAND_TYPES = 12;

type Tenant = { path: string; admin: Profile };
type Create = (node: string, index: number) => Promise<Answer>;

type Kind = {
  /** Returns a function that creates one, each different. */
  prepare: (tenant: Tenant) => Promise<Create> | Create;
  /** Ends or deletes a created one. */
  end: (tenant: Tenant, created: Answer['body']) => Promise<Answer>;
  /** Whether an ended one frees its place. */
  freesPlace: boolean;
};

const post = (target: string, body: object, caller: Profile, node?: string) =>
  signedRequest(caller, 'POST', target, { body, ...(node !== undefined && { node }) });
const put = (target: string, body: object, caller: Profile, node?: string) =>
  signedRequest(caller, 'PUT', target, { body, ...(node !== undefined && { node }) });
const remove = (target: string, caller: Profile) => signedRequest(caller, 'DELETE', target);

const CALLBACKS = '/api/v1/open/callbacks/endpoints';
const OBJECTS = '/api/v1/open/objects';
const endpoint = { name: 'Order system', url: 'https://hooks.acme.example/top' };
const SCOPES = [
  'command:create',
  'command:read',
  'command:cancel',
  'device-request:read',
  'device-request:create',
  'event:read',
  'catalog:read',
  'callback:create',
  'callback:read',
  'callback:update',
].map((name) => `open:${name}`);

const kinds: Record<string, Kind> = {
  credentials: {
    prepare:
      ({ path, admin }) =>
      (node) =>
        post(`${path}/credentials`, { client_id: unique('client'), name: 'One of many' }, admin, node),
    end: ({ path, admin }, { client_id }) => put(`${path}/credentials/${client_id}`, { status: 'DELETED' }, admin),
    freesPlace: false,
  },
  roles: {
    prepare:
      ({ path, admin }) =>
      (node) =>
        put(`${path}/roles/${unique('role')}`, { scopes: ['open:event:read'] }, admin, node),
    end: ({ path, admin }, { role }) => remove(`${path}/roles/${role}`, admin),
    freesPlace: true,
  },
  role_bindings: {
    async prepare({ path, admin }) {
      const client_id = unique('client');
      await made(post(`${path}/credentials`, { client_id, name: 'Bound to many' }, admin));
      const roles = ['tenant_admin', 'integration_operator', 'integration_reader'];
      for (let index = 0; index < LIMIT; index++) {
        const role = `role-${index}`;
        await put(`${path}/roles/${role}`, { scopes: [] }, admin);
        roles.push(role);
      }
      return (node, index) =>
        post(`${path}/role-bindings`, { client_id, role: roles[index % roles.length] }, admin, node);
    },
    end: ({ path, admin }, { client_id, role }) => remove(`${path}/role-bindings/${client_id}/${role}`, admin),
    freesPlace: true,
  },
  policies: {
    prepare:
      ({ path, admin }) =>
      (node, index) => {
        const scope = SCOPES[index % SCOPES.length];
        return post(`${path}/policies`, { client_id: admin.client_id, scope }, admin, node);
      },
    end: ({ path, admin }, { policy_id }) => remove(`${path}/policies/${policy_id}`, admin),
    freesPlace: true,
  },
  bus_principals: {
    prepare:
      ({ path, admin }) =>
      (node) =>
        post(`${path}/bus/principals`, newPrincipal(), admin, node),
    end: ({ path, admin }, { principal_id }) =>
      put(`${path}/bus/principals/${principal_id}`, { status: 'DELETED' }, admin),
    freesPlace: false,
  },
  callback_endpoints: {
    prepare:
      ({ admin }) =>
      (node) =>
        post(CALLBACKS, endpoint, admin, node),
    end: ({ admin }, { endpoint_id }) => put(`${CALLBACKS}/${endpoint_id}`, { status: 'DISABLED' }, admin),
    freesPlace: false,
  },
  callback_subscriptions: {
    async prepare({ admin }) {
      const ids: string[] = [];
      for (let index = 0; index < LIMIT; index++) {
        ids.push((await made(post(CALLBACKS, endpoint, admin))).endpoint_id);
      }
      return (node, index) => {
        const event_type = index % 2 === 0 ? 'command.accepted' : 'command.completed';
        return post(`${CALLBACKS}/${ids[(index >> 1) % LIMIT]}/subscriptions`, { event_type }, admin, node);
      };
    },
    end: ({ admin }, { endpoint_id, subscription_id }) =>
      remove(`${CALLBACKS}/${endpoint_id}/subscriptions/${subscription_id}`, admin),
    freesPlace: true,
  },
  object_credentials: {
    prepare:
      ({ admin }) =>
      (node) =>
        post(`${OBJECTS}/credentials`, newObjectCredential(), admin, node),
    end: ({ admin }, { credential_id }) =>
      put(`${OBJECTS}/credentials/${credential_id}`, { status: 'DISABLED' }, admin),
    freesPlace: false,
  },
  object_resources: {
    async prepare({ admin }) {
      const { credential_id } = await made(post(`${OBJECTS}/credentials`, newObjectCredential(), admin));
      return (node) => post(`${OBJECTS}/resources`, newObjectResource(credential_id), admin, node);
    },
    end: ({ admin }, { resource_id }) => put(`${OBJECTS}/resources/${resource_id}`, { status: 'DISABLED' }, admin),
    freesPlace: false,
  },
};

const tenants = new Map<string, Tenant>();

async function made(answering: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answering;
  expect([status, body.code]).toEqual([201, undefined]);
  return body;
}

const PLATFORM = '/api/v1/platform';

async function makeTenant(name: string): Promise<void> {
  const tenant_id = name.replaceAll('_', '-');
  const client_id = `admin-of-${tenant_id}`;
  const path = `${PLATFORM}/tenants/${tenant_id}`;
  await made(post(`${PLATFORM}/tenants`, { tenant_id, name }, platformAdmin));
  const { secret } = await made(post(`${path}/credentials`, { client_id, name }, platformAdmin));
  await made(post(`${path}/role-bindings`, { client_id, role: 'tenant_admin' }, platformAdmin));
  tenants.set(name, { path, admin: { ...platformAdmin, tenant_id, client_id, secret } });
}

const TENANTS_OF_TESTS = [...Object.keys(kinds), 'grants', 'own_role'];
/** The tenants platform and demo, those of the tests, and room for some of the concurrent creations. */
const TENANTS = 2 + TENANTS_OF_TESTS.length + 5;

const database = await ownPostgres();
const sql = openSession(database.superuserUrl);
const limit = String(LIMIT);
const environment = {
  DATABASE_URL: database.url,
  ALLOW_INSECURE_OBJECT_ENDPOINTS: 'true',
  ...Object.fromEntries(Object.keys(kinds).map((kind) => [`${kind.toUpperCase()}_PER_TENANT`, limit])),
  VENDORS_PER_PLATFORM: limit,
  COMMAND_TYPES_PER_PLATFORM: String(COMMAND_TYPES),
  TENANTS_PER_PLATFORM: String(TENANTS),
};
const nodes = [await startNode(environment), await startNode(environment)] as const;
const platformAdmin = nodes[0].admin;
for (const name of TENANTS_OF_TESTS) await makeTenant(name);

const atOnce = (create: Create) =>
  Promise.all(
    Array.from({ length: AT_ONCE }, (_, index) =>
      untilServed(() => create(nodes[index % nodes.length]?.baseUrl as string, index)),
    ),
  );

const rowsOf = async (table: string, tenantId: string | null) => {
  const [row] = await sql<{ rows: number }[]>`
    select count(*)::int as rows from ${sql(table)} where ${tenantId === null ? sql`true` : sql`tenant_id = ${tenantId}`}`;
  return row?.rows;
};

/**
 * Creates some at once until the limit is reached. Every other creation is refused with that code or because it exists.
 */
function expectLimited(answers: Answer[], resource: string, limit = LIMIT): Answer['body'][] {
  const refused = answers.filter(({ body }) => body.code === 'RESOURCE_LIMIT_REACHED');
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, body } of refused) expect([status, body.metadata]).toEqual([409, { resource, limit }]);
  for (const { body } of answers) expect(body.code ?? 'RESOURCE_LIMIT_REACHED').toMatch(/_(LIMIT_REACHED|EXISTS)$/);
  return answers.filter(({ body }) => body.code === undefined).map(({ body }) => body);
}

test.each(Object.keys(kinds))(
  'a tenant has at most its limit of %s, of every status, even under concurrent creations',
  async (name) => {
    const { prepare, end, freesPlace } = kinds[name] as Kind;
    const tenant = tenants.get(name) as Tenant;
    const create = await prepare(tenant);
    const created = expectLimited(await atOnce(create), name);
    expect(await rowsOf(name, tenant.admin.tenant_id)).toBe(LIMIT);

    expect((await end(tenant, created[0])).status).toBe(200);
    const after = expectLimited(await atOnce(create), name);
    expect(after.length).toBe(freesPlace ? 1 : 0);
    expect(await rowsOf(name, tenant.admin.tenant_id)).toBe(LIMIT);
  },
);

test('a page of access.list has each role binding and policy of a tenant at its limits once', async () => {
  const tenant = tenants.get('grants') as Tenant;
  for (const kind of ['role_bindings', 'policies']) {
    expectLimited(await atOnce(await (kinds[kind] as Kind).prepare(tenant)), kind);
  }
  const { body } = await signedRequest(tenant.admin, 'GET', `${tenant.path}/access?limit=500`);
  const grants = body.items.flatMap((item: { grants: object[] }) => item.grants);
  expect(grants).toHaveLength(2 * LIMIT);
});

test('the scopes of a custom role do not count against the limit of policies', async () => {
  const { path, admin } = tenants.get('own_role') as Tenant;
  const scopes = SCOPES.slice(0, LIMIT);
  expect((await put(`${path}/roles/own`, { scopes }, admin)).status).toBe(200);
  const grant = (scope?: string) => post(`${path}/policies`, { client_id: admin.client_id, scope }, admin);
  for (const scope of scopes) await made(grant(scope));
  expectLimited([await grant(SCOPES[LIMIT])], 'policies');
});

const vendors = `${PLATFORM}/catalog/vendors`;
const createTenant: Create = (node) =>
  post(`${PLATFORM}/tenants`, { tenant_id: unique('tenant'), name: 'One of many' }, platformAdmin, node);
const commandType = { description: 'Restarts the device.', payload_schema: { type: 'object' } };

test.each<[string, number, Create]>([
  ['tenants', TENANTS, createTenant],
  ['vendors', LIMIT, (node) => put(`${vendors}/${unique('vendor')}`, { enabled: true }, platformAdmin, node)],
  [
    'command_types',
    COMMAND_TYPES,
    (node) => put(`${vendors}/vendor_a/command-types/${unique('type')}`, commandType, platformAdmin, node),
  ],
])('the platform has at most its limit of %s', async (name, limit, create) => {
  expectLimited(await atOnce(create), name, limit);
  expect(await rowsOf(name, null)).toBe(limit);
});

test('a tenant keeps its place while it is being deleted, and frees it when it is DELETED', async () => {
  expectLimited(await atOnce(createTenant), 'tenants', TENANTS);
  const [one] = await sql<{ id: string }[]>`select tenant_id as id from tenants where name = 'One of many' limit 1`;
  const id = one?.id as string;
  const createdWhile = async (status: string) => {
    await sql`update tenants set status = ${status} where tenant_id = ${id}`;
    return expectLimited(await atOnce(createTenant), 'tenants', TENANTS).length;
  };
  expect([await createdWhile('DELETING'), await createdWhile('DELETED')]).toEqual([0, 1]);
  // Its row would remain, and the other tests count rows.
  await sql`delete from tenants where tenant_id = ${id}`;
});

test('a PUT of an existing resource also works at the limit', async () => {
  const { path, admin } = tenants.get('roles') as Tenant;
  expectLimited(await atOnce((node) => put(`${path}/roles/${unique('role')}`, { scopes: [] }, admin, node)), 'roles');
  const [own] = await sql<{ role: string }[]>`select role from roles where tenant_id = ${admin.tenant_id}`;
  const changed = await put(`${path}/roles/${own?.role}`, { scopes: ['open:event:read'] }, admin);
  expect([changed.status, changed.body.scopes]).toEqual([200, ['open:event:read']]);
  expect((await put(`${vendors}/vendor_a`, { enabled: true }, platformAdmin)).status).toBe(200);
  const types = `${vendors}/vendor_a/command-types`;
  expect((await put(`${types}/reboot`, { description: 'Restarts it.' }, platformAdmin)).status).toBe(200);
});

test('me.get shows every limit of the tenant', async () => {
  const { body } = await signedRequest(platformAdmin, 'GET', '/api/v1/open/me');
  expect(body.limits).toMatchObject({ requests_per_minute: 6_000, requests_per_minute_per_tenant: 60_000 });
  expect(body.limits.per_tenant).toEqual(Object.fromEntries(Object.keys(kinds).map((kind) => [kind, LIMIT])));
});
