import type { contract } from './contract.js';

/**
 * The title of each resource, and a sentence for OpenAPI, SDK and command line. Most readers call the open operations, so
 * these are first, with commands at the top.
 */
export const resources: Record<keyof typeof contract, { title: string; description: string }> = {
  commands: { title: 'Commands', description: 'Commands to devices, and their outcomes.' },
  deviceRequests: { title: 'Device requests', description: 'Requests from devices, and the replies to them.' },
  events: { title: 'Events', description: "The event log of the tenant's commands." },
  catalog: { title: 'Catalog', description: 'The catalog: vendors and command types that the tenant can use.' },
  me: { title: 'Me', description: 'The calling credential.' },
  objects: { title: 'Objects', description: "Presigned URLs for objects in the tenant's own object stores." },
  objectCredentials: {
    title: 'Object credentials',
    description: "Object credentials: access keys of the tenant's own S3-compatible stores.",
  },
  objectResources: {
    title: 'Object resources',
    description: 'Object resources: parts of buckets, with the rules for presigned URLs.',
  },
  callbackEndpoints: {
    title: 'Callback endpoints',
    description: 'Callback endpoints: webhook URLs for events. The platform does not deliver webhooks yet.',
  },
  callbackSubscriptions: {
    title: 'Callback subscriptions',
    description: 'Callback subscriptions: the event types that an endpoint will receive.',
  },
  tenants: {
    title: 'Tenants',
    description:
      'Tenants. The data of a tenant is isolated from all other tenants. Platform administrators manage the tenants.',
  },
  credentials: {
    title: 'Credentials',
    description: 'Credentials, with which clients sign requests. Each credential belongs to one tenant.',
  },
  roles: { title: 'Roles', description: 'Roles: named sets of scopes.' },
  roleBindings: { title: 'Role bindings', description: 'Role bindings: which credential has which role.' },
  policies: {
    title: 'Policies',
    description: 'Policies: scopes that are granted directly to a credential, without a role.',
  },
  access: {
    title: 'Access',
    description: 'Access: which operations a credential can call, and which roles and policies grant the access.',
  },
  busPrincipals: {
    title: 'Messaging-bus principals',
    description: 'Messaging-bus principals: NATS users, identified by a public nkey.',
  },
  vendors: { title: 'Vendors', description: 'Vendors in the platform catalog. Platform administrators manage them.' },
  commandTypes: {
    title: 'Command types',
    description: 'Command types that the devices of a vendor support. Platform administrators manage them.',
  },
  auditEvents: {
    title: 'Audit events',
    description: 'Audit events: records of administrative changes and of denied requests for changes.',
  },
  parkedMessages: {
    title: 'Parked messages',
    description:
      'Parked messages (dead letters): messages that the platform or the messaging bus refused, each with the reason.',
  },
  platform: { title: 'Platform', description: 'The state of the whole platform, for its administrators.' },
};
