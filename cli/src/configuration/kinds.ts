import { MAX_PAGE } from '@tenant-open-platform/contract/facts';
import type { KeyedRequestOptions, TenantOpenPlatform } from '@tenant-open-platform/sdk';

/** The fields of a thing, as a file or an answer of the platform has them. */
export type Fields = Readonly<Record<string, unknown>>;

/** The client that may act on a thing, and the thing that it belongs to, as the platform has it. */
export type Place = { client: TenantOpenPlatform; parent: Fields };

/** A resource type that `topctl apply` manages. A list in a file has the name of the resource in the API. */
export type Kind = {
  /** In messages. */
  name: string;
  /** The fields that tell a thing from others of the same parent. */
  key: readonly string[];
  /** All fields in a file besides the key. A field that a file does not give stays as it is. */
  fields: readonly string[];
  /** The fields that the platform never changes. */
  fixed?: readonly string[];
  /** The fields that a file may leave out, but not of a new thing. */
  needed?: readonly string[];
  /** The key is unique among all parents. */
  isGlobal?: true;
  /** The lists of things that belong to a thing, in the order in which they depend on each other. */
  lists?: readonly ListName[];
  /** Only a credential of the tenant itself can act on it, with scopes that begin like this. */
  ownScopes?: string;
  /** What --prune changes if no file names a thing. Absent: topctl deletes such a thing only after a question. */
  off?: Fields;
  /** The command that deletes such a thing. */
  deleteCommand?: (thing: Fields) => string;
  read: (place: Place, ownTenant: string) => AsyncIterable<object>;
  create: (place: Place, body: Fields, options?: KeyedRequestOptions) => PromiseLike<object>;
  change?: (place: Place, thing: Fields, changes: Fields) => PromiseLike<object>;
};

export type ListName =
  | 'vendors'
  | 'command_types'
  | 'tenants'
  | 'roles'
  | 'credentials'
  | 'role_bindings'
  | 'policies'
  | 'bus_principals'
  | 'callback_endpoints'
  | 'callback_subscriptions'
  | 'object_credentials'
  | 'object_resources';

export const PLATFORM_TENANT = 'platform';
/** The lists at the top of a file, in the order in which they depend on each other. */
export const topLists = ['vendors', 'tenants'] as const satisfies readonly ListName[];

const limit = MAX_PAGE;
const disabled = { status: 'DISABLED' };
const id = (thing: Fields, field: string) => String(thing[field]);
const tenantOf = ({ parent }: Place) => id(parent, 'tenant_id');
/** The file was validated against the schema of the body. */
const sent = (body: Fields) => body as never;

export const kinds: Readonly<Record<ListName, Kind>> = {
  vendors: {
    name: 'vendor',
    key: ['vendor'],
    fields: ['enabled'],
    lists: ['command_types'],
    off: { enabled: false },
    read: ({ client }) => client.vendors.list({ limit }),
    create: ({ client }, { vendor, ...body }) => client.vendors.put(String(vendor), sent({ enabled: true, ...body })),
    change: ({ client }, thing, changes) => client.vendors.put(id(thing, 'vendor'), sent(changes)),
  },
  command_types: {
    name: 'command type',
    key: ['command_type'],
    fields: ['enabled', 'description', 'payload_schema'],
    needed: ['description', 'payload_schema'],
    off: { enabled: false },
    read: ({ client, parent }) => client.commandTypes.list(id(parent, 'vendor'), { limit }),
    create: ({ client, parent }, { command_type, ...body }) =>
      client.commandTypes.put(id(parent, 'vendor'), String(command_type), sent(body)),
    change: ({ client, parent }, thing, changes) =>
      client.commandTypes.put(id(parent, 'vendor'), id(thing, 'command_type'), sent(changes)),
  },
  tenants: {
    name: 'tenant',
    key: ['tenant_id'],
    fields: ['name', 'status', 'vendors', 'requests_per_minute'],
    needed: ['name'],
    lists: [
      'roles',
      'credentials',
      'role_bindings',
      'policies',
      'bus_principals',
      'callback_endpoints',
      'object_credentials',
    ],
    off: disabled,
    // Only credentials of tenant platform can list tenants.
    read: async function* ({ client }, ownTenant) {
      if (ownTenant === PLATFORM_TENANT) yield* client.tenants.list({ limit });
      else yield await client.tenants.get(ownTenant);
    },
    create: ({ client }, body) => client.tenants.create(sent(body)),
    change: ({ client }, thing, changes) => client.tenants.update(id(thing, 'tenant_id'), sent(changes)),
  },
  roles: {
    name: 'role',
    key: ['role'],
    fields: ['scopes'],
    deleteCommand: ({ role }) => `roles delete ${role}`,
    read: ({ client, parent }) => client.roles.list(id(parent, 'tenant_id'), { limit }),
    create: (place, { role, ...body }) => place.client.roles.put(tenantOf(place), String(role), sent(body)),
    change: (place, thing, changes) => place.client.roles.put(tenantOf(place), id(thing, 'role'), sent(changes)),
  },
  credentials: {
    name: 'credential',
    key: ['client_id'],
    fields: [
      'name',
      'status',
      'allowed_clock_skew_seconds',
      'replay_window_seconds',
      'requests_per_minute',
      'expires_at',
    ],
    isGlobal: true,
    off: disabled,
    read: (place) => place.client.credentials.list(tenantOf(place), { limit }),
    create: (place, body, options) => place.client.credentials.create(tenantOf(place), sent(body), options),
    change: (place, thing, changes) =>
      place.client.credentials.update(tenantOf(place), id(thing, 'client_id'), sent(changes)),
  },
  role_bindings: {
    name: 'role binding',
    key: ['client_id', 'role'],
    fields: [],
    deleteCommand: ({ client_id, role }) => `role-bindings delete ${client_id} ${role}`,
    read: (place) => place.client.roleBindings.list(tenantOf(place), { limit }),
    create: (place, body) => place.client.roleBindings.create(tenantOf(place), sent(body)),
  },
  policies: {
    name: 'policy',
    key: ['client_id', 'scope'],
    fields: [],
    deleteCommand: ({ policy_id }) => `policies delete ${policy_id}`,
    read: (place) => place.client.policies.list(tenantOf(place), { limit }),
    create: (place, body) => place.client.policies.create(tenantOf(place), sent(body)),
  },
  bus_principals: {
    name: 'bus principal',
    key: ['bus_user_public_key'],
    fields: [
      'bus_user',
      'bus_account_public_key',
      'principal_type',
      'client_id',
      'service_name',
      'vendors',
      'status',
      'expires_at',
    ],
    fixed: ['bus_user', 'bus_account_public_key', 'principal_type', 'client_id', 'service_name'],
    isGlobal: true,
    off: disabled,
    read: (place) => place.client.busPrincipals.list(tenantOf(place), { limit }),
    create: (place, body) => place.client.busPrincipals.create(tenantOf(place), sent(body)),
    change: (place, thing, changes) =>
      place.client.busPrincipals.update(tenantOf(place), id(thing, 'principal_id'), sent(changes)),
  },
  callback_endpoints: {
    name: 'callback endpoint',
    key: ['name'],
    fields: ['url', 'status', 'timeout_seconds', 'max_attempts'],
    lists: ['callback_subscriptions'],
    ownScopes: 'open:callback',
    off: disabled,
    read: ({ client }) => client.callbackEndpoints.list({ limit }),
    create: ({ client }, body, options) => client.callbackEndpoints.create(sent(body), options),
    change: ({ client }, thing, changes) => client.callbackEndpoints.update(id(thing, 'endpoint_id'), sent(changes)),
  },
  callback_subscriptions: {
    name: 'callback subscription',
    key: ['event_type'],
    fields: ['status'],
    ownScopes: 'open:callback',
    off: disabled,
    read: ({ client, parent }) => client.callbackSubscriptions.list(id(parent, 'endpoint_id'), { limit }),
    create: ({ client, parent }, body) => client.callbackSubscriptions.create(id(parent, 'endpoint_id'), sent(body)),
    change: ({ client, parent }, thing, changes) =>
      client.callbackSubscriptions.update(id(parent, 'endpoint_id'), id(thing, 'subscription_id'), sent(changes)),
  },
  object_credentials: {
    name: 'object credential',
    key: ['name'],
    fields: ['endpoint', 'region', 'access_key_id', 'provider', 'force_path_style', 'status'],
    lists: ['object_resources'],
    ownScopes: 'open:object-config',
    off: disabled,
    read: ({ client }) => client.objectCredentials.list({ limit }),
    create: ({ client }, body) => client.objectCredentials.create(sent(body)),
    change: ({ client }, thing, changes) => client.objectCredentials.update(id(thing, 'credential_id'), sent(changes)),
  },
  object_resources: {
    name: 'object resource',
    key: ['name'],
    fields: [
      'bucket',
      'allowed_operations',
      'key_prefix',
      'allowed_content_types',
      'max_object_bytes',
      'max_expires_in_seconds',
      'status',
    ],
    ownScopes: 'open:object-config',
    off: disabled,
    read: ({ client, parent }) => client.objectResources.list({ credential_id: id(parent, 'credential_id'), limit }),
    create: ({ client, parent }, body) =>
      client.objectResources.create(sent({ ...body, credential_id: parent.credential_id })),
    change: ({ client }, thing, changes) => client.objectResources.update(id(thing, 'resource_id'), sent(changes)),
  },
};

/** The key of a thing, as one text. */
export const keyOf = ({ key }: Kind, fields: Fields) => key.map((field) => String(fields[field])).join('/');

/** Whether the platform answers 503 for what a tenant has. */
export const isMoving = ({ status }: Fields) => status === 'MOVING';

export const MOVES = 'it is moving to another platform, or from one. Run the command again when it has moved.';

/** Whether the platform keeps only the name of a thing: it is deleted, or a tenant is on another platform. */
export const isGone = ({ status }: Fields) => status === 'DELETED' || status === 'DELETING' || status === 'MOVED';
