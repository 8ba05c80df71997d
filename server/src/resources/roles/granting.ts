import {
  builtInRoles,
  isScope,
  objectAndAction,
  PLATFORM_TENANT_ID,
  platformTenantScopes,
  type Scope,
  scopes,
} from '@tenant-open-platform/contract';
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { Transaction } from '../../foundation/database/database.js';
import { policies, roles } from '../../foundation/tables.js';
import { forbidden } from '../../gateway/auth/admission.js';
import type { Call, CallOf } from '../../gateway/operation/call.js';
import { rolesThatGrant } from '../../gateway/operation/find-operation.js';
import { lockTenant, ownRow } from '../rows.js';

/** The names of the roles that every tenant has; only tenant `platform` has `platform_admin`. */
export const isBuiltIn = (role: string) => Object.hasOwn(builtInRoles, role);

export const builtInRolesOf = (tenantId: string) =>
  Object.entries(builtInRoles).filter(([role]) => role !== 'platform_admin' || tenantId === PLATFORM_TENANT_ID);

/** Check own keys: a custom role may be called `constructor`. */
export const builtInScopes = (role: string): readonly Scope[] => (isBuiltIn(role) && builtInRoles[role]) || [];

const scopeOf = ({ object, action }: { object: string; action: string }) => `${object}:${action}`;

/** In the order of the reference. */
export const inOrder = (held: ReadonlySet<string>): Scope[] => scopes.filter((scope) => held.has(scope));

/** The permissions of a credential: from its roles, built-in or custom, and from its direct policies. */
export async function grantsOf(tx: Transaction, tenantId: string, clientId: string) {
  const rows = await tx.execute<{ role: string | null; object: string; action: string }>(sql`
    with bound as materialized (
      select role from role_bindings where tenant_id = ${tenantId} and client_id = ${clientId}
    )
    select role, null as object, null as action from bound
    union all
    select null, object, action from policies where tenant_id = ${tenantId} and client_id = ${clientId}
    union all
    select null, granted.* from bound cross join lateral (
      select object, action from policies where tenant_id = ${tenantId} and policies.role = bound.role offset 0
    ) as granted
    order by role`);
  const names = rows.flatMap(({ role }) => role ?? []);
  const granted = rows.filter(({ role }) => role === null).map(scopeOf);
  return { roles: names, scopes: inOrder(new Set([...names.flatMap(builtInScopes), ...granted])) };
}

/** The scopes that a binding to the role grants, fixed until the transaction ends. Null: no such role. */
export async function scopesOfRole(tx: Transaction, tenantId: string, role: string): Promise<readonly Scope[] | null> {
  if (isBuiltIn(role)) return builtInRolesOf(tenantId).find(([name]) => name === role)?.[1] ?? null;
  const own = ownRow(roles, { tenantId }, { role });
  const [locked] = await tx.select().from(roles).where(own).for('share');
  return locked ? policiesOfRole(tx, tenantId, role) : null;
}

export async function policiesOfRole(tx: Transaction, tenantId: string, role: string): Promise<Scope[]> {
  const ofRole = and(eq(policies.tenantId, tenantId), eq(policies.role, role));
  const granted = await tx.select().from(policies).where(ofRole);
  return inOrder(new Set(granted.map(scopeOf)));
}

/** The role bindings and policies of a tenant that grant the scope, by the rule of admission. */
export function grantsOfScope(tenantId: string, scope: Scope): SQL {
  const { object, action } = objectAndAction(scope);
  return sql`grants_v1(${tenantId}, ${object}, ${action}, ${rolesThatGrant(scope).join()})`;
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

type Refusing = CallOf<'SCOPE_UNKNOWN'>;
type Names = string | readonly string[] | undefined;

/** The scopes in a request. `location` is the place of the name, or of the list of names. */
export function readScopes(
  { refuse }: Refusing,
  given: Names,
  location: string,
  isAllowed: (name: string) => boolean = isScope,
  message = 'is not a scope',
): Scope[] {
  const names = [given ?? []].flat();
  const details = names.flatMap((name, index) => {
    const place = Array.isArray(given) ? `${location}/${index}` : location;
    return isAllowed(name) ? [] : [{ location: place, code: 'SCOPE_UNKNOWN', message }];
  });
  if (details.length > 0) throw refuse('SCOPE_UNKNOWN', { details });
  return names as Scope[];
}

/** A caller that lacks a platform:* scope gets 403, not 422. */
export function readScopesToGrant(call: Refusing, held: readonly Scope[], given: Names, location: string): Scope[] {
  const granted = readScopes(call, given, location);
  refuseBeyond(held, granted);
  if (call.tenantId === PLATFORM_TENANT_ID) return granted;
  const isInEveryTenant = (name: string) => !platformTenantScopes.includes(name as Scope);
  return readScopes(call, given, location, isInEveryTenant, 'exists only in tenant `platform`');
}

/**
 * Serializes changes of platform administrators: two concurrent changes that each leave one administrator must not
 * together leave none. `requireOneLeft` is called after the change, in the same transaction. Null in other tenants.
 */
export async function lockPlatformAdministrators(tx: Transaction, call: CallOf<'LAST_PLATFORM_ADMINISTRATOR'>) {
  if (call.tenantId !== PLATFORM_TENANT_ID) return null;
  await lockTenant(tx, call);
  return {
    async requireOneLeft(): Promise<void> {
      const lasting = await tx.execute(sql`
        select from credentials join role_bindings using (tenant_id, client_id)
        where tenant_id = ${PLATFORM_TENANT_ID} and role = 'platform_admin' and status = 'ACTIVE' and expires_at is null
        limit 1`);
      if (lasting.length === 0) throw call.refuse('LAST_PLATFORM_ADMINISTRATOR');
    },
  };
}
