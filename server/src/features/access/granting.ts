import { builtInRoles, type Scope } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import { forbidden } from '../../platform/auth/judge.js';
import type { Database, Transaction } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import type { Call } from '../../platform/http/call.js';
import { roleBindings } from './role-bindings.table.js';

export const scopesOf = (roles: readonly string[]): Scope[] => [
  ...new Set(roles.flatMap((role) => builtInRoles[role] ?? [])),
];

export async function rolesOf(tx: Transaction, tenantId: string, clientId: string): Promise<string[]> {
  const rows = await tx
    .select({ role: roleBindings.role })
    .from(roleBindings)
    .where(and(eq(roleBindings.tenantId, tenantId), eq(roleBindings.clientId, clientId)))
    .orderBy(roleBindings.role);
  return rows.map(({ role }) => role);
}

const platformScopes = (roles: readonly string[]) => scopesOf(roles).filter((scope) => scope.startsWith('platform:'));

/** The platform:* scopes of the caller, read in the caller's own tenant. */
export async function platformScopesOfCaller(database: Database, { caller }: Call): Promise<Scope[]> {
  const roles = await asTenant(database, caller.tenantId, (tx) => rolesOf(tx, caller.tenantId, caller.clientId));
  return platformScopes(roles);
}

/** Nobody grants a platform:* scope that it lacks, nor changes a credential that holds one. */
export function refuseBeyond(held: readonly Scope[], roles: readonly string[]): void {
  const missing = platformScopes(roles).find((scope) => !held.includes(scope));
  if (missing) throw forbidden(missing);
}
