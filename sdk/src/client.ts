import { configure, type TenantOpenPlatformOptions } from './configuration.js';
import { resource } from './core/resource-class.js';
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
    const plain = <Name extends keyof Resources>(name: Name) => resource<Resources[Name]>(name, sender);
    this.baseUrl = configuration.baseUrl;
    this.clientId = configuration.clientId;
    this.tenants = plain('tenants');
    this.credentials = plain('credentials');
    this.roles = plain('roles');
    this.roleBindings = plain('roleBindings');
    this.policies = plain('policies');
    this.access = plain('access');
    this.busPrincipals = plain('busPrincipals');
    this.vendors = plain('vendors');
    this.commandTypes = plain('commandTypes');
    this.auditEvents = plain('auditEvents');
    this.parkedMessages = plain('parkedMessages');
    this.commands = new Commands(sender, configuration);
    this.events = new Events(sender);
    this.deviceRequests = new DeviceRequests(sender);
    this.catalog = plain('catalog');
    this.objects = new Objects(sender, configuration);
    this.objectCredentials = plain('objectCredentials');
    this.objectResources = plain('objectResources');
    this.callbackEndpoints = plain('callbackEndpoints');
    this.callbackSubscriptions = plain('callbackSubscriptions');
    this.me = plain('me');
  }
}
