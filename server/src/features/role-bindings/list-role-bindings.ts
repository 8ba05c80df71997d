import type { Scope } from '@tenant-open-platform/contract';
import { and, eq, inArray, or, sql } from 'drizzle-orm';
import { isOfScope, policies } from '../../platform/identity/policies.table.js';
import { roleBindings } from '../../platform/identity/role-bindings.table.js';
import { rolesThatGrant } from '../../platform/operation/find-operation.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { presentRoleBinding } from './present-role-binding.js';

export const listRoleBindings: Handler<'roleBindings.list'> = ({ query }, call) =>
  newestFirst(call, query, {
    table: roleBindings,
    order: ['createdAt', 'clientId', 'role'],
    range: query.client_id === undefined ? undefined : eq(roleBindings.clientId, query.client_id),
    filteredBy: ['role'],
    filters: query.scope === undefined ? undefined : grants(query.scope as Scope, call.tenantId),
    present: presentRoleBinding,
  });

/** The roles of the tenant that grant the scope, built-in or custom. */
const grants = (scope: Scope, tenantId: string) =>
  or(
    inArray(roleBindings.role, rolesThatGrant(scope)),
    sql`exists (
      select from ${policies}
      where ${and(eq(policies.tenantId, tenantId), eq(policies.role, roleBindings.role), isOfScope(scope))} offset 0
    )`,
  );
