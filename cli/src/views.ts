import type {
  AuditEvent,
  BusPrincipal,
  CallbackEndpoint,
  CallbackSubscription,
  Catalog,
  CatalogCommandType,
  CatalogVendor,
  Command,
  CommandAccepted,
  Credential,
  DeviceRequest,
  DownloadedObject,
  Me,
  ObjectCredential,
  ObjectResource,
  PlatformEvent,
  Policy,
  PresignedRequest,
  Role,
  RoleBinding,
  Tenant,
  UploadedObject,
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

/** Of a role, a policy or a role binding that was deleted, the answer has the id alone. */
type Deletable<Item, Id extends keyof Item> = Pick<Item, Id> & Partial<Omit<Item, Id>>;

export const roleView: View<Deletable<Role, 'role'>> = {
  id: (role) => role.role,
  columns: ['role', 'built_in', 'scopes'],
};

export const roleBindingView: View<Deletable<RoleBinding, 'client_id' | 'role'>> = {
  id: (binding) => `${binding.client_id} ${binding.role}`,
  columns: ['client_id', 'role', 'created_at'],
};

export const policyView: View<Deletable<Policy, 'policy_id'>> = {
  id: (policy) => policy.policy_id,
  columns: ['policy_id', 'client_id', 'scope', 'created_at'],
};

export const busPrincipalView: View<BusPrincipal> = {
  id: (principal) => principal.principal_id,
  columns: ['principal_id', 'bus_user', 'principal_type', 'status', 'expires_at', 'created_at'],
};

export const auditEventView: View<AuditEvent> = {
  id: (event) => event.audit_event_id,
  columns: ['occurred_at', 'outcome', 'client_id', 'operation', 'target', 'changes'],
};

export const vendorView: View<CatalogVendor> = {
  id: (vendor) => vendor.vendor,
  columns: ['vendor', 'enabled', 'created_at', 'updated_at'],
};

export const commandTypeView: View<CatalogCommandType> = {
  id: (commandType) => `${commandType.vendor} ${commandType.command_type}`,
  columns: ['vendor', 'command_type', 'enabled', 'revision', 'description'],
};

export const acceptedCommandView: View<CommandAccepted> = {
  id: (command) => command.command_id,
  columns: ['command_id', 'status', 'accepted_at'],
};

export const commandView: View<Command> = {
  id: (command) => command.command_id,
  columns: ['command_id', 'vendor', 'device_id', 'command_type', 'status', 'accepted_at'],
};

/** In a table the fields of `data` stand beside those of the event. */
export const eventView: View<
  Pick<PlatformEvent, 'event_id' | 'occurred_at' | 'event_type'> & Partial<PlatformEvent['data']>
> = {
  id: (event) => event.event_id,
  columns: ['occurred_at', 'event_type', 'command_id', 'device_id', 'command_type', 'status'],
};

export const deviceRequestView: View<DeviceRequest> = {
  id: (request) => request.device_request_id,
  columns: ['device_request_id', 'vendor', 'device_id', 'request_type', 'status', 'received_at'],
};

export const meView: View<Me> = { id: (me) => me.client_id, columns: ['client_id', 'tenant_id', 'roles'] };

type CatalogEntry = { vendor: string } & Catalog['vendors'][number]['command_types'][number];

export const catalogEntryView: View<CatalogEntry> = {
  id: (entry) => `${entry.vendor} ${entry.command_type}`,
  columns: ['vendor', 'command_type', 'description'],
};

export const objectCredentialView: View<ObjectCredential> = {
  id: (credential) => credential.credential_id,
  columns: ['credential_id', 'name', 'endpoint', 'access_key_id', 'secret_version', 'status', 'created_at'],
};

export const objectResourceView: View<ObjectResource> = {
  id: (resource) => resource.resource_id,
  columns: ['resource_id', 'name', 'bucket', 'key_prefix', 'allowed_operations', 'status', 'created_at'],
};

export const presignedRequestView: View<PresignedRequest> = {
  id: (presigned) => presigned.presign_id,
  columns: ['presign_id', 'operation', 'object_key', 'expires_at'],
};

export const uploadedObjectView: View<UploadedObject> = {
  id: (object) => object.object_key,
  columns: ['object_key', 'content_type', 'content_length', 'etag'],
};

export const downloadedObjectView: View<Omit<DownloadedObject, 'body' | 'bytes' | 'blob' | 'text'>> = {
  id: (object) => object.object_key,
  columns: ['object_key', 'content_type', 'content_length', 'etag'],
};

export const callbackEndpointView: View<CallbackEndpoint> = {
  id: (endpoint) => endpoint.endpoint_id,
  columns: ['endpoint_id', 'name', 'url', 'status', 'secret_version', 'created_at'],
};

export const callbackSubscriptionView: View<Deletable<CallbackSubscription, 'subscription_id'>> = {
  id: (subscription) => subscription.subscription_id,
  columns: ['subscription_id', 'event_type', 'status', 'created_at'],
};
