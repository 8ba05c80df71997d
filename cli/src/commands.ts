import type { Command } from '@commander-js/extra-typings';
import { auditEventsList } from './commands/audit-events/list.js';
import { busPrincipalsCreate } from './commands/bus-principals/create.js';
import { busPrincipalsGet } from './commands/bus-principals/get.js';
import { busPrincipalsList } from './commands/bus-principals/list.js';
import { busPrincipalsUpdate } from './commands/bus-principals/update.js';
import { callbackEndpointsCreate } from './commands/callback-endpoints/create.js';
import { callbackEndpointsGet } from './commands/callback-endpoints/get.js';
import { callbackEndpointsList } from './commands/callback-endpoints/list.js';
import { callbackEndpointsRotate } from './commands/callback-endpoints/rotate.js';
import { callbackEndpointsUpdate } from './commands/callback-endpoints/update.js';
import { callbackSubscriptionsCreate } from './commands/callback-subscriptions/create.js';
import { callbackSubscriptionsDelete } from './commands/callback-subscriptions/delete.js';
import { callbackSubscriptionsList } from './commands/callback-subscriptions/list.js';
import { catalogGet } from './commands/catalog/get.js';
import { commandTypesList } from './commands/command-types/list.js';
import { commandTypesPut } from './commands/command-types/put.js';
import { commandsCancel } from './commands/commands/cancel.js';
import { commandsCreate } from './commands/commands/create.js';
import { commandsGet } from './commands/commands/get.js';
import { commandsList } from './commands/commands/list.js';
import { commandsWait } from './commands/commands/wait.js';
import { credentialsCreate } from './commands/credentials/create.js';
import { credentialsGet } from './commands/credentials/get.js';
import { credentialsList } from './commands/credentials/list.js';
import { credentialsRotate } from './commands/credentials/rotate.js';
import { credentialsUpdate } from './commands/credentials/update.js';
import { deviceRequestsGet } from './commands/device-requests/get.js';
import { deviceRequestsList } from './commands/device-requests/list.js';
import { deviceRequestsReply } from './commands/device-requests/reply.js';
import { eventsList } from './commands/events/list.js';
import { login } from './commands/login.js';
import { meGet } from './commands/me/get.js';
import { objectCredentialsCreate } from './commands/object-credentials/create.js';
import { objectCredentialsList } from './commands/object-credentials/list.js';
import { objectCredentialsUpdate } from './commands/object-credentials/update.js';
import { objectResourcesCreate } from './commands/object-resources/create.js';
import { objectResourcesList } from './commands/object-resources/list.js';
import { objectResourcesUpdate } from './commands/object-resources/update.js';
import { objectsDownload } from './commands/objects/download.js';
import { objectsPresign } from './commands/objects/presign.js';
import { objectsUpload } from './commands/objects/upload.js';
import { policiesCreate } from './commands/policies/create.js';
import { policiesDelete } from './commands/policies/delete.js';
import { policiesList } from './commands/policies/list.js';
import { roleBindingsCreate } from './commands/role-bindings/create.js';
import { roleBindingsDelete } from './commands/role-bindings/delete.js';
import { roleBindingsList } from './commands/role-bindings/list.js';
import { rolesDelete } from './commands/roles/delete.js';
import { rolesList } from './commands/roles/list.js';
import { rolesPut } from './commands/roles/put.js';
import { tenantsCreate } from './commands/tenants/create.js';
import { tenantsGet } from './commands/tenants/get.js';
import { tenantsList } from './commands/tenants/list.js';
import { tenantsUpdate } from './commands/tenants/update.js';
import { vendorsList } from './commands/vendors/list.js';
import { vendorsPut } from './commands/vendors/put.js';
import { whoami } from './commands/whoami.js';
import type { Invocation } from './invocation.js';

/** The command that gets the new command as its child. */
export type Group = Command<[], Record<string, unknown>>;

type Entry = {
  /** Null for commands without an object. */
  name: string | null;
  description: string;
  commands: readonly ((group: Group, invocation: Invocation) => void)[];
};

/** Every command, in the order of the help. */
export const commandGroups: readonly Entry[] = [
  { name: null, description: '', commands: [login, whoami] },
  {
    name: 'tenants',
    description: 'Tenants, the boundaries of data isolation.',
    commands: [tenantsCreate, tenantsList, tenantsGet, tenantsUpdate],
  },
  {
    name: 'credentials',
    description: 'Credentials, which sign requests.',
    commands: [credentialsCreate, credentialsList, credentialsGet, credentialsUpdate, credentialsRotate],
  },
  {
    name: 'roles',
    description: 'Roles that credentials can be bound to.',
    commands: [rolesList, rolesPut, rolesDelete],
  },
  {
    name: 'role-bindings',
    description: 'Which credential has which role.',
    commands: [roleBindingsCreate, roleBindingsList, roleBindingsDelete],
  },
  {
    name: 'policies',
    description: 'Scopes that credentials hold without a role.',
    commands: [policiesCreate, policiesList, policiesDelete],
  },
  {
    name: 'bus-principals',
    description: 'Users of the messaging bus.',
    commands: [busPrincipalsCreate, busPrincipalsList, busPrincipalsGet, busPrincipalsUpdate],
  },
  { name: 'audit-events', description: 'Who changed what, and who was refused.', commands: [auditEventsList] },
  { name: 'vendors', description: "Vendors of the platform's catalog.", commands: [vendorsList, vendorsPut] },
  {
    name: 'command-types',
    description: 'What can be sent to the devices of a vendor.',
    commands: [commandTypesList, commandTypesPut],
  },
  {
    name: 'commands',
    description: 'Commands for devices.',
    commands: [commandsCreate, commandsGet, commandsList, commandsWait, commandsCancel],
  },
  { name: 'events', description: 'What happened to commands.', commands: [eventsList] },
  {
    name: 'device-requests',
    description: 'What devices ask.',
    commands: [deviceRequestsList, deviceRequestsGet, deviceRequestsReply],
  },
  { name: 'catalog', description: 'Vendors and their command types.', commands: [catalogGet] },
  {
    name: 'objects',
    description: "Objects in the tenant's own stores.",
    commands: [objectsUpload, objectsDownload, objectsPresign],
  },
  {
    name: 'object-credentials',
    description: "Access to the tenant's own stores.",
    commands: [objectCredentialsCreate, objectCredentialsList, objectCredentialsUpdate],
  },
  {
    name: 'object-resources',
    description: 'What may be presigned.',
    commands: [objectResourcesCreate, objectResourcesList, objectResourcesUpdate],
  },
  {
    name: 'callback-endpoints',
    description: 'Where a later delivery service sends events. The platform delivers nothing.',
    commands: [
      callbackEndpointsCreate,
      callbackEndpointsList,
      callbackEndpointsGet,
      callbackEndpointsUpdate,
      callbackEndpointsRotate,
    ],
  },
  {
    name: 'callback-subscriptions',
    description: 'Which events an endpoint gets.',
    commands: [callbackSubscriptionsCreate, callbackSubscriptionsList, callbackSubscriptionsDelete],
  },
  { name: 'me', description: 'The credential that signs.', commands: [meGet] },
];
