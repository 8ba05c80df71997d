import { allOperations, type Operation } from '@tenant-open-platform/contract';
import { createTenant, type Profile, platform, signedRequest, type TestTenant } from '@tenant-open-platform/testing';
import { and, eq, getTableColumns } from 'drizzle-orm';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { Database } from '../src/foundation/database/database.js';
import { asTenant } from '../src/foundation/database/row-level-security.js';
import * as identity from '../src/foundation/tables.js';
import * as catalog from '../src/pipeline/tables.js';
import { keyColumns } from '../src/resources/rows.js';
import * as callbacks from '../src/resources/tables.js';
import * as storage from '../src/resources/tables.js';
import { objectGrants } from '../src/resources/tables.js';
import { newObjectCredential, newObjectResource } from './support/new-object.js';
import { newPrincipal } from './support/new-principal.js';
import { openPool } from './support/open-pool.js';
import { createIds, type Ids, target } from './support/operation-ids.js';
import { unique } from './support/unique.js';

type Stored = {
  table: PgTable;
  /** Together they have every field of the contract. Each is sent in its own request. */
  bodies: (ids: Ids) => Record<string, unknown>[];
  /** Fields that no column of their name stores. */
  apart?: string[];
  /** The key of a new resource: the caller chooses it. */
  chosen?: string[];
  byPlatform?: boolean;
};

const FUTURE = '2099-01-31T09:30:00.000Z';
const rotation = { rotate_secret: true, previous_secret_ttl_seconds: 60 };
const rotationFields = Object.keys(rotation);
const tenant = { name: 'Of a test', status: 'DISABLED', vendors: ['vendor_a'], requests_per_minute: 1_234 };
const credential = {
  name: 'Of a test',
  status: 'DISABLED',
  allowed_clock_skew_seconds: 120,
  replay_window_seconds: 700,
  requests_per_minute: 77,
  expires_at: FUTURE,
};
const principal = { status: 'DISABLED', expires_at: FUTURE };
const endpoint = {
  name: 'Of a test',
  url: 'https://hooks.example.com/test',
  status: 'DISABLED',
  timeout_seconds: 3,
  max_attempts: 4,
};
const secrets = { secret_access_key: 'a-secret-of-a-test', session_token: 'a-token-of-a-test' };
const store = newObjectCredential({ ...secrets, provider: 'minio', force_path_style: true, status: 'DISABLED' });
const resource = ({ credential_id }: Ids) =>
  newObjectResource(credential_id, {
    key_prefix: 'test/',
    allowed_content_types: ['text/plain'],
    max_object_bytes: 4_321,
    max_expires_in_seconds: 123,
    status: 'DISABLED',
  });
const object = ({ resource_id }: Ids) => ({ resource_id, object_key: 'a.bin', expires_in_seconds: 60 });
const upload = { content_type: 'text/plain', content_length: 3, checksum_sha256: `${'A'.repeat(43)}=` };

const operations: Record<string, Stored> = {
  'tenants.create': {
    table: identity.tenants,
    bodies: () => [{ tenant_id: unique('tenant'), ...tenant }],
    chosen: ['tenant_id'],
    byPlatform: true,
  },
  'tenants.update': { table: identity.tenants, bodies: () => [tenant], byPlatform: true },
  'credentials.create': {
    table: identity.credentials,
    bodies: () => {
      const client_id = unique('client');
      return [
        { client_id, ...credential },
        { client_id, name: credential.name, ...rotation },
      ];
    },
    apart: rotationFields,
    chosen: ['client_id'],
  },
  'credentials.update': { table: identity.credentials, bodies: () => [rotation, credential], apart: rotationFields },
  'roles.put': { table: identity.roles, bodies: () => [{ scopes: ['open:event:read'] }], apart: ['scopes'] },
  'roleBindings.create': {
    table: identity.roleBindings,
    bodies: ({ client_id }) => [{ client_id, role: 'integration_reader' }],
    chosen: ['client_id', 'role'],
  },
  'policies.create': {
    table: identity.policies,
    bodies: ({ client_id }) => [{ client_id, scope: 'open:object:create' }],
    apart: ['scope'],
  },
  'busPrincipals.create': {
    table: identity.busPrincipals,
    bodies: ({ client_id }) => [
      newPrincipal({ ...principal, service_name: 'adapter-of-a-test', vendors: ['vendor_a'] }),
      newPrincipal({ ...principal, principal_type: 'CLIENT', client_id }),
    ],
  },
  'busPrincipals.update': { table: identity.busPrincipals, bodies: () => [{ ...principal, vendors: ['vendor_b'] }] },
  'vendors.put': { table: catalog.vendors, bodies: () => [{ enabled: false }], byPlatform: true },
  'commandTypes.put': {
    table: catalog.commandTypes,
    bodies: () => [{ enabled: false, description: 'Of a test.', payload_schema: { type: 'object' } }],
    byPlatform: true,
  },
  'callbackEndpoints.create': { table: callbacks.callbackEndpoints, bodies: () => [endpoint] },
  'callbackEndpoints.update': {
    table: callbacks.callbackEndpoints,
    bodies: () => [rotation, endpoint],
    apart: rotationFields,
  },
  'callbackSubscriptions.create': {
    table: callbacks.callbackSubscriptions,
    bodies: () => [{ event_type: 'command.accepted', status: 'DISABLED' }],
  },
  'callbackSubscriptions.update': { table: callbacks.callbackSubscriptions, bodies: () => [{ status: 'DISABLED' }] },
  'objectCredentials.create': {
    table: storage.objectCredentials,
    bodies: () => [store],
    apart: Object.keys(secrets),
  },
  'objectResources.create': { table: storage.objectResources, bodies: (ids) => [resource(ids)] },
  'objects.presign': {
    table: objectGrants,
    bodies: (ids) => [
      { ...object(ids), ...upload, operation: 'UPLOAD' },
      { ...object(ids), operation: 'DOWNLOAD', response_content_disposition: 'inline' },
    ],
    apart: ['object_key', 'expires_in_seconds', 'checksum_sha256', 'response_content_disposition'],
  },
  'objectResources.update': { table: storage.objectResources, bodies: (ids) => [resource(ids)] },
  'objectCredentials.update': {
    table: storage.objectCredentials,
    bodies: () => [store],
    apart: Object.keys(secrets),
  },
};

/** `stored-columns.full.test.ts` shows where their fields are stored. */
const ofThePipeline = ['commands.create', 'commands.createMany', 'deviceRequests.reply'];

/** The platform alone sets these. Credentials expire when the caller says. */
const isOfThePlatform = /secret|sealed|sha256|token|version|^number$|^deletion$|^adapter_reads$|(?<!^expires)_at$/;

let database: Database;
let own: TestTenant;
let ids: Ids;

beforeAll(async () => {
  database = openPool(platform().databaseUrl as string);
  own = await createTenant();
  ids = { ...(await createIds(own)), vendor: unique('vendor'), command_type: unique('type') };
});

afterAll(() => database.close());

const operationNamed = (name: string) => allOperations.find((one) => one.name === name) as Operation;

const fieldsOf = ({ route }: Operation) =>
  'body' in route && route.body && 'shape' in (route.body as object)
    ? Object.keys((route.body as z.ZodObject).shape)
    : [];

const columnsIn = (table: PgTable) => getTableConfig(table).columns.map(({ name }) => name);

const idsFor = (name: string) => (name === 'tenants.update' ? { ...ids, tenant_id: ids.disabled_tenant_id } : ids);

const callerOf = ({ byPlatform }: Stored): Profile => (byPlatform ? platform().admin : own.admin);

const send = (name: string, body: object) => {
  const operation = operationNamed(name);
  const caller = name === 'objects.presign' ? own.operator : callerOf(operations[name] as Stored);
  return signedRequest(caller, operation.route.method, target(operation, idsFor(name)), { body });
};

/** The row whose key is in the path, the body or the answer, by the names of its columns. */
async function rowOf(table: PgTable, key: Record<string, string>): Promise<Record<string, unknown>> {
  const { primaryKeys, columns } = getTableConfig(table);
  const keyColumns = primaryKeys[0]?.columns ?? columns.filter(({ primary }) => primary);
  const [row] = await asTenant(database, key.tenant_id as string, (tx) =>
    tx
      .select()
      .from(table)
      .where(and(...keyColumns.map((column) => eq(column, key[column.name])))),
  );
  return Object.fromEntries(Object.entries(getTableColumns(table)).map(([name, column]) => [column.name, row?.[name]]));
}

const inJson = (value: unknown) => (value instanceof Date ? value.toISOString() : value);

test('this file knows every operation with a body', () => {
  const withFields = allOperations.filter((operation) => fieldsOf(operation).length > 0).map(({ name }) => name);
  expect([...Object.keys(operations), ...ofThePipeline].toSorted()).toEqual(withFields.toSorted());
});

describe.each(Object.entries(operations))('%s', (name, { table, bodies, apart = [], chosen = [] }) => {
  const operation = operationNamed(name);
  const columns = columnsIn(table);
  const declared = fieldsOf(operation);

  test('no field of the body is the tenant, a secret, a hash, a version, a generated id or an instant of the platform', () => {
    const key = ['tenant_id', ...keyColumns(table).map((column) => column.name)];
    const forbidden = columns.filter((column) => key.includes(column) || isOfThePlatform.test(column));
    expect(forbidden.length).toBeGreaterThan(0);
    expect(declared.filter((field) => forbidden.includes(field))).toEqual(chosen);
  });

  test('refuses every other column of the table as a field', async () => {
    const others = columns.filter((column) => !declared.includes(column));
    const [body] = bodies(idsFor(name));
    const { status, body: answer } = await send(name, {
      ...body,
      ...Object.fromEntries(others.map((column) => [column, 'given'])),
    });
    expect([status, answer.code]).toEqual([400, 'VALIDATION_FAILED']);
    const refused = answer.details.map(({ location }: { location: string }) => location);
    expect(refused).toEqual(expect.arrayContaining(others.map((column) => `body/${column}`)));
  });

  test('every field of the body reaches the column of its name, or is known to be stored apart', async () => {
    const sent = new Set<string>();
    for (const body of bodies(idsFor(name))) {
      const answer = await send(name, body);
      expect(answer.status, answer.raw).toBeLessThan(300);
      const row = await rowOf(table, { ...idsFor(name), ...answer.body, ...body });
      for (const [field, value] of Object.entries(body)) {
        sent.add(field);
        if (!apart.includes(field)) expect([field, inJson(row[field])]).toEqual([field, value]);
      }
    }
    expect([...sent].toSorted()).toEqual(declared.toSorted());
    expect(apart.filter((field) => columns.includes(field) || !declared.includes(field))).toEqual([]);
  });
});
