import type { contract } from '@tenant-open-platform/contract';
import { and, eq, isNotNull } from 'drizzle-orm';
import { withAudit } from '../../platform/audit/with-audit.js';
import type { Database } from '../../platform/database/database.js';
import { policies } from '../../platform/identity/policies.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { deleteRow } from '../../platform/operation/rows.js';
import { platformScopesOfCaller, refuseBeyond } from '../roles/granting.js';
import { presentPolicy } from './present-policy.js';

export const deletePolicy =
  (database: Database): Handler<typeof contract.policies.delete> =>
  async ({ params: { policy_id: policyId } }, call) => {
    const held = await platformScopesOfCaller(database, call);
    await withAudit(database, call, { fields: {} }, async (tx) => {
      // Policies of a role are changed with the role.
      const isDirect = isNotNull(policies.clientId);
      const own = and(eq(policies.tenantId, call.tenantId), eq(policies.policyId, policyId), isDirect);
      const deleted = await deleteRow(tx, call, policies, own);
      const before = presentPolicy(deleted, call.requestId);
      refuseBeyond(held, [before.scope]);
      return { before, after: null, result: null };
    });
    return { status: 200, body: { policy_id: policyId, deleted: true, request_id: call.requestId } };
  };
