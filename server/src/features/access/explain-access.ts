import { objectAndAction, type Scope } from '@tenant-open-platform/contract';
import { and, asc, eq, isNotNull } from 'drizzle-orm';
import { mayCall } from '../../platform/auth/authorize.js';
import type { Transaction } from '../../platform/database/database.js';
import { credentials } from '../../platform/identity/credentials.table.js';
import { policies } from '../../platform/identity/policies.table.js';
import { invalidValue } from '../../platform/operation/api-error.js';
import { operationNamed } from '../../platform/operation/find-operation.js';
import type { Handler } from '../../platform/operation/handler.js';
import { ownRow, readRow } from '../../platform/operation/rows.js';
import { builtInRolesOf } from '../roles/granting.js';
import { grantsOfScope, presentGrant, presentHolder, readGrants } from './grants.js';

export const explainAccess: Handler<'access.explain'> = async ({ params, query }, call) => {
  const { tenantId, requestId } = call;
  const operation = operationNamed(query.operation);
  if (!operation) throw invalidValue('query/operation', 'is not the name of an operation');
  const { scope } = operation;
  return call.asTenant(async (tx) => {
    const credential = await readRow(tx, call, credentials, ownRow(credentials, call, params));
    const grants = scope ? await readGrants(tx, grantsOfScope(tenantId, scope), [credential.clientId]) : [];
    const granted = mayCall(operation, tenantId, grants.length > 0);
    return {
      status: 200,
      body: {
        ...presentHolder(credential),
        operation: operation.name,
        scope,
        granted,
        reason: granted
          ? scope
            ? 'GRANTED'
            : 'NO_SCOPE_NEEDED'
          : mayCall(operation, tenantId, true)
            ? 'SCOPE_MISSING'
            : 'TENANT_PLATFORM_ONLY',
        grants: grants.map(presentGrant),
        granting_roles: scope ? await grantingRoles(tx, tenantId, scope) : [],
        request_id: requestId,
      },
    };
  });
};

async function grantingRoles(tx: Transaction, tenantId: string, scope: Scope): Promise<string[]> {
  const { object, action } = objectAndAction(scope);
  const granted = and(eq(policies.tenantId, tenantId), eq(policies.object, object), eq(policies.action, action));
  const custom = tx
    .select({ role: policies.role })
    .from(policies)
    .where(and(granted, isNotNull(policies.role)));
  const builtIn = builtInRolesOf(tenantId).flatMap(([role, scopes]) => (scopes.includes(scope) ? [role] : []));
  return [...builtIn, ...(await custom.orderBy(asc(policies.role))).flatMap(({ role }) => role ?? [])];
}
