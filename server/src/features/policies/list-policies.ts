import type { contract } from '@tenant-open-platform/contract';
import { and, eq, isNotNull } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { policies } from '../../platform/identity/policies.table.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { presentPolicy } from './present-policy.js';

export const listPolicies =
  (database: Database): Handler<typeof contract.policies.list> =>
  ({ query }, call) =>
    newestFirst(database, call, query, {
      table: policies,
      order: ['policyId'],
      range: and(isNotNull(policies.clientId), query.client_id ? eq(policies.clientId, query.client_id) : undefined),
      present: presentPolicy,
    });
