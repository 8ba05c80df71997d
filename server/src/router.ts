import { contract } from '@tenant-open-platform/contract';
import { type Config, platformVersion } from './config.js';
import type { Database } from './foundation/database/database.js';
import type { OpenedKeyring } from './foundation/secrets/keyring.js';
import type { Signals } from './foundation/signals/signals.js';
import type { Metrics } from './foundation/telemetry/metrics.js';
import type { Shortcut, ShortcutRequest } from './gateway/auth/admission.js';
import type { Handlers, OperationName } from './gateway/operation/call.js';
import { createAcceptance } from './pipeline/accept.js';
import type { Waits } from './pipeline/backlog.js';
import type { Bus } from './pipeline/bus/bus.js';
import { commandCatalog } from './pipeline/catalog.js';
import { type PrincipalKey, provideNow } from './pipeline/provision-durables.js';
import type { WaitFor } from './pipeline/wait-for.js';
import * as access from './resources/access/access.js';
import { listAuditEvents } from './resources/audit-events/audit-events.js';
import * as busPrincipals from './resources/bus-principals/bus-principals.js';
import * as callbackEndpoints from './resources/callback-endpoints/callback-endpoints.js';
import * as callbackSubscriptions from './resources/callback-subscriptions/callback-subscriptions.js';
import { getCatalog } from './resources/catalog/catalog.js';
import * as commandTypes from './resources/command-types/command-types.js';
import * as commands from './resources/commands/commands.js';
import { figuresCommands } from './resources/commands/figures-commands.js';
import { summaryCommands } from './resources/commands/summary-commands.js';
import * as credentials from './resources/credentials/credentials.js';
import * as deviceRequests from './resources/device-requests/device-requests.js';
import { listEvents } from './resources/events/events.js';
import { getMe } from './resources/me/me.js';
import * as objectCredentials from './resources/object-credentials/object-credentials.js';
import * as objectResources from './resources/object-resources/object-resources.js';
import { presignObject } from './resources/objects/objects.js';
import * as parkedMessages from './resources/parked-messages/parked-messages.js';
import { getPlatform } from './resources/platform/platform.js';
import * as policies from './resources/policies/policies.js';
import * as roleBindings from './resources/role-bindings/role-bindings.js';
import * as roles from './resources/roles/roles.js';
import { exportTenant } from './resources/tenants/export-tenant.js';
import * as tenants from './resources/tenants/tenants.js';
import * as vendors from './resources/vendors/vendors.js';

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
  const acceptance = createAcceptance({ database, catalog, signals, metrics, payloadLimitBytes, waits });
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
  const ofBusPrincipals = {
    signals,
    ownPublicKey: bus.ownPublicKey,
    limit: perTenant.bus_principals,
    // The bus of a single process has no principals.
    provide: async (key: PrincipalKey) => (config.NATS_URL ? provideNow(database, bus, key) : null),
  };
  const handlers: Handlers = {
    tenants: {
      create: tenants.createTenant(config.TENANTS_PER_PLATFORM),
      list: tenants.listTenants,
      get: tenants.getTenant,
      update: tenants.updateTenant(signals),
      delete: tenants.deleteTenant(signals),
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
      create: busPrincipals.createBusPrincipal(ofBusPrincipals),
      list: busPrincipals.listBusPrincipals,
      get: busPrincipals.getBusPrincipal,
      update: busPrincipals.updateBusPrincipal(ofBusPrincipals),
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
    platform: { get: getPlatform(database, signals) },
    vendors: { list: vendors.listVendors, put: vendors.putVendor(signals, config.VENDORS_PER_PLATFORM) },
    commandTypes: {
      list: commandTypes.listCommandTypes,
      put: commandTypes.putCommandType(config.COMMAND_TYPES_PER_PLATFORM),
    },
    commands: {
      create: commands.createCommand(acceptance),
      createMany: commands.createManyCommands(acceptance),
      get: commands.getCommand(waitFor),
      list: commands.listCommands,
      summary: summaryCommands,
      figures: figuresCommands,
      cancel: commands.cancelCommand(signals, metrics),
    },
    deviceRequests: {
      list: deviceRequests.listDeviceRequests(waitFor),
      get: deviceRequests.getDeviceRequest,
      reply: deviceRequests.replyDeviceRequest(signals, payloadLimitBytes),
    },
    events: { list: listEvents(waitFor, keyring, database) },
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
        change_bytes_per_day: config.CHANGE_BYTES_PER_DAY_PER_TENANT,
        per_tenant: perTenant,
      }),
    },
  };
  const shortcuts: Shortcuts = { 'commands.create': commands.createCommandShortcut(acceptance) };
  return { handlers, shortcuts };
}

export type Router = ReturnType<typeof createRouter>;
