import type { contract } from './contract.js';

/** The title of each resource, and a sentence for OpenAPI, SDK and command line. */
export const resources: Record<keyof typeof contract, { title: string; description: string }> = {
  tenants: {
    title: 'Tenants',
    description: 'Tenants, the boundary of data isolation. Platform administrators manage them.',
  },
  credentials: { title: 'Credentials', description: 'Credentials, which sign requests. Each belongs to one tenant.' },
  roles: { title: 'Roles', description: 'Roles: named sets of permissions.' },
  roleBindings: { title: 'Role bindings', description: 'Role bindings: which credential has which role.' },
  policies: {
    title: 'Policies',
    description: 'Policies: permissions that a credential holds directly, without a role.',
  },
  busPrincipals: {
    title: 'Messaging-bus principals',
    description: 'Messaging-bus principals: users of the bus, identified by a public nkey.',
  },
  vendors: { title: 'Vendors', description: 'Vendors of the platform catalog. Platform administrators manage them.' },
  commandTypes: {
    title: 'Command types',
    description: 'Command types that the devices of a vendor support. Platform administrators manage them.',
  },
  auditEvents: { title: 'Audit events', description: 'Audit events: who changed what, and who was refused.' },
  parkedMessages: {
    title: 'Parked messages',
    description: 'Parked messages: what the platform or the messaging bus refused, and why.',
  },
  commands: { title: 'Commands', description: 'Commands to devices, and their outcomes.' },
  deviceRequests: { title: 'Device requests', description: 'Requests of devices, and the replies to them.' },
  events: { title: 'Events', description: "Events of the tenant's commands, in order." },
  catalog: { title: 'Catalog', description: 'The catalog: vendors and command types that the tenant can use.' },
  objects: { title: 'Objects', description: "Presigned access to objects in the tenant's own stores." },
  objectCredentials: {
    title: 'Object credentials',
    description: "Object credentials: access keys of the tenant's own S3-compatible stores.",
  },
  objectResources: {
    title: 'Object resources',
    description: 'Object resources: policies that say which objects may be presigned.',
  },
  callbackEndpoints: {
    title: 'Callback endpoints',
    description: 'Callback endpoints, to which a later delivery service sends events. The platform delivers nothing.',
  },
  callbackSubscriptions: {
    title: 'Callback subscriptions',
    description: 'Callback subscriptions: the events that an endpoint receives.',
  },
  me: { title: 'Me', description: 'The credential that signs the request.' },
};
