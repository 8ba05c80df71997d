import { and, isNotNull } from 'drizzle-orm';
import { withAudit } from '../../platform/audit/with-audit.js';
import { policies } from '../../platform/identity/policies.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { deleteRow, ownRow } from '../../platform/operation/rows.js';
import { platformScopesOfCaller, refuseBeyond } from '../roles/granting.js';
import { presentPolicy } from './present-policy.js';

export const deletePolicy: Handler<'policies.delete'> = async ({ params }, call) => {
  const held = await platformScopesOfCaller(call);
  await withAudit(call, { fields: {} }, async (tx) => {
    // Policies of a role are changed with the role.
    const own = and(ownRow(policies, call, params), isNotNull(policies.clientId));
    const deleted = await deleteRow(tx, call, policies, own);
    const before = presentPolicy(deleted, call);
    refuseBeyond(held, [before.scope]);
    return { before, after: null, result: null };
  });
  return { status: 200, body: { policy_id: params.policy_id, deleted: true, request_id: call.requestId } };
};
