import { contract } from '@tenant-open-platform/contract';
import { type Config, platformVersion } from './config.js';
import { createCallHandler } from './gateway/http/endpoints.js';
import type { Handlers } from './gateway/operation/call.js';
import { createAcceptance } from './pipeline/accept.js';
import { commandCatalog } from './pipeline/catalog.js';
import { provideNow } from './pipeline/provision-durables.js';
import * as access from './resources/access/access.js';
import * as auditEvents from './resources/audit-events/audit-events.js';
import * as busPrincipals from './resources/bus-principals/bus-principals.js';
import * as callbackEndpoints from './resources/callback-endpoints/callback-endpoints.js';
import * as callbackSubscriptions from './resources/callback-subscriptions/callback-subscriptions.js';
import * as catalog from './resources/catalog/catalog.js';
import * as commandTypes from './resources/command-types/command-types.js';
import * as commands from './resources/commands/commands.js';
import { figuresCommands } from './resources/commands/figures-commands.js';
import { summaryCommands } from './resources/commands/summary-commands.js';
import * as credentials from './resources/credentials/credentials.js';
import * as deviceRequests from './resources/device-requests/device-requests.js';
import { listEvents } from './resources/events/events.js';
import type { Services } from './resources/handlers.js';
import { getMe } from './resources/me/me.js';
import * as objectCredentials from './resources/object-credentials/object-credentials.js';
import * as objectResources from './resources/object-resources/object-resources.js';
import * as objects from './resources/objects/objects.js';
import * as parkedMessages from './resources/parked-messages/parked-messages.js';
import * as platform from './resources/platform/platform.js';
import * as policies from './resources/policies/policies.js';
import * as roleBindings from './resources/role-bindings/role-bindings.js';
import * as roles from './resources/roles/roles.js';
import { exportTenant } from './resources/tenants/export-tenant.js';
import * as tenants from './resources/tenants/tenants.js';
import * as vendors from './resources/vendors/vendors.js';

type Options = Pick<Services, 'database' | 'bus' | 'keyring' | 'signals' | 'waitFor' | 'waits' | 'metrics'> & {
  config: Config;
};

/** How many of each a tenant may have. */
const limitsPerTenant = (config: Config) => ({
  credentials: config.CREDENTIALS_PER_TENANT,
  roles: config.ROLES_PER_TENANT,
  role_bindings: config.ROLE_BINDINGS_PER_TENANT,
  policies: config.POLICIES_PER_TENANT,
  bus_principals: config.BUS_PRINCIPALS_PER_TENANT,
  callback_endpoints: config.CALLBACK_ENDPOINTS_PER_TENANT,
  callback_subscriptions: config.CALLBACK_SUBSCRIPTIONS_PER_TENANT,
  object_credentials: config.OBJECT_CREDENTIALS_PER_TENANT,
  object_resources: config.OBJECT_RESOURCES_PER_TENANT,
});

/** What `me.get` says of the limits. */
const limitsOf = (config: Config) => ({
  body_bytes: config.BODY_LIMIT_BYTES,
  batch_body_bytes: contract.commands.createMany.metadata.largeBody.bytes,
  payload_bytes: config.PAYLOAD_LIMIT_BYTES,
  requests_per_minute: config.REQUESTS_PER_MINUTE,
  requests_per_minute_per_tenant: config.REQUESTS_PER_MINUTE_PER_TENANT,
  waiting_requests: config.WAITING_REQUESTS_PER_TENANT,
  change_bytes_per_day: config.CHANGE_BYTES_PER_DAY_PER_TENANT,
  per_tenant: limitsPerTenant(config),
});

/**
 * The endpoints of the contract: a module of a resource exports its handlers by their names in the contract.
 * `commands.create` has none: its function calls the admission.
 */
export function createRouter({ config, ...shared }: Options) {
  const { database, bus, keyring, waitFor, metrics } = shared;
  const payloadLimitBytes = config.PAYLOAD_LIMIT_BYTES;
  const acceptance = createAcceptance({ ...shared, catalog: commandCatalog(database), payloadLimitBytes });
  const services: Services = {
    ...shared,
    acceptance,
    limits: {
      ...limitsPerTenant(config),
      tenants: config.TENANTS_PER_PLATFORM,
      vendors: config.VENDORS_PER_PLATFORM,
      command_types: config.COMMAND_TYPES_PER_PLATFORM,
    },
    payloadLimitBytes,
    allowsInsecureEndpoints: config.ALLOW_INSECURE_OBJECT_ENDPOINTS,
    basePath: config.BASE_PATH ?? '',
    // The bus of a single process has no principals.
    provide: async (key) => (config.NATS_URL ? provideNow(database, bus, key) : null),
  };
  const handlers: Handlers<Services> = {
    tenants: {
      create: tenants.create,
      list: tenants.list,
      get: tenants.get,
      update: tenants.update,
      delete: tenants.delete,
      export: exportTenant,
    },
    credentials,
    roles,
    busPrincipals,
    roleBindings,
    policies,
    access,
    auditEvents,
    parkedMessages,
    platform,
    vendors,
    commandTypes,
    commands: {
      createMany: commands.createMany,
      get: commands.get,
      list: commands.list,
      summary: summaryCommands,
      figures: figuresCommands,
      cancel: commands.cancel,
    },
    deviceRequests,
    events: { list: listEvents({ waitFor, keyring, database, metrics }) },
    catalog,
    callbackEndpoints,
    callbackSubscriptions,
    objects,
    objectCredentials,
    objectResources,
    me: { get: getMe(platformVersion, limitsOf(config)) },
  };
  return {
    // A fifth of the connections stays for other tenants. If half stayed, a tenant alone would read 0.65 times as fast.
    callHandler: createCallHandler(handlers, {
      services,
      keyring,
      atOnce: config.DATABASE_URL ? Math.floor(config.DATABASE_POOL_SIZE * 0.8) : 1,
    }),
    createCommand: commands.createCommand(acceptance),
  };
}

export type Router = ReturnType<typeof createRouter>;
