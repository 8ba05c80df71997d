import type { components, operations } from './api.gen.js';

type Schemas = components['schemas'];
type QueryOf<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>;

export type Tenant = Schemas['Tenant'];
export type TenantCreate = Schemas['TenantCreate'];
export type TenantUpdate = Schemas['TenantUpdate'];
export type TenantListQuery = QueryOf<'tenants.list'>;

export type Credential = Schemas['Credential'];
export type CredentialWithSecret = Schemas['CredentialWithSecret'];
export type CredentialUpdated = Schemas['CredentialUpdated'];
export type CredentialCreate = Schemas['CredentialCreate'];
export type CredentialUpdate = Schemas['CredentialUpdate'];
export type CredentialListQuery = QueryOf<'credentials.list'>;

export type Role = Schemas['Role'];
/** The known scopes are suggested; a later platform may have others. */
export type Scope = Role['scopes'][number];
export type RolePut = Omit<Schemas['RolePut'], 'scopes'> & {
  /** All permissions of the role, each once. What is not named is no longer granted. */
  scopes: Scope[];
};
export type RoleDeleted = Schemas['RoleDeleted'];
export type RoleListQuery = QueryOf<'roles.list'>;

export type RoleBinding = Schemas['RoleBinding'];
export type RoleBindingCreate = Schemas['RoleBindingCreate'];
export type RoleBindingDeleted = Schemas['RoleBindingDeleted'];
export type RoleBindingListQuery = QueryOf<'roleBindings.list'>;

export type Policy = Schemas['Policy'];
export type PolicyCreate = Omit<Schemas['PolicyCreate'], 'scope'> & { scope: Scope };
export type PolicyDeleted = Schemas['PolicyDeleted'];
export type PolicyListQuery = QueryOf<'policies.list'>;

export type BusPrincipal = Schemas['BusPrincipal'];
export type BusPrincipalCreate = Schemas['BusPrincipalCreate'];
export type BusPrincipalUpdate = Schemas['BusPrincipalUpdate'];
export type BusPrincipalListQuery = QueryOf<'busPrincipals.list'>;

export type CatalogVendor = Schemas['CatalogVendor'];
export type VendorPut = Schemas['VendorPut'];
export type VendorListQuery = QueryOf<'vendors.list'>;

export type CatalogCommandType = Schemas['CatalogCommandType'];
export type CommandTypePut = Schemas['CommandTypePut'];
export type CommandTypeListQuery = QueryOf<'commandTypes.list'>;

export type AuditEvent = Schemas['AuditEvent'];
export type AuditEventListQuery = QueryOf<'auditEvents.list'>;

export type Command = Schemas['Command'];
export type CommandAccepted = Schemas['CommandAccepted'];
/** idempotency_key: made by the client where it is absent. */
export type CommandCreate = Omit<Schemas['CommandCreate'], 'idempotency_key'> &
  Partial<Pick<Schemas['CommandCreate'], 'idempotency_key'>>;
export type CommandGetQuery = QueryOf<'commands.get'>;
export type CommandListQuery = QueryOf<'commands.list'>;

/** An entry of the event log. */
export type PlatformEvent = Schemas['Event'];
export type EventListQuery = QueryOf<'events.list'>;

export type DeviceRequest = Schemas['DeviceRequest'];
export type DeviceRequestReply = Schemas['DeviceRequestReply'];
export type DeviceRequestListQuery = QueryOf<'deviceRequests.list'>;

export type Catalog = Schemas['Catalog'];

export type PresignRequest = Schemas['PresignRequest'];
export type PresignedRequest = Schemas['PresignedRequest'];

export type ObjectCredential = Schemas['ObjectCredential'];
export type ObjectCredentialCreate = Schemas['ObjectCredentialCreate'];
export type ObjectCredentialUpdate = Schemas['ObjectCredentialUpdate'];
export type ObjectCredentialListQuery = QueryOf<'objectCredentials.list'>;

export type ObjectResource = Schemas['ObjectResource'];
export type ObjectResourceCreate = Schemas['ObjectResourceCreate'];
export type ObjectResourceUpdate = Schemas['ObjectResourceUpdate'];
export type ObjectResourceListQuery = QueryOf<'objectResources.list'>;

export type CallbackEndpoint = Schemas['CallbackEndpoint'];
export type CallbackEndpointWithSecret = Schemas['CallbackEndpointWithSecret'];
export type CallbackEndpointUpdated = Schemas['CallbackEndpointUpdated'];
export type CallbackEndpointCreate = Schemas['CallbackEndpointCreate'];
export type CallbackEndpointUpdate = Schemas['CallbackEndpointUpdate'];
export type CallbackEndpointListQuery = QueryOf<'callbackEndpoints.list'>;

export type CallbackSubscription = Schemas['CallbackSubscription'];
export type CallbackSubscriptionCreate = Schemas['CallbackSubscriptionCreate'];
export type CallbackSubscriptionDeleted = Schemas['CallbackSubscriptionDeleted'];
export type CallbackSubscriptionListQuery = QueryOf<'callbackSubscriptions.list'>;

export type Me = Schemas['Me'];

export type ErrorBody = Schemas['Error'];
export type ErrorDetail = NonNullable<ErrorBody['details']>[number];
/** The codes of this version of the client; a later platform may answer others. */
export type ErrorCode = ErrorBody['code'];
