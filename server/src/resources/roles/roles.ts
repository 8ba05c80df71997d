import { objectAndAction } from '@tenant-open-platform/contract';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { newId } from '../../foundation/ids.js';
import { policies, roleBindings, roles } from '../../foundation/tables.js';
import { withAudit } from '../../gateway/audit/audit.js';
import type { Call, Handler } from '../../gateway/operation/call.js';
import { auditedDeletion } from '../handlers.js';
import { answerPage, pageOf, readCursor } from '../lists.js';
import { ownRow, readRow, refuseBeyondLimit } from '../rows.js';
import {
  builtInRolesOf,
  builtInScopes,
  inOrder,
  isBuiltIn,
  platformScopesOfCaller,
  policiesOfRole,
  readScopes,
  refuseBeyond,
  refuseScopesOfPlatformTenant,
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
export const listRoles: Handler<'roles.list'> = async ({ query: { limit, cursor, ...filters } }, call) => {
  const { tenantId } = call;
  const list = { call, filters };
  const after = readCursor(list, cursor, POSITION);
  const isAfterBuiltIn = after !== null && !isBuiltIn(after);
  const builtIn = builtInRolesOf(tenantId).map(([role, scopes]) => ({ role, scopes, builtIn: true }));
  const start = after === null ? 0 : builtIn.findIndex(({ role }) => role === after) + 1;
  if (!isAfterBuiltIn && after !== null && start === 0) throw call.refuse('INVALID_CURSOR');

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
  const page = pageOf(list, rows, limit, ({ role }) => role);
  return answerPage(page, call, presentRole);
};

const locationOf = (index: number) => `body/scopes/${index}`;

export const putRole =
  (limit: number): Handler<'roles.put'> =>
  async ({ params, body }, call) => {
    const { tenantId } = call;
    const { role } = params;
    const held = await platformScopesOfCaller(call);
    refuseBeyond(held, builtInScopes(role));
    if (isBuiltIn(role)) throw call.refuse('ROLE_BUILT_IN');
    const scopes = readScopes(call, body.scopes, locationOf);
    refuseBeyond(held, scopes);
    refuseScopesOfPlatformTenant(call, scopes, locationOf);

    await withAudit(call, { fields: body }, async (tx) => {
      const own = ownRow(roles, call, params);
      const [existing] = await tx.select().from(roles).where(own);
      if (!existing) await refuseBeyondLimit(tx, call, roles, limit);
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

export const deleteRole: Handler<'roles.delete'> = async ({ params }, call) => {
  const { tenantId } = call;
  const { role } = params;
  const held = await platformScopesOfCaller(call);
  refuseBeyond(held, builtInScopes(role));
  if (isBuiltIn(role)) throw call.refuse('ROLE_BUILT_IN');
  return auditedDeletion(call, { role }, async (tx) => {
    const own = ownRow(roles, call, params);
    // A concurrent binding either waits for this lock and then finds no role, or committed before it.
    await readRow(tx, call, roles, own, 'update');
    const scopes = await policiesOfRole(tx, tenantId, role);
    refuseBeyond(held, scopes);
    const bound = and(eq(roleBindings.tenantId, tenantId), eq(roleBindings.role, role));
    const [binding] = await tx.select().from(roleBindings).where(bound).limit(1);
    if (binding) throw call.refuse('ROLE_IN_USE');
    await tx.delete(roles).where(own);
    return { role, scopes };
  });
};
