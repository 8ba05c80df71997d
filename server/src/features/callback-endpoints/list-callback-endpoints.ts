import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, lt } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { answerPage, ID, pageOf, readCursor } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { callbackEndpoints } from './callback-endpoints.table.js';
import { presentCallbackEndpoint } from './present-callback-endpoint.js';

export const listCallbackEndpoints =
  (database: Database): Handler<typeof contract.callbackEndpoints.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const before = readCursor(list, cursor, ID);
    const found = await asTenant(database, call.tenantId, (tx) =>
      tx
        .select()
        .from(callbackEndpoints)
        .where(
          and(
            eq(callbackEndpoints.tenantId, call.tenantId),
            before === null ? undefined : lt(callbackEndpoints.endpointId, before),
          ),
        )
        .orderBy(desc(callbackEndpoints.endpointId))
        .limit(limit + 1),
    );
    return answerPage(
      pageOf(list, found, limit, ({ endpointId }) => endpointId),
      call,
      (row) => presentCallbackEndpoint(row, call),
    );
  };
