import type { Config } from './config.js';
import { createPolicy } from './features/access/create-policy.js';
import { createRoleBinding } from './features/access/create-role-binding.js';
import { deletePolicy } from './features/access/delete-policy.js';
import { deleteRole } from './features/access/delete-role.js';
import { deleteRoleBinding } from './features/access/delete-role-binding.js';
import { listPolicies } from './features/access/list-policies.js';
import { listRoleBindings } from './features/access/list-role-bindings.js';
import { listRoles } from './features/access/list-roles.js';
import { putRole } from './features/access/put-role.js';
import { listAuditEvents } from './features/audit/list-audit-events.js';
import { createBusPrincipal } from './features/bus-principals/create-bus-principal.js';
import { getBusPrincipal } from './features/bus-principals/get-bus-principal.js';
import { listBusPrincipals } from './features/bus-principals/list-bus-principals.js';
import { updateBusPrincipal } from './features/bus-principals/update-bus-principal.js';
import { createCallbackEndpoint } from './features/callbacks/create-callback-endpoint.js';
import { createCallbackSubscription } from './features/callbacks/create-callback-subscription.js';
import { deleteCallbackSubscription } from './features/callbacks/delete-callback-subscription.js';
import { getCallbackEndpoint } from './features/callbacks/get-callback-endpoint.js';
import { listCallbackEndpoints } from './features/callbacks/list-callback-endpoints.js';
import { listCallbackSubscriptions } from './features/callbacks/list-callback-subscriptions.js';
import { updateCallbackEndpoint } from './features/callbacks/update-callback-endpoint.js';
import { commandCatalog } from './features/catalog/command-catalog.js';
import { getCatalog } from './features/catalog/get-catalog.js';
import { listCommandTypes } from './features/catalog/list-command-types.js';
import { listVendors } from './features/catalog/list-vendors.js';
import { putCommandType } from './features/catalog/put-command-type.js';
import { putVendor } from './features/catalog/put-vendor.js';
import { cancelCommand } from './features/commands/cancel-command.js';
import { commandFastPath, createCommand } from './features/commands/create-command.js';
import { getCommand } from './features/commands/get-command.js';
import { listCommands } from './features/commands/list-commands.js';
import { createCredential } from './features/credentials/create-credential.js';
import { getCredential } from './features/credentials/get-credential.js';
import { listCredentials } from './features/credentials/list-credentials.js';
import { updateCredential } from './features/credentials/update-credential.js';
import { getDeviceRequest } from './features/device-requests/get-device-request.js';
import { listDeviceRequests } from './features/device-requests/list-device-requests.js';
import { replyDeviceRequest } from './features/device-requests/reply-device-request.js';
import { listEvents } from './features/events/list-events.js';
import { getMe } from './features/me/get-me.js';
import { createObjectCredential } from './features/objects/create-object-credential.js';
import { createObjectResource } from './features/objects/create-object-resource.js';
import { listObjectCredentials } from './features/objects/list-object-credentials.js';
import { listObjectResources } from './features/objects/list-object-resources.js';
import { presignObject } from './features/objects/presign-object.js';
import { updateObjectCredential } from './features/objects/update-object-credential.js';
import { updateObjectResource } from './features/objects/update-object-resource.js';
import { createTenant } from './features/tenants/create-tenant.js';
import { getTenant } from './features/tenants/get-tenant.js';
import { listTenants } from './features/tenants/list-tenants.js';
import { updateTenant } from './features/tenants/update-tenant.js';
import type { Database } from './platform/database/database.js';
import type { Handlers } from './platform/http/handler.js';
import type { Keyring } from './platform/secrets/keyring.js';
import type { Signals } from './platform/signals/signals.js';

/** Every operation of the contract and what carries it out, and the fast path of commands.create. */
export function createRouter(database: Database, keyring: Keyring, signals: Signals, config: Config) {
  const payloadLimitBytes = config.PAYLOAD_LIMIT_BYTES;
  const commandServices = { database, catalog: commandCatalog(database), signals, payloadLimitBytes };
  const objectCredentialLimits = {
    perTenant: config.OBJECT_CREDENTIALS_PER_TENANT,
    allowInsecure: config.ALLOW_INSECURE_OBJECT_ENDPOINTS,
  };
  const handlers: Handlers = {
    tenants: {
      create: createTenant(database),
      list: listTenants(database),
      get: getTenant(database),
      update: updateTenant(database),
    },
    credentials: {
      create: createCredential(database, keyring),
      list: listCredentials(database, config.BASE_PATH ?? ''),
      get: getCredential(database),
      update: updateCredential(database, keyring),
    },
    roles: { list: listRoles(database), put: putRole(database), delete: deleteRole(database) },
    busPrincipals: {
      create: createBusPrincipal(database),
      list: listBusPrincipals(database),
      get: getBusPrincipal(database),
      update: updateBusPrincipal(database),
    },
    roleBindings: {
      create: createRoleBinding(database),
      list: listRoleBindings(database),
      delete: deleteRoleBinding(database),
    },
    policies: { create: createPolicy(database), list: listPolicies(database), delete: deletePolicy(database) },
    auditEvents: { list: listAuditEvents(database) },
    vendors: { list: listVendors(database), put: putVendor(database) },
    commandTypes: { list: listCommandTypes(database), put: putCommandType(database) },
    commands: {
      create: createCommand(commandServices),
      get: getCommand(database, signals),
      list: listCommands(database),
      cancel: cancelCommand(database, signals),
    },
    deviceRequests: {
      list: listDeviceRequests(database, signals),
      get: getDeviceRequest(database),
      reply: replyDeviceRequest({ database, signals, payloadLimitBytes }),
    },
    events: { list: listEvents(database, signals) },
    catalog: { get: getCatalog(database) },
    callbackEndpoints: {
      create: createCallbackEndpoint(database, keyring, config.CALLBACK_ENDPOINTS_PER_TENANT),
      list: listCallbackEndpoints(database),
      get: getCallbackEndpoint(database),
      update: updateCallbackEndpoint(database, keyring, config.CALLBACK_ENDPOINTS_PER_TENANT),
    },
    callbackSubscriptions: {
      create: createCallbackSubscription(database),
      list: listCallbackSubscriptions(database),
      delete: deleteCallbackSubscription(database),
    },
    objects: { presign: presignObject(database, keyring) },
    objectCredentials: {
      create: createObjectCredential(database, keyring, objectCredentialLimits),
      list: listObjectCredentials(database),
      update: updateObjectCredential(database, keyring, objectCredentialLimits),
    },
    objectResources: {
      create: createObjectResource(database, config.OBJECT_RESOURCES_PER_TENANT),
      list: listObjectResources(database),
      update: updateObjectResource(database, config.OBJECT_RESOURCES_PER_TENANT),
    },
    me: {
      get: getMe(database, {
        body_bytes: config.BODY_LIMIT_BYTES,
        payload_bytes: payloadLimitBytes,
        requests_per_minute: config.REQUESTS_PER_MINUTE,
      }),
    },
  };
  return { handlers, fastCommands: commandFastPath(commandServices) };
}

export type Router = ReturnType<typeof createRouter>;
