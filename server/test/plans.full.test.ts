import { randomUUID } from 'node:crypto';
import { allOperations, type Operation } from '@tenant-open-platform/contract';
import {
  createCredential,
  createTenant,
  newKeyring,
  platform,
  signedRequest,
  startNode,
  temporaryFolder,
  usePlatform,
} from '@tenant-open-platform/testing';
import { freePort } from '@tenant-open-platform/testing/free-port';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { ID_OF_N, multiply } from './support/multiply.js';
import { bodyFor } from './support/operation-bodies.js';
import { administer, createCatalogIds, createIds, deletionsLast, type Ids, target } from './support/operation-ids.js';
import { newParkedMessage } from './support/parked-messages.js';
import {
  type Explained,
  indexesRead,
  pagesRead,
  rowsRead,
  startExplainedPostgres,
  wholeTablesRead,
  workersPlanned,
} from './support/plans.js';

/**
 * Explains every statement that the server actually sends to answer requests. The tables have grown from empty to
 * 100,000 rows since its connections made their plans, and were never analyzed; then all again after ANALYZE.
 */
const ROWS = 100_000;
const ADMINISTRATIVE_ROWS = 30_000;
/** The rows that a page of a filtered list reads. Each event is read with its command. */
const ROWS_READ = 2 * 5_000 + 600;
/** The index and table pages of this many rows. */
const PAGES_READ = 24_000;
/** The same for a list of credentials with their grants, which are in three indexes. */
const PAGES_OF_GRANTS = 42_000;

/** Every command of the tenant belongs to it, also the thousand that createIds may have needed to cancel one. */
const BATCH_OF_ALL = '019bd3a4-5c4e-7cc1-9d51-000000000001';

const folder = temporaryFolder();

const catalogPath = '/api/v1/platform/catalog/vendors';

/** Columns whose values differ from row to row, by table. All rows of tenant tables belong to one tenant. */
const columns: Record<string, Record<string, string>> = {
  tenants: { tenant_id: "'t-' || n", created_at: "now() - n * interval '1 second'" },
  vendors: { enabled: 'false', vendor: "'v-' || n", created_at: "now() - n * interval '1 second'" },
  command_types: { enabled: 'false', command_type: "'t-' || n", created_at: "now() - n * interval '1 second'" },
  taken_names: { name: "'c-' || n" },
  credentials: { client_id: "'c-' || n", created_at: "now() - n * interval '1 second'" },
  roles: { role: "'r-' || n" },
  role_bindings: { client_id: "'c-' || n", created_at: "now() - n * interval '1 second'" },
  policies: { policy_id: ID_OF_N, client_id: "'c-' || n" },
  bus_principals: { principal_id: ID_OF_N, client_id: "'c-' || n" },
  audit_events: { audit_event_id: ID_OF_N, client_id: "'c-' || n % 100", target: "'t-' || n % 100" },
  parked_messages: { parked_message_id: ID_OF_N, body: "'{}'::bytea" },
  idempotent_answers: { answer_id: ID_OF_N, idempotency_key: "'k-' || n" },
  object_credentials: { credential_id: ID_OF_N },
  object_resources: { resource_id: ID_OF_N },
  object_grants: { presign_id: ID_OF_N, granted_at: "now() - n * interval '1 second'" },
  callback_endpoints: { endpoint_id: ID_OF_N },
  callback_subscriptions: { endpoint_id: ID_OF_N, subscription_id: ID_OF_N },
  device_requests: { device_request_id: ID_OF_N, dedupe_id: "'d-' || n", device_id: "'d-' || n % 100" },
  commands: {
    command_id: ID_OF_N,
    idempotency_key: "'k-' || n",
    device_id: "'d-' || n % 100",
    batch_id: `'${BATCH_OF_ALL}'::uuid`,
    status_reason: `'{"code":"COMMON","message":"Most have it."}'::json`,
  },
  events: { command_id: ID_OF_N, event_id: ID_OF_N },
  command_figures: { hour: "date_trunc('hour', now()) - n * interval '1 hour'", vendor: "'v-' || n % 100" },
  outbox: {},
  nonces: { nonce_hash: "decode(md5(n::text), 'hex')" },
};
const large = Object.keys(columns);

/** Tables that grow with the traffic. All other tables have fewer rows. */
const facts = ['audit_events', 'device_requests', 'commands', 'events', 'command_figures', 'nonces'];

/** Policies of roles, and policies of credentials. */
const like: Record<string, string> = { policies: 'client_id is not null', commands: 'completed_at is not null' };

async function fill(): Promise<void> {
  await database.owner`update commands set batch_id = ${BATCH_OF_ALL} where tenant_id = ${own.tenant_id}`;
  for (const [table, changed] of Object.entries(columns)) {
    const ofTenant = /^(tenants|vendors|command_types|taken_names|nonces)$/.test(table)
      ? 'true'
      : `tenant_id = '${own.tenant_id}'`;
    await multiply(
      database.owner,
      table,
      facts.includes(table) ? ROWS : ADMINISTRATIVE_ROWS,
      changed,
      `${ofTenant} and ${like[table] ?? 'true'}`,
    );
  }
  // A log in which every command was accepted and none is completed, and ids that a filter finds only at the end.
  await database.owner`update device_requests set status = 'EXPIRED' where status = 'PENDING' and random() < 0.5`;
}

const inOrder = deletionsLast(allOperations);

const byOf = ({ route }: Operation) =>
  route.metadata.tenant === 'platform' || route.path === '/api/v1/platform/tenants/:tenant_id'
    ? platform().admin
    : caller;

async function everyOperation(): Promise<void> {
  const fresh = await createIds(own);
  for (const operation of inOrder) {
    const path = target(operation, fresh);
    const body = bodyFor(operation, fresh);
    const headers = { 'Idempotency-Key': randomUUID() };
    const sent = { body, headers } as never;
    const { status, raw } = await signedRequest(byOf(operation), operation.route.method, path, sent);
    if (status >= 500) throw new Error(`${operation.name}: ${raw}`);
  }
  await refusedCommand();
}

/** Of a command that the process refuses, the database only looks up the idempotency key. */
async function refusedCommand(): Promise<void> {
  const body = {
    idempotency_key: randomUUID(),
    vendor: 'vendor_a',
    device_id: 'd-1',
    command_type: 'none',
    payload: {},
  };
  const { status, raw } = await signedRequest(caller, 'POST', '/api/v1/open/downlink/commands', { body });
  expect(status, raw).toBe(422);
}

/** The catalog belongs to all tenants and is read whole, by catalog.get and into the memory of a process. */
const isOfCatalog = (query: string) => /left join "?command_types"?/.test(query);

const isOfGrants = (query: string) => /where exists \(select from .* as held/.test(query);

/** The state of the platform counts up to 10,000 outbox rows, events and parked messages. */
const ROWS_OF_STATE = 21_000;
const isOfState = (query: string) => /^\/\* (backlog: unpublished|platform: state) \*\//.test(query);

/** Counts up to the row limit that the operator has configured. */
const isOfLimit = (query: string) => !query.includes('order by') && /limit \$\d+ offset \$\d+$/.test(query);

/** The parts of these statements that would cost more in a larger table. */
const costly = (plans: Explained[]) =>
  plans
    .filter(({ 'Query Text': query }) => !isOfCatalog(query) && !isOfLimit(query))
    .map((plan) => ({
      query: plan['Query Text'].replace(/\s+/g, ' ').slice(-400),
      mostRows: isOfState(plan['Query Text']) ? ROWS_OF_STATE : ROWS_READ,
      wholeTables: wholeTablesRead(plan, large),
      indexes: indexesRead(plan),
      rows: rowsRead(plan),
      pages: pagesRead(plan),
      workers: workersPlanned(plan),
    }))
    .filter(
      ({ query, mostRows, wholeTables, rows, pages, workers }) =>
        wholeTables.length > 0 ||
        workers > 0 ||
        rows > mostRows ||
        pages > (isOfGrants(query) ? PAGES_OF_GRANTS : PAGES_READ),
    );

/** Two values for every filter: one that nearly every row has, and one that no row has. */
const values: Record<string, [common: string, rare: string]> = {
  client_id: ['c-1', 'c-none'],
  vendor: ['vendor_a', 'vendor_b'],
  device_id: ['d-1', 'd-none'],
  command_type: ['reboot', 'none'],
  idempotency_key: ['k-1', 'k-none'],
  accepted_after: ['2026-01-01T00:00:00Z', '2026-01-01T02:42:00Z'],
  accepted_before: ['2099-01-01T00:00:00Z', '2026-01-01T02:42:00Z'],
  batch_id: [BATCH_OF_ALL, randomUUID()],
  older_than: ['ffffffff-ffff-7fff-bfff-ffffffffffff', '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d'],
  group_by: ['vendor,adapter_status,reason', 'vendor'],
  completed_after: ['2026-01-01T00:00:00Z', '2099-01-01T00:00:00Z'],
  completed_before: ['2099-01-01T00:00:00Z', '2026-01-01T02:42:00Z'],
  credential_id: ['', randomUUID()],
  request_type: ['firmware_check', 'none'],
  received_after: ['2026-01-01T00:00:00Z', '2026-01-01T02:42:00Z'],
  received_before: ['2099-01-01T00:00:00Z', '2026-01-01T02:42:00Z'],
  changed_after: ['2026-01-01T00:00:00Z', '2099-01-01T00:00:00Z'],
  is_final: ['true', 'false'],
  reason: ['COMMON', 'none'],
  event_type: ['command.accepted', 'command.completed'],
  command_id: ['', '019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d'],
  operation: ['credentials.create', 'policies.delete'],
  outcome: ['DONE', 'DENIED'],
  target: ['t-1', 't-none'],
  source_address: ['127.0.0.1', '192.0.2.1'],
  scope: ['open:command:read', 'open:object:create'],
  role: ['integration_operator', 'none'],
  kind: ['COMMAND_UPDATE', 'DEVICE_REPLY'],
  parked_after: ['2026-01-01T00:00:00Z', '2026-01-01T02:42:00Z'],
  parked_before: ['2099-01-01T00:00:00Z', '2026-01-01T02:42:00Z'],
  occurred_after: ['2026-01-01T00:00:00Z', '2026-01-01T02:42:00Z'],
  occurred_before: ['2099-01-01T00:00:00Z', '2026-01-01T02:42:00Z'],
};
const statuses: Record<string, string[]> = {
  'commands.list': ['SUCCEEDED', 'CANCELED,EXPIRED'],
  'credentials.list': ['ACTIVE', 'DISABLED,DELETED'],
  'deviceRequests.list': ['PENDING', 'EXPIRED', 'REPLIED'],
  'busPrincipals.list': ['ACTIVE', 'DELETED'],
};

const queryNames = ({ route }: Operation) => Object.keys((route.query as z.ZodObject).shape);
const lists = allOperations.filter(
  (operation) =>
    queryNames(operation).includes('cursor') || ['commands.summary', 'commands.figures'].includes(operation.name),
);

function valuesOf(operation: Operation, name: string): string[] {
  if (operation.name === 'commands.figures' && name === 'group_by') return ['reason', 'vendor'];
  if (name === 'status') return statuses[operation.name] ?? [];
  const [common, rare] = values[name] ?? [];
  return [common || ids[name as keyof Ids], rare].filter((value) => value !== undefined);
}

/** Every single filter of a list, and all pairs of filters. */
function queriesOf(operation: Operation): string[] {
  const filters = queryNames(operation).filter(
    (name) => !['limit', 'cursor', 'wait_seconds', 'from', 'order'].includes(name),
  );
  const single = (name: string) => valuesOf(operation, name).map((value) => `${name}=${encodeURIComponent(value)}`);
  const pairs = filters.flatMap((one, index) =>
    filters.slice(index + 1).flatMap((other) => single(one).flatMap((a) => single(other).map((b) => `${a}&${b}`))),
  );
  const queries = [
    ...(queryNames(operation).includes('limit') ? ['limit=500'] : []),
    ...filters.flatMap(single),
    ...pairs,
  ];
  const hasOrder = queryNames(operation).includes('order');
  return hasOrder ? queries.flatMap((query) => [`${query}&order=asc`, `${query}&order=desc`]) : queries;
}

const nextCursorOf = ({ body, headers }: Awaited<ReturnType<typeof signedRequest>>): string | null =>
  Array.isArray(body) ? ((headers['x-next-cursor'] as string | undefined) ?? null) : (body.next_cursor ?? null);

/** The first and second page of every list, with every filter and every pair of filters. */
async function everyList(): Promise<void> {
  for (const operation of lists) {
    const queries = queriesOf(operation);
    // A few at a time: admission reads the rows of its whole batch in one statement.
    const oneAfterTheOther = async () => {
      for (let query = queries.pop(); query !== undefined; query = queries.pop()) await twoPages(operation, query);
    };
    await Promise.all(Array.from({ length: 8 }, oneAfterTheOther));
  }
}

async function twoPages(operation: Operation, query: string): Promise<void> {
  const path = `${target(operation, ids)}?${query}`;
  const first = await signedRequest(byOf(operation), 'GET', path);
  expect(first.status, `${path} ${first.raw}`).toBe(200);
  const cursor = nextCursorOf(first);
  if (cursor === null) return;
  const second = await signedRequest(byOf(operation), 'GET', `${path}&cursor=${cursor}`);
  expect(second.status, second.raw).toBe(200);
}

const limits = [
  'CREDENTIALS_PER_TENANT',
  'ROLES_PER_TENANT',
  'ROLE_BINDINGS_PER_TENANT',
  'POLICIES_PER_TENANT',
  'BUS_PRINCIPALS_PER_TENANT',
  'OBJECT_CREDENTIALS_PER_TENANT',
  'OBJECT_RESOURCES_PER_TENANT',
  'TENANTS_PER_PLATFORM',
  'COMMAND_TYPES_PER_PLATFORM',
];

const database = await startExplainedPostgres();
// Reserved: no other test process takes it during the restart.
const PORT = String(await freePort());
const environment = {
  DATA_DIR: folder,
  DATABASE_URL: database.url,
  KEYRING: newKeyring(),
  REQUESTS_PER_MINUTE: '1000000',
  ...Object.fromEntries(limits.map((name) => [name, '1000000'])),
  CALLBACK_ENDPOINTS_PER_TENANT: '10000',
  CALLBACK_SUBSCRIPTIONS_PER_TENANT: '20000',
  VENDORS_PER_PLATFORM: '100000',
};
const first = await startNode({ ...environment, PORT });
usePlatform({
  nodes: [first.baseUrl],
  admin: first.admin,
  demo: first.demo,
  databaseUrl: database.url,
  natsUrl: null,
});
await createCatalogIds();
const own = await createTenant();
const ids = await createIds(own);
/** Has every permission that a tenant's credential can have. */
const caller = await createCredential(own.tenant_id, { role: 'tenant_admin' });
const bindings = `/api/v1/platform/tenants/${own.tenant_id}/role-bindings`;
const body = { client_id: caller.client_id, role: 'integration_operator' };
expect((await signedRequest(platform().admin, 'POST', bindings, { body })).status).toBe(201);
await administer('PUT', `${catalogPath}/${ids.vendor}/command-types/reboot`, {
  description: 'Restarts the device.',
  payload_schema: { type: 'object' },
});
// The rounds below use up the parked messages of the ids.
await newParkedMessage(own);
await first.stop();

// Without the relay, requests cause all changes.
await startNode({ ...environment, ROLE: 'api', PORT });
// Every connection makes its plans while the tables are nearly empty.
for (let round = 0; round < 6; round++) await everyOperation();
await fill();

test('in tables that were never analyzed, every operation reads a bounded number of rows, by indexes', async () => {
  const plans = await database.plansOf(everyOperation);
  expect(costly(plans)).toEqual([]);
  const checksOfForeignKeys = plans.filter((plan) => plan['Query Text'].includes('FROM ONLY'));
  expect(checksOfForeignKeys.length).toBeGreaterThan(10);
  // The statements inside the functions are explained, too.
  for (const inside of ['insert into public.nonces', 'insert into public.commands']) {
    expect(plans.some((plan) => plan['Query Text'].includes(inside))).toBe(true);
  }
});

test('so does every list, with every filter and every pair of filters', async () => {
  const plans = await database.plansOf(everyList);
  expect(plans.length).toBeGreaterThan(1_000);
  expect(costly(plans)).toEqual([]);
});

test('also with statistics', async () => {
  await database.owner`analyze`;
  expect(costly(await database.plansOf(everyOperation))).toEqual([]);
  expect(costly(await database.plansOf(everyList))).toEqual([]);
});

test('short pages lead to every row that matches a filter, however far apart the rows are', async () => {
  const few = await database.owner<{ command_id: string }[]>`
    update commands set status = 'FAILED'
    where tenant_id = ${own.tenant_id} and idempotency_key like 'k-%' and (
      substr(idempotency_key, 3)::int % 35000 = 1 or idempotency_key = ${`k-${ROWS}`}
    )
    returning command_id`;
  expect(few).toHaveLength(4);
  const found: string[] = [];
  let pages = 0;
  let empty = 0;
  for (let cursor: string | null = ''; cursor !== null; pages++) {
    const path = `/api/v1/open/downlink/commands?status=FAILED&limit=2${cursor && `&cursor=${cursor}`}`;
    const { body } = await signedRequest(caller, 'GET', path);
    found.push(...body.items.map(({ command_id }: { command_id: string }) => command_id));
    if (body.items.length === 0) empty++;
    cursor = body.next_cursor;
  }
  expect(found).toEqual(
    few
      .map(({ command_id }) => command_id)
      .sort()
      .reverse(),
  );
  expect(empty).toBeGreaterThan(14);
  expect(pages).toBeLessThan(25);
});
