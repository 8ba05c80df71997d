import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { allOperations } from '@tenant-open-platform/contract';
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core';
import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { busPrincipals, credentials, tenants } from '../foundation/identity/identity.table.js';
import { callbackEndpoints } from './callback-endpoints/callbacks.table.js';
import { objectCredentials, objectResources } from './object-credentials/object-storage.table.js';
import { columnsOf, keyColumns } from './rows.js';

const tables: Record<string, PgTable> = {
  busPrincipals,
  callbackEndpoints,
  credentials,
  objectCredentials,
  objectResources,
  tenants,
};

const resources = fileURLToPath(new URL('.', import.meta.url));

/** `columnsOf(tenants, body)` in the handler of an operation: the operation and the table. */
const calls = readdirSync(resources, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => readFileSync(`${resources}/${file}`, 'utf8'))
  .filter((source) => source.includes("/rows.js'"))
  .flatMap((source) => [...source.matchAll(/Handler<'(?<operation>[\w.]+)'>|\bcolumnsOf\((?<table>\w+), body\)/g)])
  .map(({ groups }, index, all) => ({
    operation: all.slice(0, index).findLast((before) => before.groups?.operation)?.groups?.operation ?? '',
    table: groups?.table,
  }))
  .flatMap(({ operation, table }) => (table ? [{ operation, table }] : []))
  .sort((one, other) => one.operation.localeCompare(other.operation));

function bodyOf(operation: string): z.ZodObject {
  const route = allOperations.find(({ name }) => name === operation)?.route;
  if (!route || !('body' in route)) throw new Error(`The contract has no body of ${operation}.`);
  return route.body as z.ZodObject;
}

function tableOf(name: string): PgTable {
  const table = tables[name];
  if (!table) throw new Error(`This test does not know the table ${name}.`);
  return table;
}

/** The names of the columns that a body with every field of its schema sets. */
function written(operation: string, name: string): string[] {
  const table = tableOf(name);
  const body = Object.fromEntries(Object.keys(bodyOf(operation).shape).map((field) => [field, 'given']));
  const values = columnsOf(table, body);
  const columns = Object.entries(table).filter(([key]) => Object.hasOwn(values, key));
  return columns.map(([, column]) => column.name);
}

test('a body can write these columns and no others', () => {
  const all = calls.map(({ operation, table }) => [operation, written(operation, table).join(' ')]);
  expect(Object.fromEntries(all)).toMatchInlineSnapshot(`
    {
      "busPrincipals.create": "bus_user bus_account_public_key bus_user_public_key principal_type client_id service_name vendors status expires_at",
      "busPrincipals.update": "vendors status expires_at",
      "callbackEndpoints.create": "name url status timeout_seconds max_attempts",
      "callbackEndpoints.update": "name url status timeout_seconds max_attempts",
      "credentials.create": "client_id name status allowed_clock_skew_seconds replay_window_seconds requests_per_minute expires_at",
      "credentials.update": "name status allowed_clock_skew_seconds replay_window_seconds requests_per_minute expires_at",
      "objectCredentials.create": "name provider endpoint region force_path_style access_key_id status",
      "objectCredentials.update": "name provider endpoint region force_path_style access_key_id status",
      "objectResources.create": "name credential_id bucket allowed_operations key_prefix allowed_content_types max_object_bytes max_expires_in_seconds status",
      "objectResources.update": "name credential_id bucket allowed_operations key_prefix allowed_content_types max_object_bytes max_expires_in_seconds status",
      "tenants.create": "name status vendors requests_per_minute",
      "tenants.update": "name status vendors requests_per_minute",
    }
  `);
});

describe.each(calls)('$operation', ({ operation, table }) => {
  test('refuses fields that the contract does not name', () => {
    expect(bodyOf(operation).def.catchall?._zod.def.type).toBe('never');
  });

  test('no field of the body is the tenant, a secret, a hash, a version, a generated id or an instant of the platform', () => {
    const key = ['tenant_id', ...keyColumns(tableOf(table)).map(({ name }) => name)];
    const chosen = operation === 'credentials.create' ? ['client_id'] : [];
    const forbidden = getTableConfig(tableOf(table))
      .columns.map(({ name }) => name)
      .filter((name) => key.includes(name) || isOfThePlatform.test(name))
      .filter((name) => !chosen.includes(name));
    expect(forbidden).toContain('tenant_id');
    expect(written(operation, table).filter((name) => forbidden.includes(name))).toEqual([]);
  });
});

/** The platform alone sets these. Credentials expire when the caller says. */
const isOfThePlatform = /secret|sealed|sha256|token|version|^number$|^deletion$|^adapter_reads$|(?<!^expires)_at$/;
