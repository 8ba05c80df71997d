import type {
  Catalog,
  Command,
  CommandAccepted,
  Credential,
  Me,
  Role,
  RoleBinding,
  Tenant,
} from '@tenant-open-platform/sdk';
import type { View } from './output.js';

export const tenantView: View<Tenant> = {
  id: (tenant) => tenant.tenant_id,
  columns: ['tenant_id', 'name', 'status', 'created_at'],
};

export const credentialView: View<Credential> = {
  id: (credential) => credential.client_id,
  columns: ['client_id', 'name', 'status', 'secret_version', 'expires_at', 'created_at'],
};

export const roleView: View<Role> = { id: (role) => role.role, columns: ['role', 'built_in', 'scopes'] };

export const roleBindingView: View<Pick<RoleBinding, 'client_id' | 'role'> & { created_at?: string }> = {
  id: (binding) => `${binding.client_id} ${binding.role}`,
  columns: ['client_id', 'role', 'created_at'],
};

export const acceptedCommandView: View<CommandAccepted> = {
  id: (command) => command.command_id,
  columns: ['command_id', 'status', 'accepted_at'],
};

export const commandView: View<Command> = {
  id: (command) => command.command_id,
  columns: ['command_id', 'vendor', 'device_id', 'command_type', 'status', 'accepted_at'],
};

export const meView: View<Me> = { id: (me) => me.client_id, columns: ['client_id', 'tenant_id', 'roles'] };

type CatalogEntry = { vendor: string } & Catalog['vendors'][number]['command_types'][number];

export const catalogEntryView: View<CatalogEntry> = {
  id: (entry) => `${entry.vendor} ${entry.command_type}`,
  columns: ['vendor', 'command_type', 'description'],
};
