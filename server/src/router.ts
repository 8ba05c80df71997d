import { contract } from '@tenant-open-platform/contract';
import type { Config } from './config.js';
import { explainAccess, listAccess } from './features/access/access.js';
import { listAuditEvents } from './features/audit-events/audit-events.js';
import {
  createBusPrincipal,
  getBusPrincipal,
  listBusPrincipals,
  updateBusPrincipal,
} from './features/bus-principals/bus-principals.js';
import {
  createCallbackEndpoint,
  deleteCallbackEndpoint,
  getCallbackEndpoint,
  listCallbackEndpoints,
  updateCallbackEndpoint,
} from './features/callback-endpoints/callback-endpoints.js';
import {
  createCallbackSubscription,
  deleteCallbackSubscription,
  listCallbackSubscriptions,
  updateCallbackSubscription,
} from './features/callback-subscriptions/callback-subscriptions.js';
import { getCatalog } from './features/catalog/catalog.js';
import { commandCatalog } from './features/catalog/command-catalog.js';
import { listCommandTypes, putCommandType } from './features/command-types/command-types.js';
import { cancelCommand, getCommand, listCommands, summaryCommands } from './features/commands/commands.js';
import { createCommand } from './features/commands/create-command.js';
import { createManyCommands } from './features/commands/create-many-commands.js';
import { createCommandStore } from './features/commands/store-commands.js';
import {
  createCredential,
  getCredential,
  listCredentials,
  updateCredential,
} from './features/credentials/credentials.js';
import {
  getDeviceRequest,
  listDeviceRequests,
  replyDeviceRequest,
} from './features/device-requests/device-requests.js';
import { listEvents } from './features/events/events.js';
import { getMe } from './features/me/me.js';
import {
  createObjectCredential,
  deleteObjectCredential,
  getObjectCredential,
  listObjectCredentials,
  updateObjectCredential,
} from './features/object-credentials/object-credentials.js';
import {
  createObjectResource,
  deleteObjectResource,
  getObjectResource,
  listObjectResources,
  updateObjectResource,
} from './features/object-resources/object-resources.js';
import { presignObject } from './features/objects/objects.js';
import {
  deleteParkedMessage,
  getParkedMessage,
  listParkedMessages,
  retryParkedMessage,
} from './features/parked-messages/parked-messages.js';
import { createPolicy, deletePolicy, listPolicies, revokePolicy } from './features/policies/policies.js';
import { createRoleBinding, deleteRoleBinding, listRoleBindings } from './features/role-bindings/role-bindings.js';
import { deleteRole, listRoles, putRole } from './features/roles/roles.js';
import { exportTenant } from './features/tenants/export-tenant.js';
import { createTenant, deleteTenant, getTenant, listTenants, updateTenant } from './features/tenants/tenants.js';
import { listVendors, putVendor } from './features/vendors/vendors.js';
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
      create: createTenant(config.TENANTS_PER_PLATFORM),
      list: listTenants,
      get: getTenant,
      update: updateTenant(signals),
      delete: deleteTenant,
      export: exportTenant,
    },
    credentials: {
      create: createCredential(keyring, perTenant.credentials),
      list: listCredentials(config.BASE_PATH ?? ''),
      get: getCredential,
      update: updateCredential(keyring),
    },
    roles: { list: listRoles, put: putRole(perTenant.roles), delete: deleteRole },
    busPrincipals: {
      create: createBusPrincipal(signals, perTenant.bus_principals),
      list: listBusPrincipals,
      get: getBusPrincipal,
      update: updateBusPrincipal(signals),
    },
    roleBindings: {
      create: createRoleBinding(perTenant.role_bindings),
      list: listRoleBindings,
      delete: deleteRoleBinding,
    },
    policies: {
      create: createPolicy(perTenant.policies),
      list: listPolicies,
      delete: deletePolicy,
      revoke: revokePolicy,
    },
    access: { explain: explainAccess, list: listAccess },
    auditEvents: { list: listAuditEvents },
    parkedMessages: {
      list: listParkedMessages,
      get: getParkedMessage,
      retry: retryParkedMessage(bus),
      delete: deleteParkedMessage,
    },
    vendors: { list: listVendors, put: putVendor(signals, config.VENDORS_PER_PLATFORM) },
    commandTypes: {
      list: listCommandTypes,
      put: putCommandType(config.COMMAND_TYPES_PER_PLATFORM),
    },
    commands: {
      create: createOne.handler,
      createMany: createManyCommands(database, store),
      get: getCommand(waitFor),
      list: listCommands,
      summary: summaryCommands,
      cancel: cancelCommand(signals, metrics),
    },
    deviceRequests: {
      list: listDeviceRequests(waitFor),
      get: getDeviceRequest,
      reply: replyDeviceRequest(signals, payloadLimitBytes),
    },
    events: { list: listEvents(waitFor, keyring.cursorKey) },
    catalog: { get: getCatalog },
    callbackEndpoints: {
      create: createCallbackEndpoint(keyring, perTenant.callback_endpoints),
      list: listCallbackEndpoints,
      get: getCallbackEndpoint,
      update: updateCallbackEndpoint(keyring),
      delete: deleteCallbackEndpoint,
    },
    callbackSubscriptions: {
      create: createCallbackSubscription(perTenant.callback_subscriptions),
      list: listCallbackSubscriptions,
      update: updateCallbackSubscription,
      delete: deleteCallbackSubscription,
    },
    objects: { presign: presignObject(keyring) },
    objectCredentials: {
      create: createObjectCredential(keyring, perTenant.object_credentials, allowInsecure),
      list: listObjectCredentials,
      get: getObjectCredential,
      update: updateObjectCredential(keyring, allowInsecure),
      delete: deleteObjectCredential,
    },
    objectResources: {
      create: createObjectResource(perTenant.object_resources),
      list: listObjectResources,
      get: getObjectResource,
      update: updateObjectResource,
      delete: deleteObjectResource,
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
