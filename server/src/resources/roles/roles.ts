import { objectAndAction, type Scope } from '@tenant-open-platform/contract';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { newId } from '../../foundation/ids.js';
import { policies, roleBindings, roles } from '../../foundation/tables.js';
import { withAudit } from '../../gateway/audit/audit.js';
import type { Call, CallOf } from '../../gateway/operation/call.js';
import { auditedDeletion, type Handler } from '../handlers.js';
import { answerPage, readCursor } from '../lists.js';
import { ownRow, readRow, refuseBeyondLimit } from '../rows.js';
import {
  builtInRolesOf,
  builtInScopes,
  inOrder,
  isBuiltIn,
  platformScopesOfCaller,
  policiesOfRole,
  readScopesToGrant,
  refuseBeyond,
} from './granting.js';

type Role = { role: string; scopes: readonly string[]; builtIn: boolean };

const presentRole = ({ role, scopes, builtIn }: Role, { requestId }: Call) => ({
  role,
  scopes: inOrder(new Set(scopes)),
  built_in: builtIn,
  request_id: requestId,
});

const POSITION = /^[a-z0-9_-]{1,63}$/;

/** The built-in roles, then the tenant's custom roles by name. */
export const list: Handler<'roles.list'> = async ({ query: { limit, cursor, ...filters } }, call) => {
  const { tenantId } = call;
  const bound = { call, filters };
  const after = readCursor(bound, cursor, POSITION);
  const builtIn = builtInRolesOf(tenantId).map(([role, scopes]) => ({ role, scopes, builtIn: true }));
  const start = builtIn.findIndex(({ role }) => role === after) + 1;
  const isAfterBuiltIn = after !== null && start === 0;

  const found = await call.asTenant((tx) =>
    tx
      .select({
        role: roles.role,
        // Not a join, so that only the policies of the roles on this page are read.
        scopes: sql<string | null>`(
            select string_agg(object || ':' || action, ',') from policies
            where policies.tenant_id = roles.tenant_id and policies.role = roles.role
          )`,
      })
      .from(roles)
      .where(and(eq(roles.tenantId, tenantId), isAfterBuiltIn ? gt(roles.role, after) : undefined))
      .orderBy(asc(roles.role))
      .limit(limit + 1),
  );
  const own = found.map(({ role, scopes }) => ({ role, scopes: scopes?.split(',') ?? [], builtIn: false }));
  const rows = isAfterBuiltIn ? own : [...builtIn.slice(start), ...own];
  return answerPage(bound, { rows, limit }, ({ role }) => role, presentRole);
};

export const put: Handler<'roles.put'> = async ({ params, body }, call, { limits }) => {
  const { tenantId } = call;
  const { role } = params;
  const held = await platformScopesOfCaller(call);
  refuseBuiltIn(call, held, role);
  const scopes = readScopesToGrant(call, held, body.scopes, 'body/scopes');
  await withAudit(call, { fields: body }, async (tx) => {
    const [existing] = await tx
      .select()
      .from(roles)
      .where(ownRow(roles, call, params));
    if (!existing) await refuseBeyondLimit(tx, call, roles, limits);
    // The lock keeps the role unchanged until the commit: a binding grants exactly the scopes that its author was
    // checked for.
    await tx
      .insert(roles)
      .values({ tenantId, role })
      .onConflictDoUpdate({ target: [roles.tenantId, roles.role], set: { updatedAt: sql`now()` } });
    const replaced = await policiesOfRole(tx, tenantId, role);
    refuseBeyond(held, replaced);
    await tx.delete(policies).where(and(eq(policies.tenantId, tenantId), eq(policies.role, role)));
    const granted = scopes.map((scope) => ({ tenantId, policyId: newId(), role, ...objectAndAction(scope) }));
    if (granted.length > 0) await tx.insert(policies).values(granted);
    return { before: existing ? { role, scopes: replaced } : null, after: { role, scopes }, result: null };
  });
  return { status: 200, body: presentRole({ role, scopes, builtIn: false }, call) };
};

const deleteRole: Handler<'roles.delete'> = async ({ params }, call) => {
  const { tenantId } = call;
  const { role } = params;
  const held = await platformScopesOfCaller(call);
  refuseBuiltIn(call, held, role);
  return auditedDeletion(call, { params }, async (tx) => {
    // A concurrent binding either waits for this lock and then finds no role, or committed before it.
    await readRow(tx, call, roles, params, 'update');
    const scopes = await policiesOfRole(tx, tenantId, role);
    refuseBeyond(held, scopes);
    const bound = and(eq(roleBindings.tenantId, tenantId), eq(roleBindings.role, role));
    const [binding] = await tx.select().from(roleBindings).where(bound).limit(1);
    if (binding) throw call.refuse('ROLE_IN_USE');
    await tx.delete(roles).where(ownRow(roles, call, params));
    return { role, scopes };
  });
};

export { deleteRole as delete };

function refuseBuiltIn({ refuse }: CallOf<'ROLE_BUILT_IN'>, held: readonly Scope[], role: string): void {
  refuseBeyond(held, builtInScopes(role));
  if (isBuiltIn(role)) throw refuse('ROLE_BUILT_IN');
}
