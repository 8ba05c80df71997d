import type { Scope } from '@tenant-open-platform/contract';
import { and, eq } from 'drizzle-orm';
import { withAudit } from '../../platform/audit/with-audit.js';
import { isOfScope, policies } from '../../platform/identity/policies.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { deleteRow } from '../../platform/operation/rows.js';
import { platformScopesOfCaller, readScopes, refuseBeyond } from '../roles/granting.js';
import { presentPolicy } from './present-policy.js';

export const revokePolicy: Handler<'policies.revoke'> = async (
  { query: { client_id: clientId, scope: name } },
  call,
) => {
  const { tenantId } = call;
  const scopes = readScopes(call, [name], () => 'query/scope');
  const held = await platformScopesOfCaller(call);
  refuseBeyond(held, scopes);
  const change = { fields: {}, created: '' };
  const revoked = await withAudit(call, change, async (tx) => {
    const ofClient = and(eq(policies.tenantId, tenantId), eq(policies.clientId, clientId));
    const deleted = await deleteRow(tx, call, policies, and(ofClient, isOfScope(name as Scope)));
    change.created = deleted.policyId;
    const before = presentPolicy(deleted, call);
    return { before, after: null, result: before };
  });
  return { status: 200, body: revoked };
};
