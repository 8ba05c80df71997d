import { and, eq } from 'drizzle-orm';
import { withAudit } from '../../platform/audit/with-audit.js';
import { roleBindings } from '../../platform/identity/role-bindings.table.js';
import { roles } from '../../platform/identity/roles.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { builtInScopes, isBuiltIn, platformScopesOfCaller, policiesOfRole, refuseBeyond } from './granting.js';

export const deleteRole: Handler<'roles.delete'> = async ({ params: { role } }, call) => {
  const { tenantId } = call;
  const held = await platformScopesOfCaller(call);
  refuseBeyond(held, builtInScopes(role));
  if (isBuiltIn(role)) throw call.refuse('ROLE_BUILT_IN');
  await withAudit(call, { fields: {} }, async (tx) => {
    const own = and(eq(roles.tenantId, tenantId), eq(roles.role, role));
    // A concurrent binding either waits for this lock and then finds no role, or committed before it.
    const [locked] = await tx.select().from(roles).where(own).for('update');
    if (!locked) throw call.refuse('NOT_FOUND');
    const scopes = await policiesOfRole(tx, tenantId, role);
    refuseBeyond(held, scopes);
    const bound = and(eq(roleBindings.tenantId, tenantId), eq(roleBindings.role, role));
    const [binding] = await tx.select().from(roleBindings).where(bound).limit(1);
    if (binding) throw call.refuse('ROLE_IN_USE');
    await tx.delete(roles).where(own);
    return { before: { role, scopes }, after: null, result: null };
  });
  return { status: 200, body: { role, deleted: true, request_id: call.requestId } };
};
