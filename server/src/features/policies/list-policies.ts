import { and, eq, isNotNull } from 'drizzle-orm';
import { isOfScope, policies } from '../../platform/identity/policies.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { readScopes } from '../roles/granting.js';
import { presentPolicy } from './present-policy.js';

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
