import { randomUUID } from 'node:crypto';
import type { Operation } from '@tenant-open-platform/contract';
import { createCredential, platform, signedRequest, type TestTenant } from '@tenant-open-platform/testing';
import { cancelCommand, canceledCommand, newCommand } from './commands.js';
import { createObjectCredential, createObjectResource } from './create-object.js';
import { newDeviceRequest } from './new-device-request.js';
import { newPrincipal } from './new-principal.js';
import { newParkedMessage } from './parked-messages.js';
import { unique } from './unique.js';

/** A value for every path parameter of the contract, all of one tenant. */
export type Ids = {
  tenant_id: string;
  /** A DISABLED tenant. */
  disabled_tenant_id: string;
  client_id: string;
  /** A role of the tenant, bound to no credential. */
  role: string;
  bound_role: string;
  policy_id: string;
  principal_id: string;
  command_id: string;
  canceled_command_id: string;
  parked_message_id: string;
  retried_message_id: string;
  /** A request of a device. */
  request_id: string;
  vendor: string;
  command_type: string;
  endpoint_id: string;
  subscription_id: string;
  credential_id: string;
  /** No resource uses it. */
  unused_credential_id: string;
  resource_id: string;
};

/** Fits the grammar of paths but no id pattern. */
export const MALFORMED_ID = 'x~'.repeat(70);

/** The catalog is shared by all tenants, so this file has an entry of its own. */
const catalogIds = { vendor: unique('vendor'), command_type: unique('type') };

export async function createCatalogIds(): Promise<void> {
  const vendor = `/api/v1/platform/catalog/vendors/${catalogIds.vendor}`;
  await administer('PUT', vendor, { enabled: true });
  const type = { description: 'Restarts the device.', payload_schema: { type: 'object' } };
  await administer('PUT', `${vendor}/command-types/${catalogIds.command_type}`, type);
}

export async function administer(
  method: string,
  target: string,
  body: object | undefined,
  success = 200,
): Promise<void> {
  const { status, raw } = await signedRequest(platform().admin, method, target, { body });
  if (status !== success) throw new Error(raw);
}

/**
 * Ids that operations do not change or can share: one per tenant is enough, such as the replied request and the
 * canceled command. The simulated fleet must run while they are made.
 */
async function createLastingIds(tenant: TestTenant) {
  const [{ device_request_id }, { command_id }, parked] = await Promise.all([
    newDeviceRequest(tenant),
    canceledByChance(tenant),
    createParkedIds(tenant),
  ]);
  return { request_id: device_request_id, canceled_command_id: command_id, ...parked };
}

/** One of several is canceled in time. If the relay is too fast for that, it gets a thousand others to send first. */
async function canceledByChance(tenant: TestTenant) {
  const { operator } = tenant;
  for (let round = 0; round < 5; round++) {
    const tries = Array.from({ length: 8 }, async () => cancelCommand(operator, await newCommand(operator)));
    const canceled = (await Promise.all(tries)).find(({ status }) => status === 200);
    if (canceled) return canceled.body;
  }
  return canceledCommand(tenant);
}

async function createParkedIds(tenant: TestTenant) {
  const [one, other] = [await newParkedMessage(tenant), await newParkedMessage(tenant)];
  return { parked_message_id: one.parked_message_id, retried_message_id: other.parked_message_id };
}

const lastingIds = new Map<TestTenant, ReturnType<typeof createLastingIds>>();

export async function createIds(tenant: TestTenant): Promise<Ids> {
  const lasting = lastingIds.get(tenant) ?? createLastingIds(tenant);
  lastingIds.set(tenant, lasting);
  const [access, callback, object, disabled_tenant_id] = await Promise.all([
    createAccessIds(tenant),
    createCallbackIds(tenant),
    createObjectIds(tenant),
    createDisabledTenant(),
  ]);
  return {
    tenant_id: tenant.tenant_id,
    disabled_tenant_id,
    command_id: await newCommand(tenant.operator),
    ...(await lasting),
    ...catalogIds,
    ...access,
    ...callback,
    ...object,
  };
}

/** For an operation that succeeds once for the same ids. Only the ids of its part are new, because limits are low. */
export async function renewIds(tenant: TestTenant, ids: Ids, { route: { path } }: Operation): Promise<Ids> {
  if (path.startsWith('/api/v1/open/callbacks/')) return { ...ids, ...(await createCallbackIds(tenant)) };
  if (path.startsWith('/api/v1/open/objects/credentials'))
    return { ...ids, unused_credential_id: await createObjectCredential(tenant.admin) };
  if (path.startsWith('/api/v1/open/objects/'))
    return { ...ids, resource_id: await createObjectResource(tenant.admin, ids.credential_id) };
  if (path.endsWith('/tenants/:tenant_id')) return { ...ids, disabled_tenant_id: await createDisabledTenant() };
  if (path.includes('/parked-messages/')) return { ...ids, ...(await createParkedIds(tenant)) };
  if (!path.startsWith('/api/v1/platform/tenants/')) return ids;
  return { ...ids, ...(await createAccessIds(tenant)) };
}

async function createDisabledTenant(): Promise<string> {
  const tenant_id = unique('tenant');
  await administer('POST', '/api/v1/platform/tenants', { tenant_id, name: 'Former', status: 'DISABLED' }, 201);
  return tenant_id;
}

async function createAccessIds(tenant: TestTenant) {
  const bound_role = 'integration_operator';
  const { client_id } = await createCredential(tenant.tenant_id, { role: bound_role });
  const access = `/api/v1/platform/tenants/${tenant.tenant_id}`;
  const role = unique('role');
  await administer('PUT', `${access}/roles/${role}`, { scopes: ['open:event:read'] });
  const policy = await signedRequest(platform().admin, 'POST', `${access}/policies`, {
    body: { client_id, scope: 'open:event:read' },
  });
  await administer('POST', `${access}/policies`, { client_id, scope: REVOKED_SCOPE }, 201);
  const principals = `${access}/bus/principals`;
  const principal = await signedRequest(tenant.admin, 'POST', principals, { body: newPrincipal() });
  const { policy_id } = policy.body;
  const { principal_id } = principal.body;
  return { client_id, role, bound_role, policy_id, principal_id };
}

async function createCallbackIds({ admin }: TestTenant) {
  const endpoints = '/api/v1/open/callbacks/endpoints';
  const endpoint = await signedRequest(admin, 'POST', endpoints, {
    body: { name: 'Order system', url: 'https://hooks.acme.example/top' },
  });
  const { endpoint_id } = endpoint.body;
  const subscription = await signedRequest(admin, 'POST', `${endpoints}/${endpoint_id}/subscriptions`, {
    body: { event_type: 'command.completed' },
  });
  return { endpoint_id, subscription_id: subscription.body.subscription_id };
}

async function createObjectIds({ admin }: TestTenant) {
  const [credential_id, unused_credential_id] = await Promise.all([
    createObjectCredential(admin),
    createObjectCredential(admin),
  ]);
  return { credential_id, unused_credential_id, resource_id: await createObjectResource(admin, credential_id) };
}

export const missingIds = (): Ids => ({
  tenant_id: unique('tenant'),
  disabled_tenant_id: unique('tenant'),
  client_id: unique('client'),
  role: unique('role'),
  bound_role: 'integration_missing',
  policy_id: randomUUID(),
  principal_id: randomUUID(),
  command_id: randomUUID(),
  canceled_command_id: randomUUID(),
  parked_message_id: randomUUID(),
  retried_message_id: randomUUID(),
  request_id: randomUUID(),
  vendor: unique('vendor'),
  command_type: unique('type'),
  endpoint_id: randomUUID(),
  subscription_id: randomUUID(),
  credential_id: randomUUID(),
  unused_credential_id: randomUUID(),
  resource_id: randomUUID(),
});

/** Path parameters that take the value of a parameter with another name. */
const otherIds: Record<string, Record<string, keyof Ids>> = {
  'tenants.delete': { tenant_id: 'disabled_tenant_id' },
  'tenants.export': { tenant_id: 'disabled_tenant_id' },
  'roleBindings.delete': { role: 'bound_role' },
  'commands.cancel': { command_id: 'canceled_command_id' },
  'parkedMessages.retry': { parked_message_id: 'retried_message_id' },
  'objectCredentials.delete': { credential_id: 'unused_credential_id' },
};

const idFor = (operation: Operation, name: string) => otherIds[operation.name]?.[name] ?? (name as keyof Ids);

export const parameters = (operation: Operation) =>
  [...operation.route.path.matchAll(/:([a-z_]+)/g)].map(([, name]) => idFor(operation, name as string));

const REVOKED_SCOPE = 'open:catalog:read';

/** A valid query for every operation that needs one. Its ids are references, like the ids of a path. */
export const queries: Record<string, (ids: Ids) => Record<string, string>> = {
  'tenants.delete': ({ disabled_tenant_id }) => ({ confirm: disabled_tenant_id }),
  'access.explain': () => ({ operation: 'commands.create' }),
  'policies.revoke': ({ client_id }) => ({ client_id, scope: REVOKED_SCOPE }),
};

/** The names of the ids in a query. */
export const queryReferences = ({ name }: Operation) =>
  Object.keys(queries[name]?.(missingIds()) ?? {}).filter((id): id is keyof Ids => id in missingIds());

/** The names of all ids in the path and the query, except the tenant. */
export const references = (operation: Operation) =>
  [...parameters(operation), ...queryReferences(operation)].filter((name) => name !== 'tenant_id');

export const path = (operation: Operation, values: Ids) =>
  operation.route.path.replace(/:([a-z_]+)/g, (_, name) => values[idFor(operation, name)]);

/** The path with its query and more parameters. */
export function target(operation: Operation, values: Ids, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...queries[operation.name]?.(values), ...more }).toString();
  return `${path(operation, values)}${query && `?${query}`}`;
}

/** Operations that delete come last, deeper paths first: other operations need these resources. */
export const deletionsLast = (operations: readonly Operation[]): Operation[] =>
  [...operations].sort((one, other) => depthOfDeletion(other) - depthOfDeletion(one));

const depthOfDeletion = ({ route }: Operation) =>
  route.method === 'DELETE' ? route.path.split('/').length : Number.MAX_SAFE_INTEGER;
