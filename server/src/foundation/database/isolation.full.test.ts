import { createTenant, signedRequest } from '@tenant-open-platform/testing';
import { sql } from 'drizzle-orm';
import type postgres from 'postgres';
import { v7 as uuid } from 'uuid';
import { expect, test } from 'vitest';
import { createObjectCredential, createObjectResource } from '../../../test/support/create-object.js';
import { newDeviceRequest } from '../../../test/support/new-device-request.js';
import { newPrincipal } from '../../../test/support/new-principal.js';
import { openPool, openSession } from '../../../test/support/open-pool.js';
import { newParkedMessage } from '../../../test/support/parked-messages.js';
import { asAllTenantsStatement, asTenant } from './row-level-security.js';

const withTenantColumn = () => owner<{ name: string; enabled: boolean; forced: boolean }[]>`
  select relname as name, relrowsecurity as enabled, relforcerowsecurity as forced
  from pg_class
  where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
    and exists (select from pg_attribute where attrelid = pg_class.oid and attname = 'tenant_id' and not attisdropped)
    -- Platform tables: which tenants there are, and whose a name is.
    and relname not in ('tenants', 'taken_names')
  order by relname`;

/** Connects as the owner of the tables. Every test sets a role of the platform and rolls back. */
const owner = openSession(undefined, { max: 2 });
const tenants = [await createTenant(), await createTenant()] as const;
const [own, foreign] = [tenants[0].tenant_id, tenants[1].tenant_id];
const foreignClientId = tenants[1].operator.client_id;
for (const tenant of tenants) {
  const { tenant_id, admin, operator } = tenant;
  await newDeviceRequest(tenant);
  await newParkedMessage(tenant);
  const principals = `/api/v1/platform/tenants/${tenant_id}/bus/principals`;
  const headers = { 'Idempotency-Key': 'k-1' };
  expect((await signedRequest(admin, 'POST', principals, { body: newPrincipal(), headers })).status).toBe(201);
  const role = `/api/v1/platform/tenants/${tenant_id}/roles/own`;
  expect((await signedRequest(admin, 'PUT', role, { body: { scopes: ['open:event:read'] } })).status).toBe(200);
  const hook = { name: 'Order system', url: 'https://hooks.acme.example/top' };
  const endpoints = '/api/v1/open/callbacks/endpoints';
  const endpoint = await signedRequest(admin, 'POST', endpoints, { body: hook });
  const subscriptions = `${endpoints}/${endpoint.body.endpoint_id}/subscriptions`;
  const subscription = { event_type: 'command.completed' };
  expect((await signedRequest(admin, 'POST', subscriptions, { body: subscription })).status).toBe(201);
  const resource_id = await createObjectResource(admin, await createObjectCredential(admin));
  const presign = { operation: 'DOWNLOAD', resource_id, object_key: 'pump-7.bin' };
  expect((await signedRequest(operator, 'POST', '/api/v1/open/objects/presign', { body: presign })).status).toBe(200);
  const body = { vendor: 'vendor_a', device_id: 'd-1', command_type: 'reboot', payload: {}, idempotency_key: 'k-1' };
  expect((await signedRequest(operator, 'POST', '/api/v1/open/downlink/commands', { body })).status).toBe(202);
}
const tenantTables = (await withTenantColumn()).map(({ name }) => name);

const rolledBack = new Error('rolled back');

async function inTransaction<Result>(work: (tx: postgres.TransactionSql) => Promise<Result>): Promise<Result> {
  let result: Result | undefined;
  const transaction = owner.begin(async (tx) => {
    result = await work(tx);
    throw rolledBack;
  });
  await transaction.catch((error: unknown) => {
    if (error !== rolledBack) throw error;
  });
  return result as Result;
}

/** The role of tenants' handlers with every right on every table: row-level security alone must hold. */
const asOwnTenantWithEveryRight = <Result>(work: (tx: postgres.TransactionSql) => Promise<Result>) =>
  inTransaction(async (tx) => {
    await tx`select pg_advisory_xact_lock(1)`;
    await tx`grant all on all tables in schema public to top_app`;
    // The relay deletes its rows within moments.
    await tx`set local role top_system`;
    for (const tenantId of [own, foreign])
      await tx`insert into outbox (tenant_id, kind, fact_id) values (${tenantId}, 'COMMAND_ACCEPTED', ${uuid()})`;
    // Own last: the transaction stays in this tenant.
    for (const tenantId of [foreign, own]) {
      await tx`select set_config('role', 'top_app', true), set_config('app.tenant_id', ${tenantId}, true)`;
      // Only a tenant that has moved has one.
      await tx`
        insert into event_log_origins (tenant_id, position, cursor_key_sealed, generations, from_seq, to_seq, shift)
        values (${tenantId}, 0, 'x', '[]', 0, 1, 2)`;
    }
    return work(tx);
  });

/** The error code of the refusal by Postgres, or null. Earlier changes of the transaction stay. */
async function refusalOf(tx: postgres.TransactionSql, statement: (tx: postgres.TransactionSql) => Promise<unknown>) {
  try {
    await tx.savepoint(statement);
    return null;
  } catch (error) {
    return (error as postgres.PostgresError).code;
  }
}

const INSUFFICIENT_PRIVILEGE = '42501';

test('forces row-level security on every table with a tenant_id', async () => {
  const tables = await withTenantColumn();
  expect(tables.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['commands', 'credentials', 'events', 'outbox', 'role_bindings']),
  );
  expect(tables.filter(({ enabled, forced }) => !enabled || !forced)).toEqual([]);
});

test('shows a tenant its own rows and no row of another tenant, in every table', async () => {
  for (const table of tenantTables) {
    await asOwnTenantWithEveryRight(async (tx) => {
      const rows = await tx<{ tenant_id: string }[]>`select distinct tenant_id from ${tx(table)}`;
      expect([table, rows.map(({ tenant_id }) => tenant_id)]).toEqual([table, [own]]);
    });
  }
});

test('does not let a tenant insert, update or delete a row of another tenant, in any table', async () => {
  for (const table of tenantTables) {
    await asOwnTenantWithEveryRight(async (tx) => {
      const changed = await tx`update ${tx(table)} set tenant_id = tenant_id where tenant_id = ${foreign}`;
      const removed = await tx`delete from ${tx(table)} where tenant_id = ${foreign}`;
      expect([table, changed.count, removed.count]).toEqual([table, 0, 0]);
      expect([
        table,
        await refusalOf(tx, (save) => save`insert into ${save(table)} (tenant_id) values (${foreign})`),
        await refusalOf(tx, (save) => save`update ${save(table)} set tenant_id = ${foreign}`),
      ]).toEqual([table, INSUFFICIENT_PRIVILEGE, INSUFFICIENT_PRIVILEGE]);
    });
  }
});

test('shows no row if no tenant is set', async () => {
  for (const table of tenantTables) {
    await inTransaction(async (tx) => {
      await tx`select pg_advisory_xact_lock(1)`;
      await tx`grant all on all tables in schema public to top_app`;
      await tx`select set_config('role', 'top_app', true), set_config('app.tenant_id', '', true)`;
      expect(await tx`select from ${tx(table)}`).toHaveLength(0);
    });
  }
});

test('a transaction leaves its connection without a tenant and without a role, whether it commits or fails', async () => {
  const database = openPool(undefined, { max: 1 });
  const left = () => database.sql`
    select nullif(current_setting('app.tenant_id', true), '') as tenant, current_user = session_user as is_login`;
  await asTenant(database, own, async () => {});
  expect(await left()).toEqual([{ tenant: null, is_login: true }]);
  await expect(asTenant(database, own, () => Promise.reject(rolledBack))).rejects.toThrow(rolledBack);
  expect(await left()).toEqual([{ tenant: null, is_login: true }]);
  await asAllTenantsStatement(database, sql`select`);
  expect(await left()).toEqual([{ tenant: null, is_login: true }]);
});

test('top_ingest may only insert commands with their rows, and read the columns of admission, but no secret', async () => {
  const granted = await owner<{ granted: string }[]>`
    select privilege || ' ' || relname as granted
    from pg_class, unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) as privilege
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
      and has_table_privilege('top_ingest', pg_class.oid, privilege)
    order by 1`;
  expect(granted.map((row) => row.granted)).toEqual([
    'INSERT commands',
    'INSERT nonces',
    'INSERT outbox',
    'SELECT command_types',
    'SELECT database_generations',
    'SELECT policies',
    'SELECT role_bindings',
    'SELECT tenants',
    'SELECT vendors',
  ]);
  const columns = await owner<{ readable: string }[]>`
    select relname || '.' || attname as readable
    from pg_attribute join pg_class on pg_class.oid = attrelid
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and attnum > 0
      and not has_table_privilege('top_ingest', pg_class.oid, 'SELECT') and has_column_privilege('top_ingest', attrelid, attnum, 'SELECT')
    order by 1`;
  expect(columns.map((row) => row.readable)).toEqual([
    'commands.command_id',
    'commands.idempotency_key',
    'commands.tenant_id',
    'credentials.allowed_clock_skew_seconds',
    'credentials.client_id',
    'credentials.expires_at',
    'credentials.previous_secret_expires_at',
    'credentials.replay_window_seconds',
    'credentials.requests_per_minute',
    'credentials.secret_version',
    'credentials.status',
    'credentials.tenant_id',
    'nonces.credential_number',
    'nonces.nonce_hash',
  ]);
  await inTransaction(async (tx) => {
    await tx`set local role top_ingest`;
    for (const statement of [
      'select payload from commands',
      'update commands set status = status',
      'delete from events',
    ])
      expect(await refusalOf(tx, (save) => save.unsafe(statement))).toBe(INSUFFICIENT_PRIVILEGE);
  });
});

test('refuses to store a reference from one tenant to another', async () => {
  const refusal = await inTransaction(async (tx) => {
    await tx`set local role top_ingest`;
    return refusalOf(
      tx,
      (save) => save`
        insert into commands (
          tenant_id, command_id, idempotency_key, vendor, device_id, command_type, payload,
          timeout_seconds, status, adapter_status, device_execution_status, accepted_at, deadline_at, updated_at,
          created_by_client_id, request_id
        ) values (
          ${own}, ${uuid()}, 'k-2', 'vendor_a', 'd-1', 'reboot', '{}', 30, 'ACCEPTED', 'PENDING', 'NOT_STARTED',
          now(), now(), now(), ${foreignClientId}, 'r-1'
        )`,
    );
  });
  expect(refusal).toBe('23503');
});

test('every primary key of a tenant table begins with tenant_id, and every foreign key includes it', async () => {
  const keys = await owner<{ name: string }[]>`
    select conname as name from pg_constraint
    where conrelid in (select (quote_ident(name))::regclass from unnest(string_to_array(${tenantTables.join()}, ',')) as name)
      and contype in ('p', 'u')
      and (select attname from pg_attribute where attrelid = conrelid and attnum = conkey[1]) <> 'tenant_id'`;
  expect(keys.map(({ name }) => name)).toEqual([]);
  const references = await owner<{ name: string; columns: string; referred: string }[]>`
    select conname as name,
      (select attname from pg_attribute where attrelid = conrelid and attnum = conkey[1]) as columns,
      (select attname from pg_attribute where attrelid = confrelid and attnum = confkey[1]) as referred
    from pg_constraint
    where contype = 'f'
      and conrelid in (select (quote_ident(name))::regclass from unnest(string_to_array(${tenantTables.join()}, ',')) as name)`;
  expect(references.length).toBeGreaterThan(0);
  expect(references.filter(({ columns, referred }) => columns !== 'tenant_id' || referred !== 'tenant_id')).toEqual([]);
});
