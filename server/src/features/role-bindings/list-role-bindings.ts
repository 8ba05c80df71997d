import type { Scope } from '@tenant-open-platform/contract';
import { and, eq, inArray, or, sql } from 'drizzle-orm';
import { isOfScope, policies } from '../../platform/identity/policies.table.js';
import { roleBindings } from '../../platform/identity/role-bindings.table.js';
import { rolesThatGrant } from '../../platform/operation/find-operation.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { readScopes } from '../roles/granting.js';
import { presentRoleBinding } from './present-role-binding.js';

export const listRoleBindings: Handler<'roleBindings.list'> = ({ query }, call) => {
  const [scope] = query.scope === undefined ? [] : readScopes(call, [query.scope], () => 'query/scope');
  return newestFirst(call, query, {
    table: roleBindings,
    order: ['createdAt', 'clientId', 'role'],
    range: query.client_id === undefined ? undefined : eq(roleBindings.clientId, query.client_id),
    filteredBy: ['role'],
    filters: scope && grants(scope, call.tenantId),
    present: presentRoleBinding,
  });
};

/** The roles of the tenant that grant the scope, built-in or custom. */
const grants = (scope: Scope, tenantId: string) =>
  or(
    inArray(roleBindings.role, rolesThatGrant(scope)),
    sql`exists (
      select from ${policies}
      where ${and(eq(policies.tenantId, tenantId), eq(policies.role, roleBindings.role), isOfScope(scope))} offset 0
    )`,
  );
