import { contract, type Scope } from '@tenant-open-platform/contract';
import { and, eq, inArray, or, sql } from 'drizzle-orm';
import { notFoundIn } from '../../foundation/api-error.js';
import type { Transaction } from '../../foundation/database/database.js';
import { isOfScope, policies, roleBindings } from '../../foundation/tables.js';
import { withAudit } from '../../gateway/audit/audit.js';
import { rolesThatGrant } from '../../gateway/operation/find-operation.js';
import { lockCredential } from '../credentials/credentials.js';
import { auditedDeletion, type Handler } from '../handlers.js';
import { newestFirst } from '../lists.js';
import {
  builtInScopes,
  lockPlatformAdministrators,
  platformScopesOfCaller,
  readScopes,
  refuseBeyond,
  scopesOfRole,
} from '../roles/granting.js';
import { deleteRow, ownRow, presenter, refuseBeyondLimit } from '../rows.js';

const presentRoleBinding = presenter(roleBindings, contract.roleBindings.create.responses[201]);

export const create: Handler<'roleBindings.create'> = async ({ body }, call, { limits }) => {
  const { tenantId } = call;
  const { client_id: clientId, role } = body;
  const held = await platformScopesOfCaller(call);
  const created = await withAudit(call, { fields: body, created: `${clientId}/${role}` }, async (tx) => {
    refuseBeyond(held, builtInScopes(role));
    await refuseBeyondLimit(tx, call, roleBindings, limits);
    const granted = await scopesOfRole(tx, tenantId, role);
    if (!granted) throw notFoundIn('body/role');
    refuseBeyond(held, granted);
    if (!(await lockCredential(tx, call, clientId))) throw notFoundIn('body/client_id');
    const bound = await insertRoleBinding(tx, { tenantId, clientId, role });
    if (!bound) throw call.refuse('ROLE_BINDING_ALREADY_EXISTS');
    // The scopes of the role at this time: the log must show the meaning of the binding.
    const result = presentRoleBinding(bound, call);
    return { before: null, after: { ...result, scopes: granted }, result };
  });
  return { status: 201, body: created };
};

/** Null if the binding exists. */
export async function insertRoleBinding(tx: Transaction, binding: typeof roleBindings.$inferInsert) {
  const [row] = await tx.insert(roleBindings).values(binding).onConflictDoNothing().returning();
  return row ?? null;
}

export const list: Handler<'roleBindings.list'> = ({ query }, call) => {
  const [scope] = readScopes(call, query.scope, 'query/scope');
  return newestFirst(call, query, {
    table: roleBindings,
    order: ['createdAt', 'clientId', 'role'],
    range: query.client_id === undefined ? undefined : eq(roleBindings.clientId, query.client_id),
    filteredBy: ['role'],
    filters: scope && grants(scope, call.tenantId),
    present: presentRoleBinding,
  });
};

/** The roles of the tenant that grant the scope, built-in or custom. `grantsOfScope` would look up each binding again. */
const grants = (scope: Scope, tenantId: string) =>
  or(
    inArray(roleBindings.role, rolesThatGrant(scope)),
    sql`exists (
      select from ${policies}
      where ${and(eq(policies.tenantId, tenantId), eq(policies.role, roleBindings.role), isOfScope(scope))} offset 0
    )`,
  );

const deleteRoleBinding: Handler<'roleBindings.delete'> = async ({ params }, call) => {
  const held = await platformScopesOfCaller(call);
  return auditedDeletion(call, { params, mayExceed: true }, async (tx) => {
    const administrators = await lockPlatformAdministrators(tx, call);
    const deleted = await deleteRow(tx, call, roleBindings, ownRow(roleBindings, call, params));
    const scopes = (await scopesOfRole(tx, call.tenantId, params.role)) ?? [];
    refuseBeyond(held, scopes);
    await administrators?.requireOneLeft();
    return { ...presentRoleBinding(deleted, call), scopes };
  });
};

export { deleteRoleBinding as delete };
