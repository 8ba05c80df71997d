import { contract, objectAndAction, type Scope } from '@tenant-open-platform/contract';
import { and, eq, isNotNull } from 'drizzle-orm';
import { notFoundIn } from '../../foundation/api-error.js';
import { isOfScope, policies } from '../../foundation/tables.js';
import { changeOf, withAudit } from '../../gateway/audit/audit.js';
import type { Call } from '../../gateway/operation/call.js';
import { lockCredential } from '../credentials/credentials.js';
import { auditedDeletion, type Handler } from '../handlers.js';
import { newestFirst } from '../lists.js';
import { platformScopesOfCaller, readScopes, readScopesToGrant, refuseBeyond } from '../roles/granting.js';
import { deleteRow, newIdOf, ownRow, presenter, refuseBeyondLimit } from '../rows.js';

const fieldsOf = presenter(policies, contract.policies.create.responses[201]);

/** A direct policy: its subject is a credential. */
const presentPolicy = (row: typeof policies.$inferSelect, call: Call) => ({
  ...fieldsOf(row, call),
  client_id: row.clientId as string,
  scope: `${row.object}:${row.action}` as Scope,
});

export const create: Handler<'policies.create'> = async ({ body }, call, { limits }) => {
  const { tenantId } = call;
  const held = await platformScopesOfCaller(call);
  const scopes = readScopesToGrant(call, held, body.scope, 'body/scope');
  const policyId = newIdOf(call);
  const created = await withAudit(call, { fields: body, created: policyId }, async (tx) => {
    // A policy of a role counts against the limit of roles.
    const direct = and(eq(policies.tenantId, tenantId), isNotNull(policies.clientId));
    await refuseBeyondLimit(tx, call, policies, limits, direct);
    if (!(await lockCredential(tx, call, body.client_id))) throw notFoundIn('body/client_id');
    const shared = { tenantId, policyId, clientId: body.client_id, createdAt: call.admittedAt };
    const granted = scopes.map((scope) => ({ ...shared, ...objectAndAction(scope) }));
    const [row] = await tx.insert(policies).values(granted).onConflictDoNothing().returning();
    if (!row) throw call.refuse('POLICY_ALREADY_EXISTS');
    return changeOf(call, presentPolicy, null, row);
  });
  return { status: 201, body: created };
};

export const list: Handler<'policies.list'> = ({ query }, call) => {
  const [scope] = readScopes(call, query.scope, 'query/scope');
  return newestFirst(call, query, {
    table: policies,
    order: ['policyId'],
    range: and(isNotNull(policies.clientId), query.client_id ? eq(policies.clientId, query.client_id) : undefined),
    filters: scope && isOfScope(scope),
    present: presentPolicy,
  });
};

const deletePolicy: Handler<'policies.delete'> = async ({ params }, call) => {
  const held = await platformScopesOfCaller(call);
  return auditedDeletion(call, { params, mayExceed: true }, async (tx) => {
    // Policies of a role are changed with the role.
    const own = and(ownRow(policies, call, params), isNotNull(policies.clientId));
    const deleted = presentPolicy(await deleteRow(tx, call, policies, own), call);
    refuseBeyond(held, [deleted.scope]);
    return deleted;
  });
};

export { deletePolicy as delete };

export const revoke: Handler<'policies.revoke'> = async ({ query }, call) => {
  const scopes = readScopes(call, query.scope, 'query/scope');
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
