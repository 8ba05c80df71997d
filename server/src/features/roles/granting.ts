import {
  builtInRoles,
  isScope,
  PLATFORM_TENANT_ID,
  platformTenantScopes,
  type Scope,
  scopes,
} from '@tenant-open-platform/contract';
import { and, eq, inArray } from 'drizzle-orm';
import { type PgColumn, unionAll } from 'drizzle-orm/pg-core';
import { forbidden } from '../../platform/auth/authorize.js';
import type { Transaction } from '../../platform/database/database.js';
import { policies } from '../../platform/identity/policies.table.js';
import { roleBindings } from '../../platform/identity/role-bindings.table.js';
import { roles } from '../../platform/identity/roles.table.js';
import type { Call, CallOf } from '../../platform/operation/call.js';

/** The names of the roles that every tenant has; only tenant `platform` has `platform_admin`. */
export const isBuiltIn = (role: string) => Object.hasOwn(builtInRoles, role);

export const builtInRolesOf = (tenantId: string) =>
  Object.entries(builtInRoles).filter(([role]) => role !== 'platform_admin' || tenantId === PLATFORM_TENANT_ID);

/** Check own keys: a custom role may be called `constructor`. */
export const builtInScopes = (role: string): readonly Scope[] => (isBuiltIn(role) && builtInRoles[role]) || [];

const inOrder = (held: ReadonlySet<string>): Scope[] => scopes.filter((scope) => held.has(scope));

/** The permissions of a credential: from its roles, built-in or custom, and from its direct policies. */
export async function grantsOf(tx: Transaction, tenantId: string, clientId: string) {
  const bound = tx
    .select({ role: roleBindings.role })
    .from(roleBindings)
    .where(and(eq(roleBindings.tenantId, tenantId), eq(roleBindings.clientId, clientId)));
  const names = (await bound.orderBy(roleBindings.role)).map(({ role }) => role);
  const grantedTo = (subject: PgColumn, subjects: string[]) =>
    tx
      .select({ object: policies.object, action: policies.action })
      .from(policies)
      .where(and(eq(policies.tenantId, tenantId), inArray(subject, subjects)));
  // Two queries instead of one condition with `or`: each has an index.
  const granted = await unionAll(grantedTo(policies.clientId, [clientId]), grantedTo(policies.role, names));
  const held = new Set<string>(names.flatMap(builtInScopes));
  for (const { object, action } of granted) held.add(`${object}:${action}`);
  return { roles: names, scopes: inOrder(held) };
}

/** The scopes that a binding to the role grants, fixed until the transaction ends. Null: no such role. */
export async function scopesOfRole(tx: Transaction, tenantId: string, role: string): Promise<readonly Scope[] | null> {
  if (isBuiltIn(role)) return builtInRolesOf(tenantId).find(([name]) => name === role)?.[1] ?? null;
  const [own] = await tx
    .select()
    .from(roles)
    .where(and(eq(roles.tenantId, tenantId), eq(roles.role, role)))
    .for('share');
  return own ? policiesOfRole(tx, tenantId, role) : null;
}

export async function policiesOfRole(tx: Transaction, tenantId: string, role: string): Promise<Scope[]> {
  const granted = await tx
    .select({ object: policies.object, action: policies.action })
    .from(policies)
    .where(and(eq(policies.tenantId, tenantId), eq(policies.role, role)));
  return inOrder(new Set(granted.map(({ object, action }) => `${object}:${action}`)));
}

const isPlatformScope = (scope: Scope) => scope.startsWith('platform:');

export async function platformScopesOfCaller({ caller, asTenant }: Call): Promise<Scope[]> {
  const { tenantId, clientId } = caller;
  const grants = await asTenant((tx) => grantsOf(tx, tenantId, clientId), tenantId);
  return grants.scopes.filter(isPlatformScope);
}

/** A caller may neither grant nor revoke a platform:* scope that it lacks, nor change a credential that holds one. */
export function refuseBeyond(held: readonly Scope[], granted: readonly Scope[]): void {
  const missing = granted.find((scope) => isPlatformScope(scope) && !held.includes(scope));
  if (missing) throw forbidden(missing);
}

/** The scopes in a request body. The location of an error is the name at its index. */
export function readScopes(
  call: CallOf<'SCOPE_UNKNOWN'>,
  names: readonly string[],
  locationOf: (index: number) => string,
): Scope[] {
  const unknown = names.flatMap((name, index) => (isScope(name) ? [] : [locationOf(index)]));
  if (unknown.length > 0) throw scopeUnknown(call, unknown, 'is not a scope');
  return names as Scope[];
}

/** Call it after refuseBeyond, so that a caller without the scope gets 403, not 422. */
export function refuseScopesOfPlatformTenant(
  call: CallOf<'SCOPE_UNKNOWN'>,
  asked: readonly Scope[],
  locationOf: (index: number) => string,
): void {
  if (call.tenantId === PLATFORM_TENANT_ID) return;
  const misplaced = asked.flatMap((scope, index) => (platformTenantScopes.includes(scope) ? [locationOf(index)] : []));
  if (misplaced.length > 0) throw scopeUnknown(call, misplaced, 'exists only in tenant `platform`');
}

const scopeUnknown = ({ refuse }: CallOf<'SCOPE_UNKNOWN'>, locations: string[], message: string) =>
  refuse('SCOPE_UNKNOWN', {
    details: locations.map((location) => ({ location, code: 'SCOPE_UNKNOWN', message })),
  });
