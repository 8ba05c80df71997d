// Generated from contract/openapi.json by `pnpm golden`.
import type {
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
  CommandGetQuery,
  CommandListQuery,
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
import type { RequestOptions } from './core/request-options.js';
import type { Sender } from './core/send.js';

/** Tenants, the boundary of data isolation. Platform administrators manage them. */
export class Tenants {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Creates a tenant. Its first credential is made with credentials.create.
   *
   * Not retried after an unknown outcome, but throws an `UnknownOutcomeError`.
   * Scope platform:tenant:create, in tenant `platform`.
   * Errors: NOT_FOUND, TENANT_ALREADY_EXISTS, RESOURCE_LIMIT_REACHED, PAYLOAD_TOO_LARGE, TENANT_ID_RESERVED.
   */
  create(body: TenantCreate, options?: RequestOptions): ApiPromise<Tenant> {
    return this.sender.call('tenants.create', { body }, options);
  }

  /**
   * Lists all tenants, newest first.
   *
   * Retried.
   * Scope platform:tenant:read, in tenant `platform`.
   * Errors: INVALID_CURSOR.
   */
  list(query?: TenantListQuery, options?: RequestOptions): PagePromise<Tenant> {
    return this.sender.list('tenants.list', { query }, options);
  }

  /**
   * Reads one tenant. A tenant administrator reads its own.
   *
   * Retried.
   * Scope platform:tenant:read.
   * Errors: NOT_FOUND.
   */
  get(tenantId: string, options?: RequestOptions): ApiPromise<Tenant> {
    return this.sender.call('tenants.get', { path: [tenantId] }, options);
  }

  /**
   * Changes the fields that the body names and leaves the others.
   *
   * Retried.
   * Scope platform:tenant:update.
   * Errors: NOT_FOUND, TENANT_DELETED, PAYLOAD_TOO_LARGE, TENANT_ID_RESERVED.
   */
  update(tenantId: string, body: TenantUpdate, options?: RequestOptions): ApiPromise<Tenant> {
    return this.sender.call('tenants.update', { path: [tenantId], body }, options);
  }

  /**
   * Removes everything of a DISABLED tenant, forever: its configuration, secrets, commands, events, device requests and
   * audit log. The answer shows DELETING; the removal goes on in the background, and tenants.get shows its progress.
   * The id of the tenant, its client ids and one entry in the audit log of tenant `platform` stay. A repetition changes
   * nothing. Export the tenant first: tenants.export.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope platform:tenant:delete, in tenant `platform`.
   * Errors: NOT_FOUND, TENANT_NOT_DISABLED, TENANT_ID_RESERVED.
   */
  delete(tenantId: string, query: TenantDeleteQuery, options?: RequestOptions): ApiPromise<Tenant> {
    return this.sender.call('tenants.delete', { path: [tenantId], query }, options);
  }

  /**
   * Lists everything that the database keeps of a DISABLED tenant, except secrets: first its configuration, then
   * commands, events, device requests, parked messages and the audit log, each in the order of its ids. The tenant must
   * stay DISABLED until the last page.
   *
   * Retried.
   * Scope platform:tenant:export, in tenant `platform`.
   * Errors: INVALID_CURSOR, NOT_FOUND, TENANT_NOT_DISABLED.
   */
  export(tenantId: string, query?: TenantExportQuery, options?: RequestOptions): PagePromise<TenantExportItem> {
    return this.sender.list('tenants.export', { path: [tenantId], query }, options);
  }
}

/** Credentials, which sign requests. Each belongs to one tenant. */
export class Credentials {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Creates a credential of the tenant and returns its secret, this once. With rotate_secret: true and a client_id that
   * exists in the tenant, it makes a new secret instead and answers 200.
   *
   * Not retried after an unknown outcome, but throws an `UnknownOutcomeError`.
   * Scope platform:credential:create.
   * Errors: NOT_FOUND, TENANT_DELETED, CREDENTIAL_ALREADY_EXISTS, CREDENTIAL_DELETED, RESOURCE_LIMIT_REACHED,
   * PAYLOAD_TOO_LARGE.
   */
  create(tenantId: string, body: CredentialCreate, options?: RequestOptions): ApiPromise<CredentialWithSecret> {
    return this.sender.call('credentials.create', { path: [tenantId], body }, options);
  }

  /**
   * Lists the credentials of the tenant, newest first, as a bare JSON array. The next page is in the Link header
   * (rel="next") and its cursor in X-Next-Cursor.
   *
   * Retried.
   * Scope platform:credential:read.
   * Errors: INVALID_CURSOR, NOT_FOUND.
   */
  list(tenantId: string, query?: CredentialListQuery, options?: RequestOptions): PagePromise<Credential> {
    return this.sender.list('credentials.list', { path: [tenantId], query }, options);
  }

  /**
   * Reads one credential, never its secret.
   *
   * Retried.
   * Scope platform:credential:read.
   * Errors: NOT_FOUND.
   */
  get(tenantId: string, clientId: string, options?: RequestOptions): ApiPromise<Credential> {
    return this.sender.call('credentials.get', { path: [tenantId, clientId] }, options);
  }

  /**
   * Changes the fields that the body names and leaves the others. It takes effect on the very next request, on every
   * node.
   *
   * Retried without rotate_secret. With it: not retried after an unknown outcome, but throws an `UnknownOutcomeError`.
   * Scope platform:credential:update.
   * Errors: NOT_FOUND, TENANT_DELETED, CREDENTIAL_DELETED, LAST_PLATFORM_ADMINISTRATOR, PAYLOAD_TOO_LARGE.
   */
  update(tenantId: string, clientId: string, body: CredentialUpdate, options?: RequestOptions): ApiPromise<CredentialUpdated> {
    return this.sender.call('credentials.update', { path: [tenantId, clientId], body }, options);
  }
}

/** Roles: named sets of permissions. */
export class Roles {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Lists the roles that credentials of the tenant can be bound to, and what each grants: the built-in ones, then its
   * own by name.
   *
   * Retried.
   * Scope platform:access:read.
   * Errors: INVALID_CURSOR, NOT_FOUND.
   */
  list(tenantId: string, query?: RoleListQuery, options?: RequestOptions): PagePromise<Role> {
    return this.sender.list('roles.list', { path: [tenantId], query }, options);
  }

  /**
   * Makes a role of the tenant, or replaces what it grants, for every credential bound to it from its very next request
   * on. The caller may put any open:* scope into it, and those platform:* scopes that it holds itself.
   *
   * Retried.
   * Scope platform:access:update.
   * Errors: NOT_FOUND, TENANT_DELETED, ROLE_BUILT_IN, RESOURCE_LIMIT_REACHED, PAYLOAD_TOO_LARGE, SCOPE_UNKNOWN.
   */
  put(tenantId: string, role: string, body: RolePut, options?: RequestOptions): ApiPromise<Role> {
    return this.sender.call('roles.put', { path: [tenantId, role], body }, options);
  }

  /**
   * Removes a role that no credential is bound to.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope platform:access:delete.
   * Errors: NOT_FOUND, TENANT_DELETED, ROLE_BUILT_IN, ROLE_IN_USE.
   */
  delete(tenantId: string, role: string, options?: RequestOptions): ApiPromise<RoleDeleted> {
    return this.sender.call('roles.delete', { path: [tenantId, role] }, options);
  }
}

/** Role bindings: which credential has which role. */
export class RoleBindings {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Grants a credential of the tenant what the role grants. The caller may grant any open:* scope, and those platform:*
   * scopes that it holds itself.
   *
   * Not retried after an unknown outcome, but throws an `UnknownOutcomeError`.
   * Scope platform:access:create.
   * Errors: NOT_FOUND, TENANT_DELETED, CREDENTIAL_DELETED, ROLE_BINDING_ALREADY_EXISTS, RESOURCE_LIMIT_REACHED,
   * PAYLOAD_TOO_LARGE.
   */
  create(tenantId: string, body: RoleBindingCreate, options?: RequestOptions): ApiPromise<RoleBinding> {
    return this.sender.call('roleBindings.create', { path: [tenantId], body }, options);
  }

  /**
   * Lists the role bindings of the tenant, newest first.
   *
   * Retried.
   * Scope platform:access:read.
   * Errors: INVALID_CURSOR, NOT_FOUND.
   */
  list(tenantId: string, query?: RoleBindingListQuery, options?: RequestOptions): PagePromise<RoleBinding> {
    return this.sender.list('roleBindings.list', { path: [tenantId], query }, options);
  }

  /**
   * Takes the role away from the credential, from its very next request on.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope platform:access:delete.
   * Errors: NOT_FOUND, TENANT_DELETED, LAST_PLATFORM_ADMINISTRATOR.
   */
  delete(tenantId: string, clientId: string, role: string, options?: RequestOptions): ApiPromise<RoleBindingDeleted> {
    return this.sender.call('roleBindings.delete', { path: [tenantId, clientId, role] }, options);
  }
}

/** Policies: permissions that a credential holds directly, without a role. */
export class Policies {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Grants a credential of the tenant one scope directly, without a role. The caller may grant any open:* scope, and
   * those platform:* scopes that it holds itself.
   *
   * Not retried after an unknown outcome, but throws an `UnknownOutcomeError`.
   * Scope platform:access:create.
   * Errors: NOT_FOUND, TENANT_DELETED, CREDENTIAL_DELETED, POLICY_ALREADY_EXISTS, RESOURCE_LIMIT_REACHED,
   * PAYLOAD_TOO_LARGE, SCOPE_UNKNOWN.
   */
  create(tenantId: string, body: PolicyCreate, options?: RequestOptions): ApiPromise<Policy> {
    return this.sender.call('policies.create', { path: [tenantId], body }, options);
  }

  /**
   * Lists the permissions that credentials of the tenant hold directly, newest first. What a role grants is shown by
   * roles.list.
   *
   * Retried.
   * Scope platform:access:read.
   * Errors: INVALID_CURSOR, NOT_FOUND.
   */
  list(tenantId: string, query?: PolicyListQuery, options?: RequestOptions): PagePromise<Policy> {
    return this.sender.list('policies.list', { path: [tenantId], query }, options);
  }

  /**
   * Deletes the policy that grants this credential this scope, from its very next request on. A role may still grant
   * the scope.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope platform:access:delete.
   * Errors: NOT_FOUND, TENANT_DELETED, SCOPE_UNKNOWN.
   */
  revoke(tenantId: string, query: PolicyRevokeQuery, options?: RequestOptions): ApiPromise<Policy> {
    return this.sender.call('policies.revoke', { path: [tenantId], query }, options);
  }

  /**
   * Takes the permission away from the credential, from its very next request on.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope platform:access:delete.
   * Errors: NOT_FOUND, TENANT_DELETED.
   */
  delete(tenantId: string, policyId: string, options?: RequestOptions): ApiPromise<PolicyDeleted> {
    return this.sender.call('policies.delete', { path: [tenantId, policyId] }, options);
  }
}

/** Messaging-bus principals: users of the bus, identified by a public nkey. */
export class BusPrincipals {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Registers a user of the messaging bus by its public nkeys. Keep the private seeds, which begin with S, to yourself:
   * they are refused.
   *
   * Not retried after an unknown outcome, but throws an `UnknownOutcomeError`.
   * Scope platform:bus-principal:create.
   * Errors: NOT_FOUND, TENANT_DELETED, CREDENTIAL_DELETED, BUS_PRINCIPAL_ALREADY_EXISTS, RESOURCE_LIMIT_REACHED,
   * PAYLOAD_TOO_LARGE, BUS_KEY_INVALID, BUS_SEED_NOT_ALLOWED.
   */
  create(tenantId: string, body: BusPrincipalCreate, options?: RequestOptions): ApiPromise<BusPrincipal> {
    return this.sender.call('busPrincipals.create', { path: [tenantId], body }, options);
  }

  /**
   * Lists the principals of the tenant, newest first.
   *
   * Retried.
   * Scope platform:bus-principal:read.
   * Errors: INVALID_CURSOR, NOT_FOUND.
   */
  list(tenantId: string, query?: BusPrincipalListQuery, options?: RequestOptions): PagePromise<BusPrincipal> {
    return this.sender.list('busPrincipals.list', { path: [tenantId], query }, options);
  }

  /**
   * Reads one principal.
   *
   * Retried.
   * Scope platform:bus-principal:read.
   * Errors: NOT_FOUND.
   */
  get(tenantId: string, principalId: string, options?: RequestOptions): ApiPromise<BusPrincipal> {
    return this.sender.call('busPrincipals.get', { path: [tenantId, principalId] }, options);
  }

  /**
   * Changes the fields that the body names and leaves the others. DELETED is final.
   *
   * Retried.
   * Scope platform:bus-principal:update.
   * Errors: NOT_FOUND, TENANT_DELETED, BUS_PRINCIPAL_DELETED, PAYLOAD_TOO_LARGE.
   */
  update(tenantId: string, principalId: string, body: BusPrincipalUpdate, options?: RequestOptions): ApiPromise<BusPrincipal> {
    return this.sender.call('busPrincipals.update', { path: [tenantId, principalId], body }, options);
  }
}

/** Vendors of the platform catalog. Platform administrators manage them. */
export class Vendors {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Lists all vendors, disabled ones included, newest first.
   *
   * Retried.
   * Scope platform:catalog:read, in tenant `platform`.
   * Errors: INVALID_CURSOR.
   */
  list(query?: VendorListQuery, options?: RequestOptions): PagePromise<CatalogVendor> {
    return this.sender.list('vendors.list', { query }, options);
  }

  /**
   * Puts the vendor into the catalog, or changes it there. A disabled vendor takes no new commands, from the next one
   * on; those accepted before go on.
   *
   * Retried.
   * Scope platform:catalog:update, in tenant `platform`.
   * Errors: NOT_FOUND, RESOURCE_LIMIT_REACHED, PAYLOAD_TOO_LARGE.
   */
  put(vendor: string, body: VendorPut, options?: RequestOptions): ApiPromise<CatalogVendor> {
    return this.sender.call('vendors.put', { path: [vendor], body }, options);
  }
}

/** Command types that the devices of a vendor support. Platform administrators manage them. */
export class CommandTypes {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Lists all command types of the vendor, disabled ones included, newest first.
   *
   * Retried.
   * Scope platform:catalog:read, in tenant `platform`.
   * Errors: INVALID_CURSOR, NOT_FOUND.
   */
  list(vendor: string, query?: CommandTypeListQuery, options?: RequestOptions): PagePromise<CatalogCommandType> {
    return this.sender.list('commandTypes.list', { path: [vendor], query }, options);
  }

  /**
   * Puts the command type into the catalog, or changes the fields that the body names. A changed payload_schema counts
   * up revision and holds from the next command on, on every node.
   *
   * Retried.
   * Scope platform:catalog:update, in tenant `platform`.
   * Errors: NOT_FOUND, RESOURCE_LIMIT_REACHED, PAYLOAD_TOO_LARGE, PAYLOAD_SCHEMA_INVALID.
   */
  put(vendor: string, commandType: string, body: CommandTypePut, options?: RequestOptions): ApiPromise<CatalogCommandType> {
    return this.sender.call('commandTypes.put', { path: [vendor, commandType], body }, options);
  }
}

/** Audit events: who changed what, and who was refused. */
export class AuditEvents {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Lists who changed what in the tenant, from which values to which, and who was refused, newest first. Entries are
   * written together with the change and never altered.
   *
   * Retried.
   * Scope platform:audit:read.
   * Errors: INVALID_CURSOR, NOT_FOUND.
   */
  list(tenantId: string, query?: AuditEventListQuery, options?: RequestOptions): PagePromise<AuditEvent> {
    return this.sender.list('auditEvents.list', { path: [tenantId], query }, options);
  }
}

/** Parked messages: what the platform or the messaging bus refused, and why. */
export class ParkedMessages {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Lists the messages of the tenant that the platform or the bus refused, newest first, each with the reason. Messages
   * that belong to no tenant are in the list of tenant `platform`.
   *
   * Retried.
   * Scope platform:parked-message:read.
   * Errors: INVALID_CURSOR, NOT_FOUND.
   */
  list(tenantId: string, query?: ParkedMessageListQuery, options?: RequestOptions): PagePromise<ParkedMessage> {
    return this.sender.list('parkedMessages.list', { path: [tenantId], query }, options);
  }

  /**
   * Reads one parked message with its body.
   *
   * Retried.
   * Scope platform:parked-message:read.
   * Errors: NOT_FOUND.
   */
  get(tenantId: string, parkedMessageId: string, options?: RequestOptions): ApiPromise<ParkedMessageWithBody> {
    return this.sender.call('parkedMessages.get', { path: [tenantId, parkedMessageId] }, options);
  }

  /**
   * Removes the message from the database.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope platform:parked-message:delete.
   * Errors: NOT_FOUND, TENANT_DELETED.
   */
  delete(tenantId: string, parkedMessageId: string, options?: RequestOptions): ApiPromise<ParkedMessageDeleted> {
    return this.sender.call('parkedMessages.delete', { path: [tenantId, parkedMessageId] }, options);
  }

  /**
   * Publishes the message again under its subject. A DEVICE_REPLY or EVENT is no longer parked once the bus has
   * acknowledged it. A COMMAND_UPDATE or DEVICE_REQUEST stays parked until the platform has taken it, usually within a
   * second. If the platform refuses it once more, it is parked under another id, with the new reason.
   *
   * Not retried after an unknown outcome, but throws an `UnknownOutcomeError`.
   * Scope platform:parked-message:retry.
   * Errors: NOT_FOUND, TENANT_DELETED, PARKED_MESSAGE_NOT_RETRYABLE, PAYLOAD_TOO_LARGE.
   */
  retry(tenantId: string, parkedMessageId: string, options?: RequestOptions): ApiPromise<ParkedMessageRetried> {
    return this.sender.call('parkedMessages.retry', { path: [tenantId, parkedMessageId] }, options);
  }
}

/** Commands to devices, and their outcomes. */
export class CommandsResource {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Accepts and persists a command for a device. ACCEPTED does not mean that the device executed it. A used
   * idempotency_key returns the existing command, with the header Idempotent-Replayed: true, and makes nothing new;
   * where the request differs from the original, Idempotency-Mismatch names the fields.
   *
   * Retried with the same idempotency_key.
   * Scope open:command:create.
   * Errors: PAYLOAD_TOO_LARGE, VENDOR_NOT_ENABLED, COMMAND_TYPE_UNKNOWN, COMMAND_PAYLOAD_INVALID.
   */
  create(body: CommandCreate, options?: RequestOptions): ApiPromise<CommandAccepted> {
    return this.sender.call('commands.create', { body }, options);
  }

  /**
   * Lists the commands of the tenant, newest first.
   *
   * Retried.
   * Scope open:command:read.
   * Errors: INVALID_CURSOR.
   */
  list(query?: CommandListQuery, options?: RequestOptions): PagePromise<Command> {
    return this.sender.list('commands.list', { query }, options);
  }

  /**
   * Reads one command of the tenant with its four statuses. With wait_seconds it answers as soon as the command is
   * final, or with seen_updated_at as soon as it differs from what the caller has seen.
   *
   * Retried.
   * Scope open:command:read.
   * Errors: NOT_FOUND.
   */
  get(commandId: string, query?: CommandGetQuery, options?: RequestOptions): ApiPromise<Command> {
    return this.sender.call('commands.get', { path: [commandId], query }, options);
  }

  /**
   * Takes back a command that was not handed to the adapter yet. One that is canceled already answers the same; any
   * other is refused with its status.
   *
   * Retried.
   * Scope open:command:cancel.
   * Errors: NOT_FOUND, COMMAND_NOT_CANCELABLE, PAYLOAD_TOO_LARGE.
   */
  cancel(commandId: string, options?: RequestOptions): ApiPromise<Command> {
    return this.sender.call('commands.cancel', { path: [commandId] }, options);
  }
}

/** Requests of devices, and the replies to them. */
export class DeviceRequestsResource {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Lists the requests that devices of the tenant sent, newest first. With wait_seconds it answers as soon as the page
   * is not empty; newest first, only the first page waits. To follow what devices ask, use order=asc with wait_seconds,
   * and go on from the cursor of the last item.
   *
   * Retried.
   * Scope open:device-request:read.
   * Errors: INVALID_CURSOR.
   */
  list(query?: DeviceRequestListQuery, options?: RequestOptions): PagePromise<ListedDeviceRequest> {
    return this.sender.list('deviceRequests.list', { query }, options);
  }

  /**
   * Reads one request of a device and its reply. request_id in the path is the device_request_id.
   *
   * Retried.
   * Scope open:device-request:read.
   * Errors: NOT_FOUND.
   */
  get(deviceRequestId: string, options?: RequestOptions): ApiPromise<DeviceRequest> {
    return this.sender.call('deviceRequests.get', { path: [deviceRequestId] }, options);
  }

  /**
   * Gives the one reply. The first wins: the same reply again answers as before, another one is refused. No built-in
   * role may reply: grant open:device-request:create by a role of your own or a policy.
   *
   * Retried.
   * Scope open:device-request:create.
   * Errors: NOT_FOUND, DEVICE_REQUEST_ALREADY_REPLIED, DEVICE_REQUEST_EXPIRED, PAYLOAD_TOO_LARGE.
   */
  reply(deviceRequestId: string, body: DeviceRequestReply, options?: RequestOptions): ApiPromise<DeviceRequest> {
    return this.sender.call('deviceRequests.reply', { path: [deviceRequestId], body }, options);
  }
}

/** Events of the tenant's commands, in order. */
export class EventsResource {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Reads the tenant's events, oldest first, from the cursor on. With wait_seconds it answers as soon as there is one.
   * from=now answers no events but a next_cursor: pass it as cursor to get the events that come after it.
   *
   * Retried.
   * Scope open:event:read.
   * Errors: INVALID_CURSOR.
   */
  list(query?: EventListQuery, options?: RequestOptions): PagePromise<ListedEvent> {
    return this.sender.list('events.list', { query }, options);
  }
}

/** The catalog: vendors and command types that the tenant can use. */
export class CatalogResource {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Reads the enabled vendors, their enabled command types and the schema of each payload.
   *
   * Retried.
   * Scope open:catalog:read.
   */
  get(options?: RequestOptions): ApiPromise<Catalog> {
    return this.sender.call('catalog.get', {}, options);
  }
}

/** Presigned access to objects in the tenant's own stores. */
export class ObjectsResource {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Checks the resource's policy and signs one request to the tenant's store, which its bearer sends without further
   * credentials. The store enforces what was signed: method, key, type, size and expiry. The grant is recorded, the URL
   * is not.
   *
   * Retried.
   * Scope open:object:create.
   * Errors: OBJECT_POLICY_DENIED, NOT_FOUND, PAYLOAD_TOO_LARGE.
   */
  presign(body: PresignRequest, options?: RequestOptions): ApiPromise<PresignedRequest> {
    return this.sender.call('objects.presign', { body }, options);
  }
}

/** Object credentials: access keys of the tenant's own S3-compatible stores. */
export class ObjectCredentials {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Registers access to one of the tenant's own S3-compatible stores. The secret half is sealed and never returned. At
   * most 50 a tenant by default, those that are DISABLED included.
   *
   * Not retried after an unknown outcome, but throws an `UnknownOutcomeError`.
   * Scope open:object-config:create.
   * Errors: RESOURCE_LIMIT_REACHED, PAYLOAD_TOO_LARGE.
   */
  create(body: ObjectCredentialCreate, options?: RequestOptions): ApiPromise<ObjectCredential> {
    return this.sender.call('objectCredentials.create', { body }, options);
  }

  /**
   * Lists the object credentials of the tenant, newest first, never their secrets.
   *
   * Retried.
   * Scope open:object-config:read.
   * Errors: INVALID_CURSOR.
   */
  list(query?: ObjectCredentialListQuery, options?: RequestOptions): PagePromise<ObjectCredential> {
    return this.sender.list('objectCredentials.list', { query }, options);
  }

  /**
   * Reads one object credential, never its secrets.
   *
   * Retried.
   * Scope open:object-config:read.
   * Errors: NOT_FOUND.
   */
  get(credentialId: string, options?: RequestOptions): ApiPromise<ObjectCredential> {
    return this.sender.call('objectCredentials.get', { path: [credentialId] }, options);
  }

  /**
   * Changes the fields that the body names and leaves the others. access_key_id and secret_access_key together rotate
   * the access key from the next presign on.
   *
   * Retried without secret_access_key. With it: not retried after an unknown outcome, but throws an
   * `UnknownOutcomeError`.
   * Scope open:object-config:update.
   * Errors: NOT_FOUND, PAYLOAD_TOO_LARGE.
   */
  update(credentialId: string, body: ObjectCredentialUpdate, options?: RequestOptions): ApiPromise<ObjectCredential> {
    return this.sender.call('objectCredentials.update', { path: [credentialId], body }, options);
  }

  /**
   * Removes the object credential and its secrets from the database. It is refused while object resources use the
   * credential, DISABLED ones included. URLs issued before go on until they expire.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope open:object-config:delete.
   * Errors: NOT_FOUND, OBJECT_CREDENTIAL_IN_USE.
   */
  delete(credentialId: string, options?: RequestOptions): ApiPromise<ObjectCredentialDeleted> {
    return this.sender.call('objectCredentials.delete', { path: [credentialId] }, options);
  }
}

/** Object resources: policies that say which objects may be presigned. */
export class ObjectResources {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Allows presigned access to a part of a bucket: which operations, below which prefix, of which types and sizes, for
   * how long. At most 200 a tenant by default, those that are DISABLED included.
   *
   * Not retried after an unknown outcome, but throws an `UnknownOutcomeError`.
   * Scope open:object-config:create.
   * Errors: NOT_FOUND, RESOURCE_LIMIT_REACHED, PAYLOAD_TOO_LARGE.
   */
  create(body: ObjectResourceCreate, options?: RequestOptions): ApiPromise<ObjectResource> {
    return this.sender.call('objectResources.create', { body }, options);
  }

  /**
   * Lists the object resources of the tenant, newest first.
   *
   * Retried.
   * Scope open:object-config:read.
   * Errors: INVALID_CURSOR.
   */
  list(query?: ObjectResourceListQuery, options?: RequestOptions): PagePromise<ObjectResource> {
    return this.sender.list('objectResources.list', { query }, options);
  }

  /**
   * Reads one object resource.
   *
   * Retried.
   * Scope open:object-config:read.
   * Errors: NOT_FOUND.
   */
  get(resourceId: string, options?: RequestOptions): ApiPromise<ObjectResource> {
    return this.sender.call('objectResources.get', { path: [resourceId] }, options);
  }

  /**
   * Changes the fields that the body names and leaves the others, from the next presign on.
   *
   * Retried.
   * Scope open:object-config:update.
   * Errors: NOT_FOUND, PAYLOAD_TOO_LARGE.
   */
  update(resourceId: string, body: ObjectResourceUpdate, options?: RequestOptions): ApiPromise<ObjectResource> {
    return this.sender.call('objectResources.update', { path: [resourceId], body }, options);
  }

  /**
   * Removes the object resource. No request is presigned for it any more; URLs issued before go on until they expire.
   * The objects in the bucket stay.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope open:object-config:delete.
   * Errors: NOT_FOUND.
   */
  delete(resourceId: string, options?: RequestOptions): ApiPromise<ObjectResourceDeleted> {
    return this.sender.call('objectResources.delete', { path: [resourceId] }, options);
  }
}

/** Callback endpoints, to which a later delivery service sends events. The platform delivers nothing. */
export class CallbackEndpoints {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Stores where a later delivery service sends events, and returns the secret that it signs them with, this once. The
   * platform itself delivers nothing. At most 50 a tenant by default, those that are DISABLED included.
   *
   * Not retried after an unknown outcome, but throws an `UnknownOutcomeError`.
   * Scope open:callback:create.
   * Errors: RESOURCE_LIMIT_REACHED, PAYLOAD_TOO_LARGE, CALLBACK_URL_NOT_ALLOWED.
   */
  create(body: CallbackEndpointCreate, options?: RequestOptions): ApiPromise<CallbackEndpointWithSecret> {
    return this.sender.call('callbackEndpoints.create', { body }, options);
  }

  /**
   * Lists the callback endpoints of the tenant, newest first, never their secrets.
   *
   * Retried.
   * Scope open:callback:read.
   * Errors: INVALID_CURSOR.
   */
  list(query?: CallbackEndpointListQuery, options?: RequestOptions): PagePromise<CallbackEndpoint> {
    return this.sender.list('callbackEndpoints.list', { query }, options);
  }

  /**
   * Reads one callback endpoint, never its secret.
   *
   * Retried.
   * Scope open:callback:read.
   * Errors: NOT_FOUND.
   */
  get(endpointId: string, options?: RequestOptions): ApiPromise<CallbackEndpoint> {
    return this.sender.call('callbackEndpoints.get', { path: [endpointId] }, options);
  }

  /**
   * Changes the fields that the body names and leaves the others. rotate_secret: true makes a new secret and returns
   * it, this once.
   *
   * Retried without rotate_secret. With it: not retried after an unknown outcome, but throws an `UnknownOutcomeError`.
   * Scope open:callback:update.
   * Errors: NOT_FOUND, PAYLOAD_TOO_LARGE, CALLBACK_URL_NOT_ALLOWED.
   */
  update(endpointId: string, body: CallbackEndpointUpdate, options?: RequestOptions): ApiPromise<CallbackEndpointUpdated> {
    return this.sender.call('callbackEndpoints.update', { path: [endpointId], body }, options);
  }

  /**
   * Removes the callback endpoint with its subscriptions, and its secrets from the database.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope open:callback:disable.
   * Errors: NOT_FOUND.
   */
  delete(endpointId: string, options?: RequestOptions): ApiPromise<CallbackEndpointDeleted> {
    return this.sender.call('callbackEndpoints.delete', { path: [endpointId] }, options);
  }
}

/** Callback subscriptions: the events that an endpoint receives. */
export class CallbackSubscriptions {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Subscribes the endpoint to an event type, once for each type.
   *
   * Not retried after an unknown outcome, but throws an `UnknownOutcomeError`.
   * Scope open:callback:create.
   * Errors: NOT_FOUND, RESOURCE_LIMIT_REACHED, SUBSCRIPTION_ALREADY_EXISTS, PAYLOAD_TOO_LARGE,
   * EVENT_TYPE_NOT_SUBSCRIBABLE.
   */
  create(endpointId: string, body: CallbackSubscriptionCreate, options?: RequestOptions): ApiPromise<CallbackSubscription> {
    return this.sender.call('callbackSubscriptions.create', { path: [endpointId], body }, options);
  }

  /**
   * Lists the subscriptions of the endpoint, newest first.
   *
   * Retried.
   * Scope open:callback:read.
   * Errors: INVALID_CURSOR, NOT_FOUND.
   */
  list(endpointId: string, query?: CallbackSubscriptionListQuery, options?: RequestOptions): PagePromise<CallbackSubscription> {
    return this.sender.list('callbackSubscriptions.list', { path: [endpointId], query }, options);
  }

  /**
   * Switches the subscription on or off.
   *
   * Retried.
   * Scope open:callback:update.
   * Errors: NOT_FOUND, PAYLOAD_TOO_LARGE.
   */
  update(endpointId: string, subscriptionId: string, body: CallbackSubscriptionUpdate, options?: RequestOptions): ApiPromise<CallbackSubscription> {
    return this.sender.call('callbackSubscriptions.update', { path: [endpointId, subscriptionId], body }, options);
  }

  /**
   * Ends the subscription.
   *
   * Retried. A NOT_FOUND whose `attempts` is above 1 may mean that an earlier attempt deleted it.
   * Scope open:callback:disable.
   * Errors: NOT_FOUND.
   */
  delete(endpointId: string, subscriptionId: string, options?: RequestOptions): ApiPromise<CallbackSubscriptionDeleted> {
    return this.sender.call('callbackSubscriptions.delete', { path: [endpointId, subscriptionId] }, options);
  }
}

/** The credential that signs the request. */
export class MeResource {
  /** @internal */
  constructor(protected readonly sender: Sender) {}

  /**
   * Tells who the caller is, what it may do and which limits apply. Any live credential may call it.
   *
   * Retried.
   */
  get(options?: RequestOptions): ApiPromise<Me> {
    return this.sender.call('me.get', {}, options);
  }
}
