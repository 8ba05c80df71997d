import { allOperations, builtInRoles, type Operation } from '@tenant-open-platform/contract';
import {
  type Answer,
  createCredential,
  createTenant,
  newKeyring,
  type Profile,
  platform,
  signedRequest,
  startNode,
  temporaryFolder,
  usePlatform,
} from '@tenant-open-platform/testing';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, test } from 'vitest';
import { COMMANDS, newCommand } from './support/commands.js';
import { expectRefusal } from './support/expect-refusal.js';
import { openSession } from './support/open-pool.js';
import { bodyFor } from './support/operation-bodies.js';
import {
  createCatalogIds,
  createIds,
  deletionsLast,
  type Ids,
  missingIds,
  references,
  target,
} from './support/operation-ids.js';
import { unique } from './support/unique.js';

/**
 * Tests the `where` of every statement without row-level security: on a private Postgres where it is switched off.
 * Nothing else runs there, so every changed row was changed by a request. isolation.full.test.ts tests row-level
 * security without a `where`.
 */
const folder = temporaryFolder();

/** A tenant whose rows have the same ids as the tenant's own: a statement without tenant_id finds both. */
const TWIN = 'twin';

const keyring = newKeyring();

/** Only a platform administrator acts on resources that belong to no tenant. */
const operations = allOperations.filter(
  ({ route }) => !route.path.startsWith('/api/v1/platform/') || route.path.includes('/tenants/:tenant_id'),
);
const reads = operations.filter(({ route }) => route.method === 'GET');
const writes = operations.filter(({ route }) => route.method !== 'GET');

async function createMightyCredential(tenantId: string): Promise<Profile> {
  const profile = await createCredential(tenantId, { role: 'tenant_admin' });
  const access = `/api/v1/platform/tenants/${tenantId}`;
  const grant = async (path: string, body: object) =>
    expect((await signedRequest(platform().admin, 'POST', `${access}/${path}`, { body })).status).toBe(201);
  await grant('role-bindings', { client_id: profile.client_id, role: 'integration_operator' });
  await grant('policies', { client_id: profile.client_id, scope: 'open:device-request:create' });
  return profile;
}

/** Every tenant table, and its columns except tenant_id. */
const tenantTables = () => superuser<{ name: string; columns: string }[]>`
  select relname as name, string_agg(quote_ident(attname), ', ') filter (where attname <> 'tenant_id') as columns
  from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and relname not in ('tenants', 'taken_names')
  group by relname
  having count(*) filter (where attname = 'tenant_id') = 1
  order by relname`;

/** Switches row-level security off and creates the twin: one row with the same ids for every row of the tenant. */
async function switchOffRowSecurity(): Promise<void> {
  const tables = await tenantTables();
  await superuser.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`insert into tenants (tenant_id, name) values (${TWIN}, 'Twin')`;
    for (const { name, columns } of tables) {
      await tx`alter table ${tx(name)} disable row level security`;
      const { count } = await tx.unsafe(
        `insert into ${name} (tenant_id, ${columns}) overriding system value
        select '${TWIN}', ${columns} from ${name} where tenant_id = '${own.tenant_id}'`,
      );
      // An empty table would prove nothing. The outbox is empty once its messages have left; no operation reads it.
      if (name !== 'outbox') expect([name, count > 0]).toEqual([name, true]);
    }
    // In the twin, credentials with the same names have more permissions than in the tenant.
    await tx`
      insert into role_bindings (tenant_id, client_id, role)
      select ${TWIN}, client_id, role from credentials, unnest(array['tenant_admin', 'integration_operator', 'own']) as role
      where tenant_id = ${TWIN}
      on conflict do nothing`;
    await tx`
      insert into policies (tenant_id, policy_id, client_id, object, action)
      values (${TWIN}, gen_random_uuid(), ${unbound.client_id}, 'open:event', 'read')`;
  });
}

/** The rows of all tenants except the tenant itself and `platform`, by table. */
async function rowsOfOthers(): Promise<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const { name } of await tenantTables()) {
    const [digest] = await superuser<{ rows: string }[]>`
      select md5(string_agg(it::text, ' ' order by it::text)) as rows from ${superuser(name)} as it
      where tenant_id not in (${own.tenant_id}, 'platform')`;
    digests[name] = digest?.rows ?? '';
  }
  return digests;
}

const mayBeCalledByTenant = ({ route: { metadata } }: Operation) =>
  metadata.scope === null ||
  metadata.scope === 'open:device-request:create' ||
  ['tenant_admin', 'integration_operator'].some((role) => builtInRoles[role]?.includes(metadata.scope as never));

function call(
  operation: Operation,
  values: Ids,
  options: { body?: object | undefined; headers?: object } = {},
): Promise<Answer> {
  const by = mayBeCalledByTenant(operation) ? caller : platform().admin;
  const path = target(operation, { ...values, tenant_id: own.tenant_id });
  const body = bodyFor(operation, ids);
  const keyed = { 'Idempotency-Key': unique('key'), ...options.headers };
  return signedRequest(by, operation.route.method, path, { body, ...options, headers: keyed } as never);
}

const headers = { 'X-Request-Id': 'request-1' };

async function read(operation: Operation): Promise<string> {
  const { status, raw } = await call(operation, ids, { headers });
  expect([operation.name, status]).toEqual([operation.name, 200]);
  return raw.replace(/"(server_time|from|to|\w*last_used_at)":("[^"]+"|null)/g, '');
}

const database = await ownPostgres();
const superuser = openSession(database.superuserUrl);
// Reserved: no other test process takes it during the restart.
const PORT = String(await freePort());
const environment = {
  DATA_DIR: folder,
  DATABASE_URL: database.url,
  KEYRING: keyring,
  REQUESTS_PER_MINUTE: '1000000',
  FAILED_AUTHENTICATIONS_PER_MINUTE: '1000000',
};
const first = await startNode({ ...environment, PORT });
const { admin, demo } = first;
usePlatform({ nodes: [first.baseUrl], admin, demo, databaseUrl: database.url, natsUrl: null });

await createCatalogIds();
const [tenant, foreign] = await Promise.all([createTenant(), createTenant()]);
const own = tenant;
/** Has every permission that a tenant's credential can have. */
const [ids, foreignIds, caller, unbound] = await Promise.all([
  createIds(own),
  createIds(foreign),
  createMightyCredential(own.tenant_id),
  createCredential(own.tenant_id),
]);
const presign = { operation: 'DOWNLOAD', resource_id: ids.resource_id, object_key: 'pump-7.bin' };
await signedRequest(caller, 'POST', '/api/v1/open/objects/presign', { body: presign });
await call(allOperations.find(({ name }) => name === 'credentials.create') as Operation, ids);

await superuser`
  insert into event_log_origins (tenant_id, position, cursor_key_sealed, generations, from_seq, to_seq, shift)
  values (${own.tenant_id}, 0, 'x', '[]', 0, 1, 2)`;

// Without the relay and the sweepers, only requests change rows.
await first.stop();
await startNode({ ...environment, ROLE: 'api', PORT });
/** The answer of every read operation before row-level security was switched off and before the twin existed. */
const before = Object.fromEntries(
  await Promise.all(reads.map(async (operation) => [operation.name, await read(operation)] as const)),
);
await switchOffRowSecurity();

test('every read operation reads rows of the tenant and of no other', async () => {
  const reading = reads.map(async (operation) => [operation.name, await read(operation)] as const);
  expect(Object.fromEntries(await Promise.all(reading))).toEqual(before);
});

test("every operation answers another tenant's id like a missing one, and changes nothing", async () => {
  // A tenant in the path is no reference: the call is about that tenant.
  const withReferences = operations.filter(
    (operation) =>
      references(operation).some((name) => name !== 'disabled_tenant_id') && operation.name !== 'roles.put',
  );
  expect(withReferences.length).toBeGreaterThan(15);
  const others = await rowsOfOthers();
  const different: object[] = [];
  for (const operation of withReferences) {
    const missing = await call(operation, missingIds(), { headers });
    expect([operation.name, missing.status]).toEqual([operation.name, 404]);
    const variants = references(operation)
      .filter((name) => name !== 'bound_role')
      .map((name) => ({ ...ids, [name]: foreignIds[name] }));
    // For commands.cancel: an ended command, whose refusal would differ from that of a missing one.
    variants.push({ ...foreignIds, canceled_command_id: foreignIds.command_id });
    for (const values of [foreignIds, ...variants]) {
      const { status, raw } = await call(operation, values, { headers });
      if (status !== 404 || raw !== missing.raw) different.push({ name: operation.name, status, raw });
    }
  }
  expect(different).toEqual([]);
  expect(await rowsOfOthers()).toEqual(others);
});

test("refuses a body with another tenant's id like a body with a missing id", async () => {
  const references = writes.filter(({ name }) =>
    ['policies.create', 'roleBindings.create', 'objectResources.create', 'objects.presign'].includes(name),
  );
  expect(references).toHaveLength(4);
  const answers = async (values: Ids) => {
    const answering = references.map(async (operation) => {
      const { status, raw } = await call(operation, ids, { body: bodyFor(operation, values), headers });
      return [operation.name, status < 400 ? 'done' : raw] as const;
    });
    return Object.fromEntries(await Promise.all(answering));
  };
  const missing = await answers(missingIds());
  expect(Object.values(missing)).not.toContain('done');
  expect(await answers(foreignIds)).toEqual(missing);
});

test('every write operation writes rows of the tenant and of no other', async () => {
  const refused: object[] = [];
  const reachedOthers: object[] = [];
  let others = await rowsOfOthers();
  for (const operation of deletionsLast(writes)) {
    const { status, raw } = await call(operation, ids);
    if (status >= 300) refused.push({ name: operation.name, raw });
    const after = await rowsOfOthers();
    const tables = Object.keys(after).filter((table) => after[table] !== others[table]);
    if (tables.length > 0) reachedOthers.push({ name: operation.name, tables });
    others = after;
  }
  expect({ refused, reachedOthers }).toEqual({ refused: [], reachedOthers: [] });
});

test("a credential gets no permission of another tenant's credential with the same name", async () => {
  const credentials = `/api/v1/platform/tenants/${own.tenant_id}/credentials`;
  for (const target of [credentials, '/api/v1/open/events']) {
    expectRefusal(await signedRequest(unbound, 'GET', target), 'FORBIDDEN');
  }
  const { body } = await signedRequest(unbound, 'GET', '/api/v1/open/me');
  expect([body.roles, body.scopes]).toEqual([[], []]);
});

test("accepts an idempotency key that another tenant has used, and replays only the tenant's own command", async () => {
  const other = await createTenant();
  const idempotency_key = unique('key');
  const foreignId = await newCommand(other.operator, { idempotency_key, device_id: 'foreign' });
  const body = { vendor: 'vendor_a', device_id: 'own', command_type: 'reboot', payload: {}, idempotency_key };
  const first = await signedRequest(own.operator, 'POST', COMMANDS, { body });
  const again = await signedRequest(own.operator, 'POST', COMMANDS, { body });
  expect([first.status, again.status]).toEqual([202, 202]);
  expect(again.body.command_id).toBe(first.body.command_id);
  expect(first.body.command_id).not.toBe(foreignId);
});
