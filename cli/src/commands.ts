import type { Command } from '@commander-js/extra-typings';
import { catalogGet } from './commands/catalog/get.js';
import { commandsCreate } from './commands/commands/create.js';
import { commandsGet } from './commands/commands/get.js';
import { commandsList } from './commands/commands/list.js';
import { credentialsCreate } from './commands/credentials/create.js';
import { credentialsGet } from './commands/credentials/get.js';
import { credentialsList } from './commands/credentials/list.js';
import { credentialsRotate } from './commands/credentials/rotate.js';
import { credentialsUpdate } from './commands/credentials/update.js';
import { login } from './commands/login.js';
import { meGet } from './commands/me/get.js';
import { roleBindingsCreate } from './commands/role-bindings/create.js';
import { roleBindingsDelete } from './commands/role-bindings/delete.js';
import { roleBindingsList } from './commands/role-bindings/list.js';
import { rolesList } from './commands/roles/list.js';
import { tenantsCreate } from './commands/tenants/create.js';
import { tenantsGet } from './commands/tenants/get.js';
import { tenantsList } from './commands/tenants/list.js';
import { tenantsUpdate } from './commands/tenants/update.js';
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
  { name: 'roles', description: 'Roles that credentials can be bound to.', commands: [rolesList] },
  {
    name: 'role-bindings',
    description: 'Which credential has which role.',
    commands: [roleBindingsCreate, roleBindingsList, roleBindingsDelete],
  },
  { name: 'commands', description: 'Commands for devices.', commands: [commandsCreate, commandsGet, commandsList] },
  { name: 'catalog', description: 'Vendors and their command types.', commands: [catalogGet] },
  { name: 'me', description: 'The credential that signs.', commands: [meGet] },
];
