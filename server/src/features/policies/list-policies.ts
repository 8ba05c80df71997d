import type { Scope } from '@tenant-open-platform/contract';
import { and, eq, isNotNull } from 'drizzle-orm';
import { isOfScope, policies } from '../../platform/identity/policies.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { presentPolicy } from './present-policy.js';

export const listPolicies: Handler<'policies.list'> = ({ query }, call) =>
  newestFirst(call, query, {
    table: policies,
    order: ['policyId'],
    range: and(isNotNull(policies.clientId), query.client_id ? eq(policies.clientId, query.client_id) : undefined),
    filters: query.scope === undefined ? undefined : isOfScope(query.scope as Scope),
    present: presentPolicy,
  });
