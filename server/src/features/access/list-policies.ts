import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, isNotNull, lt } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { pageOf, readCursor } from '../../platform/http/cursor.js';
import type { Handler } from '../../platform/http/handler.js';
import { policies } from './policies.table.js';
import { presentPolicy } from './present-policy.js';

/** The policy_id. */
const POSITION = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const listPolicies =
  (database: Database): Handler<typeof contract.policies.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const after = readCursor(list, cursor, POSITION);
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
    const page = pageOf(list, found, limit, ({ policyId }) => policyId);
    return {
      status: 200,
      body: {
        items: page.rows.map((row) => presentPolicy(row, call.requestId)),
        next_cursor: page.nextCursor,
        request_id: call.requestId,
      },
    };
  };
