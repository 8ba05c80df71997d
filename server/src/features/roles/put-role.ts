import { objectAndAction, type Scope } from '@tenant-open-platform/contract';
import { and, eq, sql } from 'drizzle-orm';
import { withAudit } from '../../platform/audit/with-audit.js';
import { policies } from '../../platform/identity/policies.table.js';
import { roles } from '../../platform/identity/roles.table.js';
import { newId } from '../../platform/new-id.js';
import type { Handler } from '../../platform/operation/handler.js';
import { refuseBeyondLimit } from '../tenants/refuse-beyond-limit.js';
import {
  builtInScopes,
  isBuiltIn,
  platformScopesOfCaller,
  policiesOfRole,
  readScopes,
  refuseBeyond,
  refuseScopesOfPlatformTenant,
} from './granting.js';
import { presentRole } from './present-role.js';

const locationOf = (index: number) => `body/scopes/${index}`;

export const putRole =
  (limit: number): Handler<'roles.put'> =>
  async ({ params: { role }, body }, call) => {
    const { tenantId } = call;
    const held = await platformScopesOfCaller(call);
    refuseBeyond(held, builtInScopes(role));
    if (isBuiltIn(role)) throw call.refuse('ROLE_BUILT_IN');
    const scopes = readScopes(call, body.scopes, locationOf);
    refuseBeyond(held, scopes);
    refuseScopesOfPlatformTenant(call, scopes, locationOf);

    const own = and(eq(roles.tenantId, tenantId), eq(roles.role, role));
    await withAudit(call, { fields: body }, async (tx) => {
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
      if (scopes.length > 0) await tx.insert(policies).values(scopes.map((scope) => policyOf(tenantId, role, scope)));
      return { before: existing ? { role, scopes: replaced } : null, after: { role, scopes }, result: null };
    });
    return { status: 200, body: presentRole({ role, scopes, builtIn: false }, call) };
  };

const policyOf = (tenantId: string, role: string, scope: Scope) => ({
  tenantId,
  policyId: newId(),
  role,
  ...objectAndAction(scope),
});
