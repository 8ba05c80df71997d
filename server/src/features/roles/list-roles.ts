import { isScope } from '@tenant-open-platform/contract';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { roles } from '../../platform/identity/roles.table.js';
import { answerPage, pageOf, readCursor } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { builtInRolesOf, isBuiltIn } from './granting.js';
import { presentRole } from './present-role.js';

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
  const own = found.map(({ role, scopes }) => ({
    role,
    scopes: (scopes ?? '').split(',').filter(isScope),
    builtIn: false,
  }));
  return answerPage(
    pageOf(list, isAfterBuiltIn ? own : [...builtIn.slice(start), ...own], limit, ({ role }) => role),
    call,
    presentRole,
  );
};
