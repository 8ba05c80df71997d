import { configure, type TenantOpenPlatformOptions } from './configuration.js';
import { Sender } from './core/send.js';
import { Commands } from './resources/commands.js';
import { DeviceRequests } from './resources/device-requests.js';
import { Events } from './resources/events.js';
import { Objects } from './resources/objects.js';
import {
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
export class TenantOpenPlatform {
  readonly baseUrl: string;
  readonly clientId: string;
  readonly tenants: Tenants;
  readonly credentials: Credentials;
  readonly roles: Roles;
  readonly roleBindings: RoleBindings;
  readonly policies: Policies;
  readonly access: Access;
  readonly busPrincipals: BusPrincipals;
  readonly vendors: Vendors;
  readonly commandTypes: CommandTypes;
  readonly auditEvents: AuditEvents;
  readonly parkedMessages: ParkedMessages;
  readonly platform: Platform;
  readonly commands: Commands;
  readonly events: Events;
  readonly deviceRequests: DeviceRequests;
  readonly catalog: CatalogResource;
  readonly objects: Objects;
  readonly objectCredentials: ObjectCredentials;
  readonly objectResources: ObjectResources;
  readonly callbackEndpoints: CallbackEndpoints;
  readonly callbackSubscriptions: CallbackSubscriptions;
  readonly me: MeResource;

  constructor(options: TenantOpenPlatformOptions = {}) {
    const configuration = configure(options);
    const sender = new Sender(configuration);
    this.baseUrl = configuration.baseUrl;
    this.clientId = configuration.clientId;
    this.tenants = new Tenants(sender);
    this.credentials = new Credentials(sender);
    this.roles = new Roles(sender);
    this.roleBindings = new RoleBindings(sender);
    this.policies = new Policies(sender);
    this.access = new Access(sender);
    this.busPrincipals = new BusPrincipals(sender);
    this.vendors = new Vendors(sender);
    this.commandTypes = new CommandTypes(sender);
    this.auditEvents = new AuditEvents(sender);
    this.parkedMessages = new ParkedMessages(sender);
    this.platform = new Platform(sender);
    this.commands = new Commands(sender, configuration);
    this.events = new Events(sender);
    this.deviceRequests = new DeviceRequests(sender);
    this.catalog = new CatalogResource(sender);
    this.objects = new Objects(sender, configuration);
    this.objectCredentials = new ObjectCredentials(sender);
    this.objectResources = new ObjectResources(sender);
    this.callbackEndpoints = new CallbackEndpoints(sender);
    this.callbackSubscriptions = new CallbackSubscriptions(sender);
    this.me = new MeResource(sender);
  }
}
