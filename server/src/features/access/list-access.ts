import type { Scope } from '@tenant-open-platform/contract';
import { sql } from 'drizzle-orm';
import { credentials } from '../../platform/identity/credentials.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { readScopes } from '../roles/granting.js';
import { allGrants, grantsOfScope, presentGrant, presentHolder, readGrants } from './grants.js';

export const listAccess: Handler<'access.list'> = async ({ query }, call) => {
  const { tenantId, requestId } = call;
  const { scope, role } = query;
  if (scope !== undefined) readScopes(call, [scope], () => 'query/scope');
  const all = scope === undefined ? allGrants(tenantId) : grantsOfScope(tenantId, scope as Scope);
  const grants = role === undefined ? all : sql`(select * from ${all} as one where one.role = ${role})`;
  const { body } = await newestFirst(call, query, {
    table: credentials,
    order: ['createdAt', 'clientId'],
    filters: sql`exists (select from ${grants} as held where held.client_id = ${credentials.clientId} offset 0)`,
    present: presentHolder,
  });
  const clientIds = body.items.map(({ client_id }) => client_id);
  const held = await call.asTenant((tx) => readGrants(tx, grants, clientIds));
  const items = body.items.flatMap((holder) => {
    const own = held.filter(({ client_id }) => client_id === holder.client_id).map(presentGrant);
    // None is left if all were revoked after the first statement.
    return own.length > 0 ? [{ ...holder, grants: own, request_id: requestId }] : [];
  });
  return { status: 200, body: { ...body, items } };
};
