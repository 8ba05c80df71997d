import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, lt } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { pageOf, readCursor } from '../../platform/http/cursor.js';
import type { Handler } from '../../platform/http/handler.js';
import { callbackEndpoints } from './callback-endpoints.table.js';
import { presentCallbackEndpoint } from './present-callback-endpoint.js';

/** The endpoint_id. */
const POSITION = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const listCallbackEndpoints =
  (database: Database): Handler<typeof contract.callbackEndpoints.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const before = readCursor(list, cursor, POSITION);
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
    const page = pageOf(list, found, limit, ({ endpointId }) => endpointId);
    return {
      status: 200,
      body: {
        items: page.rows.map((row) => presentCallbackEndpoint(row, call)),
        next_cursor: page.nextCursor,
        request_id: call.requestId,
      },
    };
  };
