/** Scopes of the specification's table and, from `open:command:cancel` on, the additions that exist so far. */
export const scopes = [
  'open:command:create',
  'open:command:read',
  'open:object:create',
  'open:object-config:create',
  'open:object-config:read',
  'open:object-config:update',
  'open:callback:create',
  'open:callback:read',
  'open:callback:update',
  'open:callback:disable',
  'open:device-request:read',
  'open:device-request:create',
  'open:command:cancel',
  'open:object-config:delete',
  'open:event:read',
  'open:catalog:read',
  'platform:tenant:create',
  'platform:tenant:read',
  'platform:tenant:update',
  'platform:tenant:delete',
  'platform:tenant:export',
  'platform:credential:create',
  'platform:credential:read',
  'platform:credential:update',
  'platform:bus-principal:create',
  'platform:bus-principal:read',
  'platform:bus-principal:update',
  'platform:access:create',
  'platform:access:read',
  'platform:access:update',
  'platform:access:delete',
  'platform:catalog:read',
  'platform:catalog:update',
  'platform:audit:read',
  'platform:parked-message:read',
  'platform:parked-message:retry',
  'platform:parked-message:delete',
  'platform:state:read',
] as const;

export type Scope = (typeof scopes)[number];

export const isScope = (name: string): name is Scope => (scopes as readonly string[]).includes(name);

/** A scope is an object:action pair; the object has colons of its own. */
export function objectAndAction(scope: Scope): { object: string; action: string } {
  const colon = scope.lastIndexOf(':');
  return { object: scope.slice(0, colon), action: scope.slice(colon + 1) };
}

/**
 * Roles that every tenant has. `platform_admin` exists in tenant `platform` only. Each lists its scopes: a new scope
 * belongs to no role until it is written down here.
 */
export const builtInRoles: Record<string, readonly Scope[]> = {
  platform_admin: [
    'platform:tenant:create',
    'platform:tenant:read',
    'platform:tenant:update',
    'platform:tenant:delete',
    'platform:tenant:export',
    'platform:credential:create',
    'platform:credential:read',
    'platform:credential:update',
    'platform:bus-principal:create',
    'platform:bus-principal:read',
    'platform:bus-principal:update',
    'platform:access:create',
    'platform:access:read',
    'platform:access:update',
    'platform:access:delete',
    'platform:catalog:read',
    'platform:catalog:update',
    'platform:audit:read',
    'platform:parked-message:read',
    'platform:parked-message:retry',
    'platform:parked-message:delete',
    'platform:state:read',
  ],
  tenant_admin: [
    'platform:tenant:read',
    'open:object-config:create',
    'open:object-config:read',
    'open:object-config:update',
    'open:callback:create',
    'open:callback:read',
    'open:callback:update',
    'open:callback:disable',
    'open:object-config:delete',
    'platform:credential:create',
    'platform:credential:read',
    'platform:credential:update',
    'platform:bus-principal:create',
    'platform:bus-principal:read',
    'platform:bus-principal:update',
    'platform:access:create',
    'platform:access:read',
    'platform:access:update',
    'platform:access:delete',
    'platform:audit:read',
    'platform:parked-message:read',
    'platform:parked-message:retry',
    'platform:parked-message:delete',
  ],
  integration_operator: [
    'open:command:create',
    'open:command:read',
    'open:object:create',
    'open:device-request:read',
    'open:command:cancel',
    'open:event:read',
    'open:catalog:read',
  ],
  integration_reader: ['open:command:read', 'open:device-request:read', 'open:event:read', 'open:catalog:read'],
  support_reader: [
    'open:command:read',
    'open:device-request:read',
    'open:event:read',
    'open:catalog:read',
    'platform:credential:read',
    'platform:access:read',
    'platform:audit:read',
    'platform:parked-message:read',
  ],
};

/** The tenant that the platform's own administrators belong to. */
export const PLATFORM_TENANT_ID = 'platform';
