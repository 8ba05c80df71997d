import { type Answer, createTenant, platform, signedRequest } from '@tenant-open-platform/testing';
import { getTableName } from 'drizzle-orm';
import { getTableConfig } from 'drizzle-orm/pg-core';
import { expect, test } from 'vitest';
import { completed, newCommand } from '../../../test/support/commands.js';
import { createObjectCredential, createObjectResource } from '../../../test/support/create-object.js';
import { expectRefusal } from '../../../test/support/expect-refusal.js';
import { newObjectCredential } from '../../../test/support/new-object.js';
import { newParkedMessage } from '../../../test/support/parked-messages.js';
import { exportedTables, tenantTables } from './tenant-tables.js';

const TENANTS = '/api/v1/platform/tenants';

const disable = (tenantId: string) =>
  signedRequest(platform().admin, 'PUT', `${TENANTS}/${tenantId}`, { body: { status: 'DISABLED' } });

const exportPage = (tenantId: string, query = 'limit=500') =>
  signedRequest(platform().admin, 'GET', `${TENANTS}/${tenantId}/export?${query}`);

/** Tables that an export leaves out, with the reason. */
const LEFT_OUT = {
  outbox: 'The queue of messages that the bus has not acknowledged yet. Each row refers to an exported fact.',
  event_log_origins: 'How cursors of the platforms are continued that had the tenant before.',
  idempotent_answers: 'Sealed copies of answers, for 24 hours.',
  audit_bytes: 'How much of a day is used up.',
  command_figures: 'Counts of exported commands.',
};

/** Columns that an export leaves out: secrets, hashes of facts, and what concerns the whole platform. */
const LEFT_OUT_COLUMNS = [
  'callback_endpoints.previous_secret_sealed',
  'callback_endpoints.secret_sealed',
  'commands.is_copied',
  'commands.traceparent',
  'credentials.number',
  'credentials.previous_secret_sealed',
  'credentials.secret_sealed',
  'device_requests.reply_sha256',
  'events.seq',
  'object_credentials.secret_access_key_sealed',
  'object_credentials.session_token_sealed',
];

test('every table of a tenant is exported with all its columns, except those that are named here', () => {
  const left = tenantTables
    .map(getTableName)
    .filter((name) => !exportedTables.some(({ table }) => getTableName(table) === name));
  expect(left).toEqual(Object.keys(LEFT_OUT));
  const columns = exportedTables.flatMap(({ table, columns }) =>
    getTableConfig(table)
      .columns.filter(({ name }) => !columns.some((column) => column.name === name))
      .map(({ name }) => `${getTableName(table)}.${name}`),
  );
  expect(columns.toSorted()).toEqual(LEFT_OUT_COLUMNS);
});

test('no exported column holds bytes, as every secret and hash does, except the body of a parked message', () => {
  const bytes = exportedTables.flatMap(({ table, columns }) =>
    columns.filter((column) => column.getSQLType() === 'bytea').map(({ name }) => `${getTableName(table)}.${name}`),
  );
  expect(bytes).toEqual(['parked_messages.body']);
});

test('an export holds the configuration and the facts of a disabled tenant, and no secret', async () => {
  const tenant = await createTenant();
  const { tenant_id, admin, operator, reader } = tenant;
  const endpoint = await signedRequest(admin, 'POST', '/api/v1/open/callbacks/endpoints', {
    body: { name: 'Order system', url: 'https://hooks.acme.example/top' },
  });
  const { secret_access_key, session_token } = newObjectCredential({}) as Record<string, string>;
  const credential_id = await createObjectCredential(admin);
  const resource_id = await createObjectResource(admin, credential_id);
  const presigned = await signedRequest(operator, 'POST', '/api/v1/open/objects/presign', {
    body: { operation: 'DOWNLOAD', resource_id, object_key: 'pump-7.bin' },
  });
  const command_id = await newCommand(operator, { payload: {} });
  await completed(reader, command_id);
  const parked = await newParkedMessage(tenant);
  await disable(tenant_id);

  const { body, raw } = await exportPage(tenant_id);
  expect(body.next_cursor).toBeNull();
  const types = body.items.map(({ type }: { type: string }) => type);
  const find = (type: string, name: string, value: string) =>
    body.items.find((item: Answer['body']) => item.type === type && item.data[name] === value)?.data;
  expect(types[0]).toBe('tenant');
  expect(find('credential', 'client_id', operator.client_id)).toMatchObject({ tenant_id, status: 'ACTIVE' });
  expect(find('callback_endpoint', 'endpoint_id', endpoint.body.endpoint_id)).toMatchObject({ name: 'Order system' });
  expect(find('object_grant', 'presign_id', presigned.body.presign_id)).toMatchObject({ resource_id });
  expect(find('command', 'command_id', command_id)).toMatchObject({ payload: {}, status: 'SUCCEEDED' });
  expect(find('event', 'command_id', command_id)).toMatchObject({ event_type: 'command.accepted' });
  // An event's number counts the events of all tenants.
  expect(find('event', 'command_id', command_id)).not.toHaveProperty('seq');
  expect(find('parked_message', 'parked_message_id', parked.parked_message_id)).toMatchObject({ tenant_id });
  expect(types).toEqual(
    expect.arrayContaining(['role_binding', 'object_credential', 'object_resource', 'audit_event']),
  );

  const secrets = [admin.secret, operator.secret, endpoint.body.secret, secret_access_key, session_token];
  for (const secret of secrets.filter((one) => one !== undefined)) expect(raw).not.toContain(secret);
  expect(raw).not.toMatch(/sealed|sha256/);
});

test('only a disabled tenant is exported', async () => {
  const { tenant_id } = await createTenant();
  const refused = await exportPage(tenant_id);
  expectRefusal(refused, 'TENANT_NOT_DISABLED');
  expect(refused.body.metadata).toEqual({ status: 'ACTIVE' });
  expectRefusal(await exportPage('no-such-tenant'), 'NOT_FOUND');
});
