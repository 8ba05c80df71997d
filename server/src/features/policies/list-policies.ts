import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, isNotNull, lt } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { policies } from '../../platform/identity/policies.table.js';
import { answerPage, ID, pageOf, readCursor } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { presentPolicy } from './present-policy.js';

export const listPolicies =
  (database: Database): Handler<typeof contract.policies.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const after = readCursor(list, cursor, ID);
    const found = await asTenant(database, call.tenantId, (tx) =>
      tx
        .select()
        .from(policies)
        .where(
          and(
            eq(policies.tenantId, call.tenantId),
            isNotNull(policies.clientId),
            filters.client_id === undefined ? undefined : eq(policies.clientId, filters.client_id),
            after === null ? undefined : lt(policies.policyId, after),
          ),
        )
        .orderBy(desc(policies.policyId))
        .limit(limit + 1),
    );
    return answerPage(
      pageOf(list, found, limit, ({ policyId }) => policyId),
      call,
      presentPolicy,
    );
  };
