import { objectAndAction, type Scope } from '@tenant-open-platform/contract';
import { and, eq, isNotNull } from 'drizzle-orm';
import { notFoundIn } from '../../foundation/api-error.js';
import type { Transaction } from '../../foundation/database/database.js';
import { isOfScope, policies } from '../../foundation/tables.js';
import { changeOf, withAudit } from '../../gateway/audit/audit.js';
import type { Call, Handler } from '../../gateway/operation/call.js';
import { lockCredential } from '../credentials/credentials.js';
import { auditedDeletion } from '../handlers.js';
import { newestFirst } from '../lists.js';
import { platformScopesOfCaller, readScopes, refuseBeyond, refuseScopesOfPlatformTenant } from '../roles/granting.js';
import { deleteRow, newIdOf, ownRow, refuseBeyondLimit } from '../rows.js';

/** A direct policy: its subject is a credential. */
const presentPolicy = (row: typeof policies.$inferSelect, { requestId }: Call) => ({
  policy_id: row.policyId,
  client_id: row.clientId as string,
  scope: `${row.object}:${row.action}` as Scope,
  created_at: row.createdAt.toISOString(),
  request_id: requestId,
});

const locationOf = () => 'body/scope';

export const createPolicy =
  (limit: number): Handler<'policies.create'> =>
  async ({ body }, call) => {
    const { tenantId } = call;
    const scopes = readScopes(call, [body.scope], locationOf);
    const held = await platformScopesOfCaller(call);
    refuseBeyond(held, scopes);
    refuseScopesOfPlatformTenant(call, scopes, locationOf);

    const policyId = newIdOf(call);
    const created = await withAudit(call, { fields: body, created: policyId }, async (tx) => {
      // A policy of a role counts against the limit of roles.
      const direct = and(eq(policies.tenantId, tenantId), isNotNull(policies.clientId));
      await refuseBeyondLimit(tx, call, policies, limit, direct);
      if (!(await lockCredential(tx, call, body.client_id))) throw notFoundIn('body/client_id');
      const shared = { tenantId, policyId, clientId: body.client_id, createdAt: call.admittedAt };
      const granted = scopes.map((scope) => ({ ...shared, ...objectAndAction(scope) }));
      const [row] = await tx.insert(policies).values(granted).onConflictDoNothing().returning();
      if (!row) throw call.refuse('POLICY_ALREADY_EXISTS');
      return changeOf(call, presentPolicy, null, row);
    });
    return { status: 201, body: created };
  };

export const listPolicies: Handler<'policies.list'> = ({ query }, call) => {
  const [scope] = query.scope === undefined ? [] : readScopes(call, [query.scope], () => 'query/scope');
  return newestFirst(call, query, {
    table: policies,
    order: ['policyId'],
    range: and(isNotNull(policies.clientId), query.client_id ? eq(policies.clientId, query.client_id) : undefined),
    filters: scope && isOfScope(scope),
    present: presentPolicy,
  });
};

export const deletePolicy: Handler<'policies.delete'> = async ({ params }, call) => {
  const held = await platformScopesOfCaller(call);
  const deletion = async (tx: Transaction) => {
    // Policies of a role are changed with the role.
    const own = and(ownRow(policies, call, params), isNotNull(policies.clientId));
    const deleted = presentPolicy(await deleteRow(tx, call, policies, own), call);
    refuseBeyond(held, [deleted.scope]);
    return deleted;
  };
  return auditedDeletion(call, { policy_id: params.policy_id }, deletion, { mayExceed: true });
};

export const revokePolicy: Handler<'policies.revoke'> = async ({ query }, call) => {
  const scopes = readScopes(call, [query.scope], () => 'query/scope');
  const held = await platformScopesOfCaller(call);
  refuseBeyond(held, scopes);
  const change = { fields: {}, created: '', mayExceed: true as const };
  const revoked = await withAudit(call, change, async (tx) => {
    const ofClient = and(eq(policies.tenantId, call.tenantId), eq(policies.clientId, query.client_id));
    const deleted = await deleteRow(tx, call, policies, and(ofClient, ...scopes.map(isOfScope)));
    const result = presentPolicy(deleted, call);
    change.created = result.policy_id;
    return { before: result, after: null, result };
  });
  return { status: 200, body: revoked };
};
