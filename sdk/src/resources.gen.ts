// Generated from contract/openapi.json by `pnpm golden`.
import type {
  AccesExplainQuery,
  AccesListQuery,
  AccessExplanation,
  AuditEvent,
  AuditEventListQuery,
  BusPrincipal,
  BusPrincipalCreate,
  BusPrincipalListQuery,
  BusPrincipalUpdate,
  CallbackEndpoint,
  CallbackEndpointCreate,
  CallbackEndpointDeleted,
  CallbackEndpointListQuery,
  CallbackEndpointUpdate,
  CallbackEndpointUpdated,
  CallbackEndpointWithSecret,
  CallbackSubscription,
  CallbackSubscriptionCreate,
  CallbackSubscriptionDeleted,
  CallbackSubscriptionListQuery,
  CallbackSubscriptionUpdate,
  Catalog,
  CatalogCommandType,
  CatalogVendor,
  Command,
  CommandAccepted,
  CommandCancel,
  CommandCreate,
  CommandFigures,
  CommandFiguresQuery,
  CommandGetQuery,
  CommandListQuery,
  CommandSummary,
  CommandSummaryQuery,
  CommandTypeListQuery,
  CommandTypePut,
  Credential,
  CredentialCreate,
  CredentialListQuery,
  CredentialUpdate,
  CredentialUpdated,
  CredentialWithSecret,
  DeviceRequest,
  DeviceRequestListQuery,
  DeviceRequestReply,
  EventListQuery,
  Holder,
  ListedDeviceRequest,
  ListedEvent,
  Me,
  ObjectCredential,
  ObjectCredentialCreate,
  ObjectCredentialDeleted,
  ObjectCredentialListQuery,
  ObjectCredentialUpdate,
  ObjectResource,
  ObjectResourceCreate,
  ObjectResourceDeleted,
  ObjectResourceListQuery,
  ObjectResourceUpdate,
  ParkedMessage,
  ParkedMessageDeleted,
  ParkedMessageListQuery,
  ParkedMessageRetried,
  ParkedMessageRetry,
  ParkedMessageWithBody,
  PlatformState,
  Policy,
  PolicyCreate,
  PolicyDeleted,
  PolicyListQuery,
  PolicyRevokeQuery,
  PresignRequest,
  PresignedRequest,
  Role,
  RoleBinding,
  RoleBindingCreate,
  RoleBindingDeleted,
  RoleBindingListQuery,
  RoleDeleted,
  RoleListQuery,
  RolePut,
  Tenant,
  TenantCreate,
  TenantDeleteQuery,
  TenantExportItem,
  TenantExportQuery,
  TenantListQuery,
  TenantUpdate,
  VendorListQuery,
  VendorPut,
} from './api.gen.js';
import type { ApiPromise } from './core/api-promise.js';
import type { PagePromise } from './core/page.js';
import type { KeyedRequestOptions, RequestOptions } from './core/request-options.js';

/** Commands to devices, and their outcomes. */
export interface CommandsResource {
  /**
   * Stores a command for a device and returns 202. The platform then sends the command to the adapter of the vendor.
   * 202 and ACCEPTED do not mean that the device executed the command. If the tenant already has a command with this
   * idempotency_key, the platform creates no second command. It returns the existing command, with the header
   * Idempotent-Replayed: true. If the body differs from the body of the first request, the header Idempotency-Mismatch
   * lists the fields that differ.
   *
   * Retried with the same idempotency_key.
   * Scope open:command:create.
   * Errors: PAYLOAD_TOO_LARGE, VENDOR_NOT_ENABLED, COMMAND_TYPE_UNKNOWN, COMMAND_PAYLOAD_INVALID.
   */
  create(body: CommandCreate, options?: RequestOptions): ApiPromise<CommandAccepted>;

  /**
   * Lists the commands of the tenant, newest first by default.
   *
   * Retried.
   * Scope open:command:read.
   * Errors: INVALID_CURSOR.
   */
  list(query?: CommandListQuery, options?: RequestOptions): PagePromise<Command>;

  /**
   * Returns one command of the tenant, with status, adapter_status, device_execution_status and public_status. With
   * wait_seconds, the platform waits until the status is final. With wait_seconds and seen_updated_at, it waits until
   * updated_at differs from seen_updated_at, or the status is final. After wait_seconds, it returns the command as it
   * is.
   *
   * Retried.
   * Scope open:command:read.
   * Errors: NOT_FOUND.
   */
  get(commandId: string, query?: CommandGetQuery, options?: RequestOptions): ApiPromise<Command>;

  /**
   * Returns how many commands of a batch or of a time range have each status. With group_by, it also counts them by
   * vendor, adapter status or reason. The 20 most frequent reasons of a response have groups of their own. One request
   * counts at most 10,000 commands, newest first. To count older commands, send `next_older_than` of the response as
   * `older_than`.
   *
   * Retried.
   * Scope open:command:read.
   */
  summary(query?: CommandSummaryQuery, options?: RequestOptions): ApiPromise<CommandSummary>;

  /**
   * Returns how many commands ended in each minute, hour or day of a time range, by status, and how long they took. A
   * point counts a minute if `completed_after` is at most 3 hours ago, an hour if it is at most 3 days ago, otherwise a
   * day. Figures are deleted after 31 days. With batch_id, the platform reads the commands of the batch: then the
   * length of the range decides.
   *
   * Retried.
   * Scope open:command:read.
   */
  figures(query?: CommandFiguresQuery, options?: RequestOptions): ApiPromise<CommandFigures>;

  /**
   * Cancels a command that the platform has not sent to the adapter yet (status ACCEPTED). A command that is already
   * CANCELED is returned unchanged. If the command has another status, the request is refused with
   * COMMAND_NOT_CANCELABLE.
   *
   * Retried.
   * Scope open:command:cancel.
   * Errors: NOT_FOUND, COMMAND_NOT_CANCELABLE, PAYLOAD_TOO_LARGE.
   */
  cancel(commandId: string, options?: RequestOptions): ApiPromise<Command>;
}

/** Requests from devices, and the replies to them. */
export interface DeviceRequestsResource {
  /**
   * Lists the requests from devices of the tenant, newest first by default. With wait_seconds, the platform waits at
   * most that many seconds for a request that matches. Then it returns a page, which can be empty. With order=desc, the
   * platform waits only if you send no cursor. To follow new requests, send order=asc and wait_seconds, and send each
   * next_cursor as cursor. With order=asc, next_cursor is never null.
   *
   * Retried.
   * Scope open:device-request:read.
   * Errors: INVALID_CURSOR.
   */
  list(query?: DeviceRequestListQuery, options?: RequestOptions): PagePromise<ListedDeviceRequest>;

  /**
   * Returns one device request and its reply. The path parameter request_id is the device_request_id, not the
   * correlation id.
   *
   * Retried.
   * Scope open:device-request:read.
   * Errors: NOT_FOUND.
   */
  get(deviceRequestId: string, options?: RequestOptions): ApiPromise<DeviceRequest>;

  /**
   * Sends the reply to a device request. The platform accepts only the first reply. 200 means that the reply is stored:
   * the platform sends it to the adapter, but not after `expires_at`. If you send the same reply again, the platform
   * returns the same response. It refuses a different reply with DEVICE_REQUEST_ALREADY_REPLIED. No built-in role has
   * the scope `open:device-request:create`. Grant it with a custom role or a policy.
   *
   * Retried.
   * Scope open:device-request:create.
   * Errors: NOT_FOUND, DEVICE_REQUEST_ALREADY_REPLIED, DEVICE_REQUEST_EXPIRED, PAYLOAD_TOO_LARGE.
   */
  reply(deviceRequestId: string, body: DeviceRequestReply, options?: RequestOptions): ApiPromise<DeviceRequest>;
}

/** The event log of the tenant's commands. */
export interface EventsResource {
  /**
   * Lists the events of the tenant, oldest first by default. To continue the list, send the cursor of the last item.
   * With wait_seconds, the platform waits at most that many seconds for an event that matches. Then it returns a page,
   * which can be empty. With from=now, the platform immediately returns an empty page. To get only new events, send
   * next_cursor of this page as cursor.
   *
   * Retried.
   * Scope open:event:read.
   * Errors: INVALID_CURSOR.
   */
  list(query?: EventListQuery, options?: RequestOptions): PagePromise<ListedEvent>;
}

/** The catalog: vendors and command types that the tenant can use. */
export interface CatalogResource {
  /**
   * Returns the vendors that the tenant can use, with their enabled command types and payload schemas.
   *
   * Retried.
   * Scope open:catalog:read.
   */
  get(options?: RequestOptions): ApiPromise<Catalog>;
}

/** The calling credential. */
export interface MeResource {
  /**
   * Returns the calling credential with its roles, scopes and limits. Every valid credential may call this operation.
   *
   * Retried.
   */
  get(options?: RequestOptions): ApiPromise<Me>;
}

/** Presigned URLs for objects in the tenant's own object stores. */
export interface ObjectsResource {
  /**
   * Checks the request against the rules of the object resource, and returns a presigned URL for one upload or
   * download. Upload or download directly with this URL. No other credentials are needed. The store enforces the
   * method, key, type, size and expiry. The platform records that it issued a URL, but does not store the URL.
   *
   * Retried.
   * Scope open:object:create.
   * Errors: OBJECT_POLICY_DENIED, NOT_FOUND, PAYLOAD_TOO_LARGE.
   */
  presign(body: PresignRequest, options?: RequestOptions): ApiPromise<PresignedRequest>;
}

/** Object credentials: access keys of the tenant's own S3-compatible stores. */
export interface ObjectCredentials {
  /**
   * Registers an access key of the tenant's own S3-compatible store. The secret access key is stored encrypted and
   * never returned. By default, a tenant can have 50 object credentials, including DISABLED ones.
   *
   * Retried with the same Idempotency-Key.
   * Scope open:object-config:create.
   * Errors: RESOURCE_LIMIT_REACHED, PAYLOAD_TOO_LARGE, IDEMPOTENCY_KEY_REUSED.
   */
  create(body: ObjectCredentialCreate, options?: KeyedRequestOptions): ApiPromise<ObjectCredential>;

  /**
   * Lists the object credentials of the tenant without their secrets, newest first.
   *
   * Retried.
   * Scope open:object-config:read.
   * Errors: INVALID_CURSOR.
   */
  list(query?: ObjectCredentialListQuery, options?: RequestOptions): PagePromise<ObjectCredential>;

  /**
   * Returns one object credential without its secrets.
   *
   * Retried.
   * Scope open:object-config:read.
   * Errors: NOT_FOUND.
   */
  get(credentialId: string, options?: RequestOptions): ApiPromise<ObjectCredential>;

  /**
   * Updates only the fields in the body. To rotate the access key, send access_key_id and secret_access_key together. A
   * change applies from the next presign request.
   *
   * Retried with the same Idempotency-Key.
   * Scope open:object-config:update.
   * Errors: NOT_FOUND, PAYLOAD_TOO_LARGE, IDEMPOTENCY_KEY_REUSED.
   */
  update(credentialId: string, body: ObjectCredentialUpdate, options?: KeyedRequestOptions): ApiPromise<ObjectCredential>;

  /**
   * Deletes the object credential and its secrets. The platform refuses the request while an object resource uses the
   * object credential, even if the resource is DISABLED. URLs issued earlier keep working until they expire.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope open:object-config:delete.
   * Errors: NOT_FOUND, OBJECT_CREDENTIAL_IN_USE.
   */
  delete(credentialId: string, options?: RequestOptions): ApiPromise<ObjectCredentialDeleted>;
}

/** Object resources: parts of buckets, with the rules for presigned URLs. */
export interface ObjectResources {
  /**
   * Allows presigned access to a part of a bucket. The object resource defines the allowed operations, key prefix,
   * content types, size and lifetime of URLs. By default, a tenant can have 200 object resources, including DISABLED
   * ones.
   *
   * Retried with the same Idempotency-Key.
   * Scope open:object-config:create.
   * Errors: NOT_FOUND, RESOURCE_LIMIT_REACHED, PAYLOAD_TOO_LARGE, IDEMPOTENCY_KEY_REUSED.
   */
  create(body: ObjectResourceCreate, options?: KeyedRequestOptions): ApiPromise<ObjectResource>;

  /**
   * Lists the object resources of the tenant, newest first.
   *
   * Retried.
   * Scope open:object-config:read.
   * Errors: INVALID_CURSOR.
   */
  list(query?: ObjectResourceListQuery, options?: RequestOptions): PagePromise<ObjectResource>;

  /**
   * Returns one object resource.
   *
   * Retried.
   * Scope open:object-config:read.
   * Errors: NOT_FOUND.
   */
  get(resourceId: string, options?: RequestOptions): ApiPromise<ObjectResource>;

  /**
   * Updates only the fields in the body. A change applies from the next presign request. URLs issued earlier keep
   * working until they expire.
   *
   * Retried.
   * Scope open:object-config:update.
   * Errors: NOT_FOUND, PAYLOAD_TOO_LARGE.
   */
  update(resourceId: string, body: ObjectResourceUpdate, options?: RequestOptions): ApiPromise<ObjectResource>;

  /**
   * Deletes the object resource. The platform presigns no more URLs for it. URLs issued earlier keep working until they
   * expire. The objects in the bucket are not deleted.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope open:object-config:delete.
   * Errors: NOT_FOUND.
   */
  delete(resourceId: string, options?: RequestOptions): ApiPromise<ObjectResourceDeleted>;
}

/** Callback endpoints: webhook URLs for events. The platform does not deliver webhooks yet. */
export interface CallbackEndpoints {
  /**
   * Stores a webhook URL. The platform does not deliver webhooks yet. The secret for signing webhook deliveries is
   * returned only in this response. By default, a tenant can have 50 callback endpoints, including DISABLED ones.
   *
   * Retried with the same Idempotency-Key.
   * Scope open:callback:create.
   * Errors: RESOURCE_LIMIT_REACHED, PAYLOAD_TOO_LARGE, IDEMPOTENCY_KEY_REUSED, CALLBACK_URL_NOT_ALLOWED.
   */
  create(body: CallbackEndpointCreate, options?: KeyedRequestOptions): ApiPromise<CallbackEndpointWithSecret>;

  /**
   * Lists the callback endpoints of the tenant without their secrets, newest first.
   *
   * Retried.
   * Scope open:callback:read.
   * Errors: INVALID_CURSOR.
   */
  list(query?: CallbackEndpointListQuery, options?: RequestOptions): PagePromise<CallbackEndpoint>;

  /**
   * Returns one callback endpoint without its secret.
   *
   * Retried.
   * Scope open:callback:read.
   * Errors: NOT_FOUND.
   */
  get(endpointId: string, options?: RequestOptions): ApiPromise<CallbackEndpoint>;

  /**
   * Updates only the fields in the body. With rotate_secret: true, the platform generates a new secret. The secret is
   * returned only in this response.
   *
   * Retried with the same Idempotency-Key.
   * Scope open:callback:update.
   * Errors: NOT_FOUND, PAYLOAD_TOO_LARGE, IDEMPOTENCY_KEY_REUSED, CALLBACK_URL_NOT_ALLOWED.
   */
  update(endpointId: string, body: CallbackEndpointUpdate, options?: KeyedRequestOptions): ApiPromise<CallbackEndpointUpdated>;

  /**
   * Deletes the callback endpoint, its subscriptions and its secrets.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope open:callback:disable.
   * Errors: NOT_FOUND.
   */
  delete(endpointId: string, options?: RequestOptions): ApiPromise<CallbackEndpointDeleted>;
}

/** Callback subscriptions: the event types that an endpoint will receive. */
export interface CallbackSubscriptions {
  /**
   * Subscribes the endpoint to an event type. An endpoint can have one subscription per type.
   *
   * Retried with the same Idempotency-Key.
   * Scope open:callback:create.
   * Errors: NOT_FOUND, RESOURCE_LIMIT_REACHED, SUBSCRIPTION_ALREADY_EXISTS, PAYLOAD_TOO_LARGE, IDEMPOTENCY_KEY_REUSED,
   * EVENT_TYPE_NOT_SUBSCRIBABLE.
   */
  create(endpointId: string, body: CallbackSubscriptionCreate, options?: KeyedRequestOptions): ApiPromise<CallbackSubscription>;

  /**
   * Lists the subscriptions of the endpoint, newest first.
   *
   * Retried.
   * Scope open:callback:read.
   * Errors: INVALID_CURSOR, NOT_FOUND.
   */
  list(endpointId: string, query?: CallbackSubscriptionListQuery, options?: RequestOptions): PagePromise<CallbackSubscription>;

  /**
   * Enables or disables the subscription.
   *
   * Retried.
   * Scope open:callback:update.
   * Errors: NOT_FOUND, PAYLOAD_TOO_LARGE.
   */
  update(endpointId: string, subscriptionId: string, body: CallbackSubscriptionUpdate, options?: RequestOptions): ApiPromise<CallbackSubscription>;

  /**
   * Deletes the subscription.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope open:callback:disable.
   * Errors: NOT_FOUND.
   */
  delete(endpointId: string, subscriptionId: string, options?: RequestOptions): ApiPromise<CallbackSubscriptionDeleted>;
}

/** Tenants. The data of a tenant is isolated from all other tenants. Platform administrators manage the tenants. */
export interface Tenants {
  /**
   * Creates a tenant. Create its first credential with credentials.create.
   *
   * Retried with the same Idempotency-Key.
   * Scope platform:tenant:create, in tenant `platform`.
   * Errors: NOT_FOUND, TENANT_ALREADY_EXISTS, RESOURCE_LIMIT_REACHED, PAYLOAD_TOO_LARGE, IDEMPOTENCY_KEY_REUSED,
   * TENANT_ID_RESERVED.
   */
  create(body: TenantCreate, options?: KeyedRequestOptions): ApiPromise<Tenant>;

  /**
   * Lists all tenants, newest first.
   *
   * Retried.
   * Scope platform:tenant:read, in tenant `platform`.
   * Errors: INVALID_CURSOR.
   */
  list(query?: TenantListQuery, options?: RequestOptions): PagePromise<Tenant>;

  /**
   * Returns one tenant. A tenant administrator can read only its own tenant.
   *
   * Retried.
   * Scope platform:tenant:read.
   * Errors: NOT_FOUND.
   */
  get(tenantId: string, options?: RequestOptions): ApiPromise<Tenant>;

  /**
   * Updates only the fields in the body. A change applies from the next request of the tenant.
   *
   * Retried.
   * Scope platform:tenant:update, in tenant `platform`.
   * Errors: NOT_FOUND, TENANT_DELETED, PAYLOAD_TOO_LARGE, TENANT_ID_RESERVED.
   */
  update(tenantId: string, body: TenantUpdate, options?: RequestOptions): ApiPromise<Tenant>;

  /**
   * Permanently deletes the data of a DISABLED tenant: configuration, secrets, commands, events, device requests,
   * parked messages and audit log. The response has the status DELETING. The platform deletes the data in the
   * background; tenants.get shows the progress. The tenant_id and the client ids remain, and can never be used again.
   * The audit event of the deletion remains in the log of the tenant `platform`. The audit event of the creation is
   * deleted. Logs of other tenants do not change. A repeated request changes nothing. Export the tenant first, with
   * tenants.export.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope platform:tenant:delete, in tenant `platform`.
   * Errors: NOT_FOUND, TENANT_NOT_DISABLED, TENANT_ID_RESERVED.
   */
  delete(tenantId: string, query: TenantDeleteQuery, options?: RequestOptions): ApiPromise<Tenant>;

  /**
   * Lists all stored data of a DISABLED tenant, except secrets. The order is: configuration, commands, events, device
   * requests, parked messages, audit log. Items of one type are in the order of their ids. Keep the tenant DISABLED
   * until you have read the last page.
   *
   * Retried.
   * Scope platform:tenant:export, in tenant `platform`.
   * Errors: INVALID_CURSOR, NOT_FOUND, TENANT_NOT_DISABLED.
   */
  export(tenantId: string, query?: TenantExportQuery, options?: RequestOptions): PagePromise<TenantExportItem>;
}

/** Credentials, with which clients sign requests. Each credential belongs to one tenant. */
export interface Credentials {
  /**
   * Creates a credential of the tenant. Its secret is returned only in this response. With rotate_secret: true and the
   * client_id of an existing credential of the tenant, the platform rotates the secret of that credential and returns
   * 200.
   *
   * Retried with the same Idempotency-Key.
   * Scope platform:credential:create.
   * Errors: NOT_FOUND, TENANT_DELETED, CREDENTIAL_ALREADY_EXISTS, CREDENTIAL_DELETED, RESOURCE_LIMIT_REACHED,
   * PAYLOAD_TOO_LARGE, IDEMPOTENCY_KEY_REUSED.
   */
  create(tenantId: string, body: CredentialCreate, options?: KeyedRequestOptions): ApiPromise<CredentialWithSecret>;

  /**
   * Lists the credentials of the tenant, newest first. The body is a JSON array. The header Link has the URL of the
   * next page (rel="next"), and the header X-Next-Cursor has its cursor.
   *
   * Retried.
   * Scope platform:credential:read.
   * Errors: INVALID_CURSOR, NOT_FOUND.
   */
  list(tenantId: string, query?: CredentialListQuery, options?: RequestOptions): PagePromise<Credential>;

  /**
   * Returns one credential without its secret.
   *
   * Retried.
   * Scope platform:credential:read.
   * Errors: NOT_FOUND.
   */
  get(tenantId: string, clientId: string, options?: RequestOptions): ApiPromise<Credential>;

  /**
   * Updates only the fields in the body. A change applies from the next request of the credential.
   *
   * Retried with the same Idempotency-Key.
   * Scope platform:credential:update.
   * Errors: NOT_FOUND, TENANT_DELETED, CREDENTIAL_DELETED, LAST_PLATFORM_ADMINISTRATOR, PAYLOAD_TOO_LARGE,
   * IDEMPOTENCY_KEY_REUSED.
   */
  update(tenantId: string, clientId: string, body: CredentialUpdate, options?: KeyedRequestOptions): ApiPromise<CredentialUpdated>;
}

/** Roles: named sets of scopes. */
export interface Roles {
  /**
   * Lists the roles of the tenant with their scopes: first the built-in roles, then the custom roles by name.
   *
   * Retried.
   * Scope platform:access:read.
   * Errors: INVALID_CURSOR, NOT_FOUND.
   */
  list(tenantId: string, query?: RoleListQuery, options?: RequestOptions): PagePromise<Role>;

  /**
   * Creates a custom role of the tenant, or replaces its scopes. A change applies from the next request of every
   * credential with this role. The caller can grant any open:* scope. The caller can grant a platform:* scope only if
   * the caller has that scope.
   *
   * Retried.
   * Scope platform:access:update.
   * Errors: NOT_FOUND, TENANT_DELETED, ROLE_BUILT_IN, RESOURCE_LIMIT_REACHED, PAYLOAD_TOO_LARGE, SCOPE_UNKNOWN.
   */
  put(tenantId: string, role: string, body: RolePut, options?: RequestOptions): ApiPromise<Role>;

  /**
   * Deletes a custom role. A role with bindings cannot be deleted.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope platform:access:delete.
   * Errors: NOT_FOUND, TENANT_DELETED, ROLE_BUILT_IN, ROLE_IN_USE.
   */
  delete(tenantId: string, role: string, options?: RequestOptions): ApiPromise<RoleDeleted>;
}

/** Role bindings: which credential has which role. */
export interface RoleBindings {
  /**
   * Grants the scopes of a role to a credential of the tenant. The caller can grant any open:* scope. The caller can
   * grant a platform:* scope only if the caller has that scope.
   *
   * Retried with the same Idempotency-Key.
   * Scope platform:access:create.
   * Errors: NOT_FOUND, TENANT_DELETED, CREDENTIAL_DELETED, ROLE_BINDING_ALREADY_EXISTS, RESOURCE_LIMIT_REACHED,
   * PAYLOAD_TOO_LARGE, IDEMPOTENCY_KEY_REUSED.
   */
  create(tenantId: string, body: RoleBindingCreate, options?: KeyedRequestOptions): ApiPromise<RoleBinding>;

  /**
   * Lists the role bindings of the tenant, newest first.
   *
   * Retried.
   * Scope platform:access:read.
   * Errors: INVALID_CURSOR, NOT_FOUND, SCOPE_UNKNOWN.
   */
  list(tenantId: string, query?: RoleBindingListQuery, options?: RequestOptions): PagePromise<RoleBinding>;

  /**
   * Removes the role from the credential. A change applies from the next request of the credential.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope platform:access:delete.
   * Errors: NOT_FOUND, TENANT_DELETED, LAST_PLATFORM_ADMINISTRATOR.
   */
  delete(tenantId: string, clientId: string, role: string, options?: RequestOptions): ApiPromise<RoleBindingDeleted>;
}

/** Policies: scopes that are granted directly to a credential, without a role. */
export interface Policies {
  /**
   * Grants one scope directly to a credential of the tenant, without a role. The caller can grant any open:* scope. The
   * caller can grant a platform:* scope only if the caller has that scope.
   *
   * Retried with the same Idempotency-Key.
   * Scope platform:access:create.
   * Errors: NOT_FOUND, TENANT_DELETED, CREDENTIAL_DELETED, POLICY_ALREADY_EXISTS, RESOURCE_LIMIT_REACHED,
   * PAYLOAD_TOO_LARGE, IDEMPOTENCY_KEY_REUSED, SCOPE_UNKNOWN.
   */
  create(tenantId: string, body: PolicyCreate, options?: KeyedRequestOptions): ApiPromise<Policy>;

  /**
   * Lists the scopes that are granted directly to credentials of the tenant, newest first. roles.list shows the scopes
   * of roles.
   *
   * Retried.
   * Scope platform:access:read.
   * Errors: INVALID_CURSOR, NOT_FOUND, SCOPE_UNKNOWN.
   */
  list(tenantId: string, query?: PolicyListQuery, options?: RequestOptions): PagePromise<Policy>;

  /**
   * Deletes the policy that grants this scope to this credential. A change applies from the next request of the
   * credential. The credential keeps the scope if one of its roles grants it.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope platform:access:delete.
   * Errors: NOT_FOUND, TENANT_DELETED, SCOPE_UNKNOWN.
   */
  revoke(tenantId: string, query: PolicyRevokeQuery, options?: RequestOptions): ApiPromise<Policy>;

  /**
   * Deletes the policy. A change applies from the next request of the credential. The credential keeps the scope if one
   * of its roles grants it.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope platform:access:delete.
   * Errors: NOT_FOUND, TENANT_DELETED.
   */
  delete(tenantId: string, policyId: string, options?: RequestOptions): ApiPromise<PolicyDeleted>;
}

/** Access: which operations a credential can call, and which roles and policies grant the access. */
export interface Access {
  /**
   * Returns whether a credential of the tenant can call an operation, and which role bindings and policies of the
   * credential grant the scope of the operation. granting_roles lists the roles of the tenant that grant the scope.
   * Even if `granted` is true, the credential cannot grant or revoke a platform:* scope that it does not have. It also
   * cannot change a credential that has such a scope.
   *
   * Retried.
   * Scope platform:access:read.
   * Errors: NOT_FOUND.
   */
  explain(tenantId: string, clientId: string, query: AccesExplainQuery, options?: RequestOptions): ApiPromise<AccessExplanation>;

  /**
   * Lists the credentials of the tenant that have a role binding or a policy, the newest credential first. With
   * `scope`: only credentials that have this scope, by a role or by a policy. With `role`: only credentials with this
   * role. `limit` counts credentials. Each credential has all its role bindings and policies that match.
   *
   * Retried.
   * Scope platform:access:read.
   * Errors: INVALID_CURSOR, NOT_FOUND, SCOPE_UNKNOWN.
   */
  list(tenantId: string, query?: AccesListQuery, options?: RequestOptions): PagePromise<Holder>;
}

/** Messaging-bus principals: NATS users, identified by a public nkey. */
export interface BusPrincipals {
  /**
   * Registers a NATS user with two public nkeys: one of the user and one of its account. Do not send private seeds,
   * which begin with S: the platform refuses them. The principal can connect after the operator has reloaded the NATS
   * configuration.
   *
   * Retried with the same Idempotency-Key.
   * Scope platform:bus-principal:create.
   * Errors: NOT_FOUND, TENANT_DELETED, CREDENTIAL_DELETED, BUS_PRINCIPAL_ALREADY_EXISTS, RESOURCE_LIMIT_REACHED,
   * PAYLOAD_TOO_LARGE, IDEMPOTENCY_KEY_REUSED, BUS_KEY_INVALID, BUS_SEED_NOT_ALLOWED.
   */
  create(tenantId: string, body: BusPrincipalCreate, options?: KeyedRequestOptions): ApiPromise<BusPrincipal>;

  /**
   * Lists the principals of the tenant, newest first.
   *
   * Retried.
   * Scope platform:bus-principal:read.
   * Errors: INVALID_CURSOR, NOT_FOUND.
   */
  list(tenantId: string, query?: BusPrincipalListQuery, options?: RequestOptions): PagePromise<BusPrincipal>;

  /**
   * Returns one principal.
   *
   * Retried.
   * Scope platform:bus-principal:read.
   * Errors: NOT_FOUND.
   */
  get(tenantId: string, principalId: string, options?: RequestOptions): ApiPromise<BusPrincipal>;

  /**
   * Updates only the fields in the body. The change applies on the bus after the operator has reloaded the NATS
   * configuration. DELETED is final.
   *
   * Retried.
   * Scope platform:bus-principal:update.
   * Errors: NOT_FOUND, TENANT_DELETED, BUS_PRINCIPAL_DELETED, PAYLOAD_TOO_LARGE.
   */
  update(tenantId: string, principalId: string, body: BusPrincipalUpdate, options?: RequestOptions): ApiPromise<BusPrincipal>;
}

/** Vendors in the platform catalog. Platform administrators manage them. */
export interface Vendors {
  /**
   * Lists all vendors, including disabled ones, newest first.
   *
   * Retried.
   * Scope platform:catalog:read, in tenant `platform`.
   * Errors: INVALID_CURSOR.
   */
  list(query?: VendorListQuery, options?: RequestOptions): PagePromise<CatalogVendor>;

  /**
   * Adds a vendor to the catalog, or updates it. Commands for a disabled vendor are refused immediately. The platform
   * still processes the commands that it accepted earlier.
   *
   * Retried.
   * Scope platform:catalog:update, in tenant `platform`.
   * Errors: NOT_FOUND, RESOURCE_LIMIT_REACHED, PAYLOAD_TOO_LARGE.
   */
  put(vendor: string, body: VendorPut, options?: RequestOptions): ApiPromise<CatalogVendor>;
}

/** Command types that the devices of a vendor support. Platform administrators manage them. */
export interface CommandTypes {
  /**
   * Lists all command types of the vendor, including disabled ones, newest first.
   *
   * Retried.
   * Scope platform:catalog:read, in tenant `platform`.
   * Errors: INVALID_CURSOR, NOT_FOUND.
   */
  list(vendor: string, query?: CommandTypeListQuery, options?: RequestOptions): PagePromise<CatalogCommandType>;

  /**
   * Adds a command type to the catalog, or updates only the fields in the body. A changed payload_schema increments
   * `revision` and applies from the next command.
   *
   * Retried.
   * Scope platform:catalog:update, in tenant `platform`.
   * Errors: NOT_FOUND, RESOURCE_LIMIT_REACHED, PAYLOAD_TOO_LARGE, PAYLOAD_SCHEMA_INVALID.
   */
  put(vendor: string, commandType: string, body: CommandTypePut, options?: RequestOptions): ApiPromise<CatalogCommandType>;
}

/** Audit events: records of administrative changes and of denied requests for changes. */
export interface AuditEvents {
  /**
   * Lists the audit events of the tenant, newest first: administrative changes to the tenant, and denied requests for
   * changes. An audit event has the calling credential, its IP address, the operation, and the values before and after
   * the change. You see the values only if you may read the resource. A change and its audit event are stored in one
   * transaction. Audit events are immutable.
   *
   * Retried.
   * Scope platform:audit:read.
   * Errors: INVALID_CURSOR, NOT_FOUND.
   */
  list(tenantId: string, query?: AuditEventListQuery, options?: RequestOptions): PagePromise<AuditEvent>;
}

/** Parked messages (dead letters): messages that the platform or the messaging bus refused, each with the reason. */
export interface ParkedMessages {
  /**
   * Lists the tenant's refused messages, with the reason, newest first. Messages that belong to no tenant are in the
   * list of the tenant `platform`.
   *
   * Retried.
   * Scope platform:parked-message:read.
   * Errors: INVALID_CURSOR, NOT_FOUND.
   */
  list(tenantId: string, query?: ParkedMessageListQuery, options?: RequestOptions): PagePromise<ParkedMessage>;

  /**
   * Returns one parked message with its body.
   *
   * Retried.
   * Scope platform:parked-message:read.
   * Errors: NOT_FOUND.
   */
  get(tenantId: string, parkedMessageId: string, options?: RequestOptions): ApiPromise<ParkedMessageWithBody>;

  /**
   * Permanently deletes the parked message.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope platform:parked-message:delete.
   * Errors: NOT_FOUND, TENANT_DELETED.
   */
  delete(tenantId: string, parkedMessageId: string, options?: RequestOptions): ApiPromise<ParkedMessageDeleted>;

  /**
   * Publishes the message again on its subject. When the bus acknowledges a DEVICE_REPLY or EVENT, the platform removes
   * the parked message. When the platform has processed a COMMAND_UPDATE or DEVICE_REQUEST, it removes the parked
   * message, usually within a second. If the platform refuses the message again, it is parked under a new id with the
   * new reason. If a repeated request returns NOT_FOUND, the message is no longer parked under this id. Usually, the
   * first request published it. Otherwise, the message was deleted.
   *
   * Retried.
   * Scope platform:parked-message:retry.
   * Errors: NOT_FOUND, TENANT_DELETED, PARKED_MESSAGE_NOT_RETRYABLE, PAYLOAD_TOO_LARGE.
   */
  retry(tenantId: string, parkedMessageId: string, options?: RequestOptions): ApiPromise<ParkedMessageRetried>;
}

/** The state of the whole platform, for its administrators. */
export interface Platform {
  /**
   * Returns what waits to be published, when adapters last read commands of each vendor, how many messages are parked,
   * and which workers are alive. It contains no data of a tenant.
   *
   * Retried.
   * Scope platform:state:read, in tenant `platform`.
   */
  get(options?: RequestOptions): ApiPromise<PlatformState>;
}

/** The resources whose methods are all generated. */
export interface Resources {
  catalog: CatalogResource;
  me: MeResource;
  objectCredentials: ObjectCredentials;
  objectResources: ObjectResources;
  callbackEndpoints: CallbackEndpoints;
  callbackSubscriptions: CallbackSubscriptions;
  tenants: Tenants;
  credentials: Credentials;
  roles: Roles;
  roleBindings: RoleBindings;
  policies: Policies;
  access: Access;
  busPrincipals: BusPrincipals;
  vendors: Vendors;
  commandTypes: CommandTypes;
  auditEvents: AuditEvents;
  parkedMessages: ParkedMessages;
  platform: Platform;
}
