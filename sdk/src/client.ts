import { configure, type TenantOpenPlatformOptions } from './configuration.js';
import { allResources } from './core/resource-class.js';
import { Sender } from './core/send.js';
import { Commands } from './resources/commands.js';
import { DeviceRequests } from './resources/device-requests.js';
import { Events } from './resources/events.js';
import { Objects } from './resources/objects.js';
import type {
  Access,
  AuditEvents,
  BusPrincipals,
  CallbackEndpoints,
  CallbackSubscriptions,
  CatalogResource,
  CommandTypes,
  Credentials,
  MeResource,
  ObjectCredentials,
  ObjectResources,
  ParkedMessages,
  Platform,
  Policies,
  Resources,
  RoleBindings,
  Roles,
  Tenants,
  Vendors,
} from './resources.gen.js';

/**
 * A client of the platform, for one credential. Every call is typed, signed, and retried if that is safe.
 *
 * ```ts
 * const client = new TenantOpenPlatform({ baseUrl, clientId, secret }); // or TOP_BASE_URL, TOP_CLIENT_ID, TOP_SECRET
 * const command = await client.commands.create({
 *   vendor: 'vendor_a', device_id: 'ok-1', command_type: 'reboot', payload: {},
 * });
 * ```
 *
 * @throws ConfigurationError if an option is missing, malformed or unsafe. The checksum of the secret is verified too.
 */
export class TenantOpenPlatform implements Resources {
  readonly baseUrl: string;
  readonly clientId: string;
  declare readonly tenants: Tenants;
  declare readonly credentials: Credentials;
  declare readonly roles: Roles;
  declare readonly roleBindings: RoleBindings;
  declare readonly policies: Policies;
  declare readonly access: Access;
  declare readonly busPrincipals: BusPrincipals;
  declare readonly vendors: Vendors;
  declare readonly commandTypes: CommandTypes;
  declare readonly auditEvents: AuditEvents;
  declare readonly parkedMessages: ParkedMessages;
  declare readonly platform: Platform;
  declare readonly commands: Commands;
  declare readonly events: Events;
  declare readonly deviceRequests: DeviceRequests;
  declare readonly catalog: CatalogResource;
  declare readonly objects: Objects;
  declare readonly objectCredentials: ObjectCredentials;
  declare readonly objectResources: ObjectResources;
  declare readonly callbackEndpoints: CallbackEndpoints;
  declare readonly callbackSubscriptions: CallbackSubscriptions;
  declare readonly me: MeResource;

  constructor(options: TenantOpenPlatformOptions = {}) {
    const configuration = configure(options);
    const sender = new Sender(configuration);
    Object.assign(this, allResources(sender));
    this.baseUrl = configuration.baseUrl;
    this.clientId = configuration.clientId;
    this.commands = new Commands(sender, configuration);
    this.events = new Events(sender);
    this.deviceRequests = new DeviceRequests(sender);
    this.objects = new Objects(sender, configuration);
  }
}
