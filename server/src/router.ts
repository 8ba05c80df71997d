import { contract } from '@tenant-open-platform/contract';
import type { Config } from './config.js';
import * as access from './features/access/access.js';
import { listAuditEvents } from './features/audit-events/audit-events.js';
import * as busPrincipals from './features/bus-principals/bus-principals.js';
import * as callbackEndpoints from './features/callback-endpoints/callback-endpoints.js';
import * as callbackSubscriptions from './features/callback-subscriptions/callback-subscriptions.js';
import { getCatalog } from './features/catalog/catalog.js';
import { commandCatalog } from './features/catalog/command-catalog.js';
import * as commandTypes from './features/command-types/command-types.js';
import * as commands from './features/commands/commands.js';
import { createCommand } from './features/commands/create-command.js';
import { createManyCommands } from './features/commands/create-many-commands.js';
import { createCommandStore } from './features/commands/store-commands.js';
import * as credentials from './features/credentials/credentials.js';
import * as deviceRequests from './features/device-requests/device-requests.js';
import { listEvents } from './features/events/events.js';
import { getMe } from './features/me/me.js';
import * as objectCredentials from './features/object-credentials/object-credentials.js';
import * as objectResources from './features/object-resources/object-resources.js';
import { presignObject } from './features/objects/objects.js';
import * as parkedMessages from './features/parked-messages/parked-messages.js';
import * as policies from './features/policies/policies.js';
import * as roleBindings from './features/role-bindings/role-bindings.js';
import * as roles from './features/roles/roles.js';
import { exportTenant } from './features/tenants/export-tenant.js';
import * as tenants from './features/tenants/tenants.js';
import * as vendors from './features/vendors/vendors.js';
import type { Shortcut, ShortcutRequest } from './platform/auth/admit.js';
import type { Bus } from './platform/bus/bus.js';
import type { Database } from './platform/database/database.js';
import type { Handlers, OperationName } from './platform/operation/handler.js';
import type { Waits } from './platform/outbox/waits.js';
import type { OpenedKeyring } from './platform/secrets/open-keyring.js';
import type { Signals } from './platform/signals/signals.js';
import type { WaitFor } from './platform/signals/wait-for.js';
import type { Metrics } from './platform/telemetry/metrics.js';
import { platformVersion } from './platform-version.js';

type Options = {
  database: Database;
  bus: Bus;
  keyring: OpenedKeyring;
  signals: Signals;
  waitFor: WaitFor;
  waits: Waits;
  metrics: Metrics;
  config: Config;
};

/** The shortcut of an operation. Null for a request that must take the ordinary way. */
type Shortcuts = { [Name in OperationName]?: (request: ShortcutRequest) => Shortcut | null };

/** The handler of every operation of the contract, and the shortcuts of some. */
export function createRouter({ database, bus, keyring, signals, waitFor, waits, metrics, config }: Options) {
  const payloadLimitBytes = config.PAYLOAD_LIMIT_BYTES;
  const catalog = commandCatalog(database);
  const commandServices = { database, catalog, signals, metrics, payloadLimitBytes, waits };
  const store = createCommandStore(commandServices);
  const createOne = createCommand(commandServices, store);
  const allowInsecure = config.ALLOW_INSECURE_OBJECT_ENDPOINTS;
  const perTenant = {
    credentials: config.CREDENTIALS_PER_TENANT,
    roles: config.ROLES_PER_TENANT,
    role_bindings: config.ROLE_BINDINGS_PER_TENANT,
    policies: config.POLICIES_PER_TENANT,
    bus_principals: config.BUS_PRINCIPALS_PER_TENANT,
    callback_endpoints: config.CALLBACK_ENDPOINTS_PER_TENANT,
    callback_subscriptions: config.CALLBACK_SUBSCRIPTIONS_PER_TENANT,
    object_credentials: config.OBJECT_CREDENTIALS_PER_TENANT,
    object_resources: config.OBJECT_RESOURCES_PER_TENANT,
  };
  const handlers: Handlers = {
    tenants: {
      create: tenants.createTenant(config.TENANTS_PER_PLATFORM),
      list: tenants.listTenants,
      get: tenants.getTenant,
      update: tenants.updateTenant(signals),
      delete: tenants.deleteTenant,
      export: exportTenant,
    },
    credentials: {
      create: credentials.createCredential(keyring, perTenant.credentials),
      list: credentials.listCredentials(config.BASE_PATH ?? ''),
      get: credentials.getCredential,
      update: credentials.updateCredential(keyring),
    },
    roles: { list: roles.listRoles, put: roles.putRole(perTenant.roles), delete: roles.deleteRole },
    busPrincipals: {
      create: busPrincipals.createBusPrincipal(signals, perTenant.bus_principals),
      list: busPrincipals.listBusPrincipals,
      get: busPrincipals.getBusPrincipal,
      update: busPrincipals.updateBusPrincipal(signals),
    },
    roleBindings: {
      create: roleBindings.createRoleBinding(perTenant.role_bindings),
      list: roleBindings.listRoleBindings,
      delete: roleBindings.deleteRoleBinding,
    },
    policies: {
      create: policies.createPolicy(perTenant.policies),
      list: policies.listPolicies,
      delete: policies.deletePolicy,
      revoke: policies.revokePolicy,
    },
    access: { explain: access.explainAccess, list: access.listAccess },
    auditEvents: { list: listAuditEvents },
    parkedMessages: {
      list: parkedMessages.listParkedMessages,
      get: parkedMessages.getParkedMessage,
      retry: parkedMessages.retryParkedMessage(bus),
      delete: parkedMessages.deleteParkedMessage,
    },
    vendors: { list: vendors.listVendors, put: vendors.putVendor(signals, config.VENDORS_PER_PLATFORM) },
    commandTypes: {
      list: commandTypes.listCommandTypes,
      put: commandTypes.putCommandType(config.COMMAND_TYPES_PER_PLATFORM),
    },
    commands: {
      create: createOne.handler,
      createMany: createManyCommands(database, store),
      get: commands.getCommand(waitFor),
      list: commands.listCommands,
      summary: commands.summaryCommands,
      cancel: commands.cancelCommand(signals, metrics),
    },
    deviceRequests: {
      list: deviceRequests.listDeviceRequests(waitFor),
      get: deviceRequests.getDeviceRequest,
      reply: deviceRequests.replyDeviceRequest(signals, payloadLimitBytes),
    },
    events: { list: listEvents(waitFor, keyring.cursorKey) },
    catalog: { get: getCatalog },
    callbackEndpoints: {
      create: callbackEndpoints.createCallbackEndpoint(keyring, perTenant.callback_endpoints),
      list: callbackEndpoints.listCallbackEndpoints,
      get: callbackEndpoints.getCallbackEndpoint,
      update: callbackEndpoints.updateCallbackEndpoint(keyring),
      delete: callbackEndpoints.deleteCallbackEndpoint,
    },
    callbackSubscriptions: {
      create: callbackSubscriptions.createCallbackSubscription(perTenant.callback_subscriptions),
      list: callbackSubscriptions.listCallbackSubscriptions,
      update: callbackSubscriptions.updateCallbackSubscription,
      delete: callbackSubscriptions.deleteCallbackSubscription,
    },
    objects: { presign: presignObject(keyring) },
    objectCredentials: {
      create: objectCredentials.createObjectCredential(keyring, perTenant.object_credentials, allowInsecure),
      list: objectCredentials.listObjectCredentials,
      get: objectCredentials.getObjectCredential,
      update: objectCredentials.updateObjectCredential(keyring, allowInsecure),
      delete: objectCredentials.deleteObjectCredential,
    },
    objectResources: {
      create: objectResources.createObjectResource(perTenant.object_resources),
      list: objectResources.listObjectResources,
      get: objectResources.getObjectResource,
      update: objectResources.updateObjectResource,
      delete: objectResources.deleteObjectResource,
    },
    me: {
      get: getMe(platformVersion, {
        body_bytes: config.BODY_LIMIT_BYTES,
        batch_body_bytes: contract.commands.createMany.metadata.largeBody.bytes,
        payload_bytes: payloadLimitBytes,
        requests_per_minute: config.REQUESTS_PER_MINUTE,
        requests_per_minute_per_tenant: config.REQUESTS_PER_MINUTE_PER_TENANT,
        waiting_requests: config.WAITING_REQUESTS_PER_TENANT,
        per_tenant: perTenant,
      }),
    },
  };
  const shortcuts: Shortcuts = { 'commands.create': createOne.shortcut };
  return { handlers, shortcuts };
}

export type Router = ReturnType<typeof createRouter>;
