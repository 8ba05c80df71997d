import { createTenant, type Profile, platform } from '@tenant-open-platform/testing';
import { expect, test } from 'vitest';
import { type FetchInit, isApiError, isIdempotencyMismatchError, TenantOpenPlatform } from './index.js';

const reboot = { vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {} };

const clientOf = ({ base_url, client_id, secret }: Profile, options = {}) =>
  new TenantOpenPlatform({ baseUrl: base_url, clientId: client_id, secret, ...options });

/** Sends every request, but loses the first answer after the platform has given it. */
function losingFirstAnswer() {
  let isFirst = true;
  return async (url: string, init: FetchInit) => {
    const response = await fetch(url, init);
    if (!isFirst) return response;
    isFirst = false;
    throw new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) });
  };
}

const tenant = await createTenant();

test('a first command is accepted and can be read back', async () => {
  const client = clientOf(tenant.operator);
  const accepted = await client.commands.create(reboot);
  expect(accepted.status).toBe('ACCEPTED');
  const command = await client.commands.get(accepted.command_id);
  expect(command).toMatchObject({ ...reboot, accepted_at: accepted.accepted_at, timeout_seconds: 30 });
  expect(command.created_by_client_id).toBe(tenant.operator.client_id);
});

test('a command is waited for, and its events are in the log', async () => {
  const client = clientOf(tenant.operator);
  const command = await client.commands.createAndWait(reboot);
  expect(command).toMatchObject({ status: 'SUCCEEDED', device_execution_status: 'SUCCEEDED' });
  const events = await client.events.list({ command_id: command.command_id, limit: 1 }).toArray();
  expect(events.map(({ event_type }) => event_type)).toEqual(['command.accepted', 'command.completed']);
  await expect(client.commands.cancel(command.command_id)).rejects.toMatchObject({ code: 'COMMAND_NOT_CANCELABLE' });
});

test('a retry after a lost answer creates no second command', async () => {
  const client = clientOf(tenant.operator, { fetch: losingFirstAnswer() });
  const key = `lost-${crypto.randomUUID()}`;
  const { data, headers } = await client.commands.create({ ...reboot, idempotency_key: key }).withResponse();
  expect(headers.get('idempotent-replayed')).toBe('true');
  const commands = await client.commands.list({ idempotency_key: key }).toArray();
  expect(commands.map(({ command_id }) => command_id)).toEqual([data.command_id]);
});

test('a retry after a lost answer returns the secret of the credential that the first request created', async () => {
  const admin = clientOf(tenant.admin, { fetch: losingFirstAnswer() });
  const clientId = `lost-${crypto.randomUUID()}`;
  const creation = admin.credentials.create(tenant.tenant_id, { client_id: clientId, name: 'Lost' });
  const { data, headers } = await creation.withResponse();
  expect(headers.get('idempotent-replayed')).toBe('true');
  expect(await clientOf({ ...tenant.admin, client_id: clientId, secret: data.secret }).me.get()).toMatchObject({
    client_id: clientId,
  });
});

test('the same key with another payload is an IdempotencyMismatchError with the existing command', async () => {
  const client = clientOf(tenant.operator);
  const first = await client.commands.create({ ...reboot, idempotency_key: 'mismatch' });
  const other = { ...reboot, device_id: 'ok-2', idempotency_key: 'mismatch' };
  const error = await client.commands.create(other).catch((error) => error);
  expect(isIdempotencyMismatchError(error)).toBe(true);
  expect(error).toMatchObject({ fields: ['device_id'], command: { command_id: first.command_id } });
});

test('characters that need encoding arrive unchanged in the query', async () => {
  const client = clientOf(tenant.operator);
  const device_id = "Küche (1) + 50% = 'an' & aus/設備 🚀";
  const { command_id } = await client.commands.create({ ...reboot, device_id });
  const found = await client.commands.list({ device_id, accepted_after: '2026-01-01T00:00:00+02:00' }).toArray();
  expect(found.map((command) => command.command_id)).toEqual([command_id]);
});

test('every list returns all its items over several pages', async () => {
  const client = clientOf(tenant.operator);
  const made = new Set<string>();
  for (let n = 0; n < 5; n += 1) {
    made.add((await client.commands.create({ ...reboot, device_id: 'paged' })).command_id);
  }
  const listed: string[] = [];
  for await (const command of client.commands.list({ device_id: 'paged', limit: 2 })) listed.push(command.command_id);
  expect(new Set(listed)).toEqual(made);
  expect(listed).toHaveLength(5);

  const admin = clientOf(tenant.admin);
  const clients = await admin.credentials.list(tenant.tenant_id, { limit: 1 }).toArray();
  expect(clients.length).toBeGreaterThanOrEqual(3);
  expect(new Set(clients.map(({ client_id }) => client_id)).size).toBe(clients.length);
  const bindings = await admin.roleBindings.list(tenant.tenant_id, { limit: 1 }).toArray();
  expect(bindings.length).toBeGreaterThanOrEqual(3);
  const roles = await admin.roles.list(tenant.tenant_id, { limit: 1 }).toArray();
  expect(roles.map(({ role }) => role)).toEqual(expect.arrayContaining(['tenant_admin', 'integration_operator']));
});

test('an administrator creates a tenant, a credential and a binding, and the credential works', async () => {
  const admin = clientOf(platform().admin);
  const tenantId = `sdk-${crypto.randomUUID()}`;
  await admin.tenants.create({ tenant_id: tenantId, name: 'Created by the SDK' });
  expect(await admin.tenants.update(tenantId, { name: 'Renamed' })).toMatchObject({ name: 'Renamed' });
  expect(await admin.tenants.get(tenantId)).toMatchObject({ tenant_id: tenantId, status: 'ACTIVE' });
  expect(await admin.tenants.list({ limit: 500 }).toArray()).toContainEqual(
    expect.objectContaining({ tenant_id: tenantId }),
  );

  const clientId = `${tenantId}-backend`;
  const { secret } = await admin.credentials.create(tenantId, { client_id: clientId, name: 'Backend' });
  await admin.roleBindings.create(tenantId, { client_id: clientId, role: 'integration_reader' });
  const reader = clientOf({ ...platform().admin, client_id: clientId, secret });
  expect(await reader.me.get()).toMatchObject({ tenant_id: tenantId, roles: ['integration_reader'] });
  const catalog = await reader.catalog.get();
  expect(catalog.vendors.map(({ vendor }) => vendor)).toContain('vendor_a');

  await admin.roleBindings.delete(tenantId, clientId, 'integration_reader');
  const refusal = await reader.commands.list().catch((error) => error);
  expect(isApiError(refusal, 'FORBIDDEN') && refusal.metadata.required_scope).toBe('open:command:read');

  const rotated = await admin.credentials.update(tenantId, clientId, { rotate_secret: true });
  await expect(reader.me.get()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(
    await clientOf({ ...platform().admin, client_id: clientId, secret: rotated.secret ?? '' }).me.get(),
  ).toMatchObject({ client_id: clientId });
});

test('an administrator decides the permissions of a credential, and the audit log shows who did', async () => {
  const { tenant_id, admin: profile, reader } = await createTenant();
  const admin = clientOf(profile);
  const { client_id } = reader;
  const scopesOfReader = async () => (await clientOf(reader).me.get()).scopes;
  await admin.roles.put(tenant_id, 'replier', { scopes: ['open:device-request:create'] });
  await admin.roleBindings.create(tenant_id, { client_id, role: 'replier' });
  const policy = await admin.policies.create(tenant_id, { client_id, scope: 'open:command:create' });
  const policies = await admin.policies.list(tenant_id, { client_id, limit: 1 }).toArray();
  expect(policies.map(({ policy_id }) => policy_id)).toEqual([policy.policy_id]);
  expect(await scopesOfReader()).toEqual(
    expect.arrayContaining(['open:device-request:create', 'open:command:create', 'open:command:read']),
  );

  await expect(admin.roles.delete(tenant_id, 'replier')).rejects.toMatchObject({ code: 'ROLE_IN_USE' });
  await admin.roleBindings.delete(tenant_id, client_id, 'replier');
  expect(await admin.roles.delete(tenant_id, 'replier')).toMatchObject({ role: 'replier', deleted: true });
  expect(await admin.policies.delete(tenant_id, policy.policy_id)).toMatchObject({ deleted: true });
  expect(await scopesOfReader()).not.toContain('open:command:create');

  const events = await admin.auditEvents.list(tenant_id, { client_id: profile.client_id, limit: 2 }).toArray();
  expect(events.map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual([
    'policies.delete DONE',
    'roles.delete DONE',
    'roleBindings.delete DONE',
    'policies.create DONE',
    'roleBindings.create DONE',
    'roles.put DONE',
  ]);
});

test('a put repeated after a lost answer changes nothing twice', async () => {
  const vendor = `vendor-${crypto.randomUUID()}`;
  await clientOf(platform().admin).vendors.put(vendor, { enabled: true });
  const admin = clientOf(platform().admin, { fetch: losingFirstAnswer() });
  const body = { description: 'Dims it.', payload_schema: { type: 'object' } };
  expect(await admin.commandTypes.put(vendor, 'dim', body)).toMatchObject({ revision: 1 });
  expect(await admin.commandTypes.list(vendor).toArray()).toHaveLength(1);
  await admin.vendors.put(vendor, { enabled: false });
  expect(await admin.vendors.list({ limit: 500 }).toArray()).toContainEqual(
    expect.objectContaining({ vendor, enabled: false }),
  );
});

test('a client with a wrong clock corrects itself, even with parallel calls', async () => {
  const realNow = Date.now;
  Date.now = () => realNow() + 3_600_000;
  try {
    const client = clientOf(tenant.operator, { maxRetries: 0 });
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.me.get()));
    expect(answers).toHaveLength(20);
  } finally {
    Date.now = realNow;
  }
});

test('a refusal of the platform arrives with its code and the request id', async () => {
  const client = clientOf(tenant.operator);
  const unknown = client.commands.get('019bd3a4-5c4e-7cc1-9d51-1d2f3a4b5c6d', {}, { requestId: 'sdk-e2e' });
  await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404, requestId: 'sdk-e2e' });
  const typo = client.commands.create({ ...reboot, command_type: 'rebot' });
  await expect(typo).rejects.toMatchObject({ code: 'COMMAND_TYPE_UNKNOWN', status: 422, retryable: false });
});
