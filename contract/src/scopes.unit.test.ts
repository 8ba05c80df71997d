import { expect, test } from 'vitest';
import { platformTenantScopes } from './contract.js';
import { builtInRoles, type Scope } from './scopes.js';

const [operator, reader, support, admin, platform] = [
  'integration_operator',
  'integration_reader',
  'support_reader',
  'tenant_admin',
  'platform_admin',
];

/** The built-in roles that have each scope. */
const rolesWith: Record<Scope, (string | undefined)[]> = {
  'open:command:create': [operator],
  'open:command:read': [operator, reader, support],
  'open:object:create': [operator],
  'open:object-config:create': [admin],
  'open:object-config:read': [admin],
  'open:object-config:update': [admin],
  'open:callback:create': [admin],
  'open:callback:read': [admin],
  'open:callback:update': [admin],
  'open:callback:disable': [admin],
  'open:device-request:read': [operator, reader, support],
  'open:device-request:create': [],
  'open:command:cancel': [operator],
  'open:object-config:delete': [admin],
  'open:event:read': [operator, reader, support],
  'open:catalog:read': [operator, reader, support],
  'platform:tenant:create': [platform],
  'platform:tenant:read': [admin, platform],
  'platform:tenant:update': [platform],
  'platform:tenant:delete': [platform],
  'platform:tenant:export': [platform],
  'platform:credential:create': [admin, platform],
  'platform:credential:read': [support, admin, platform],
  'platform:credential:update': [admin, platform],
  'platform:bus-principal:create': [admin, platform],
  'platform:bus-principal:read': [admin, platform],
  'platform:bus-principal:update': [admin, platform],
  'platform:access:create': [admin, platform],
  'platform:access:read': [support, admin, platform],
  'platform:access:update': [admin, platform],
  'platform:access:delete': [admin, platform],
  'platform:catalog:read': [platform],
  'platform:catalog:update': [platform],
  'platform:audit:read': [support, admin, platform],
  'platform:parked-message:read': [support, admin, platform],
  'platform:parked-message:retry': [admin, platform],
  'platform:parked-message:delete': [admin, platform],
  'platform:state:read': [platform],
};

test.each(Object.entries(rolesWith))('%s belongs to these built-in roles and to no other', (scope, roles) => {
  const having = Object.keys(builtInRoles).filter((role) => builtInRoles[role]?.includes(scope as Scope));
  expect(having.toSorted()).toEqual(roles.toSorted());
});

test('there are no other built-in roles, and none has a scope twice', () => {
  expect(Object.keys(builtInRoles).toSorted()).toEqual([operator, reader, support, platform, admin].toSorted());
  for (const scopes of Object.values(builtInRoles)) expect(new Set(scopes).size).toBe(scopes.length);
});

test('scopes that affect every tenant belong to tenant platform alone', () => {
  expect(platformTenantScopes).toEqual([
    'platform:tenant:create',
    'platform:tenant:update',
    'platform:tenant:delete',
    'platform:tenant:export',
    'platform:catalog:read',
    'platform:catalog:update',
    'platform:state:read',
  ]);
});
