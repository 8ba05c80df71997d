import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, lt } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { pageOf, readCursor } from '../../platform/http/cursor.js';
import type { Handler } from '../../platform/http/handler.js';
import { objectResources } from './object-resources.table.js';
import { presentObjectResource } from './present-object-resource.js';

/** The resource_id. */
const POSITION = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const listObjectResources =
  (database: Database): Handler<typeof contract.objectResources.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const after = readCursor(list, cursor, POSITION);
    const found = await asTenant(database, call.tenantId, (tx) =>
      tx
        .select()
        .from(objectResources)
        .where(
          and(
            eq(objectResources.tenantId, call.tenantId),
            filters.credential_id === undefined ? undefined : eq(objectResources.credentialId, filters.credential_id),
            after === null ? undefined : lt(objectResources.resourceId, after),
          ),
        )
        .orderBy(desc(objectResources.resourceId))
        .limit(limit + 1),
    );
    const page = pageOf(list, found, limit, ({ resourceId }) => resourceId);
    return {
      status: 200,
      body: {
        items: page.rows.map((row) => presentObjectResource(row, call.requestId)),
        next_cursor: page.nextCursor,
        request_id: call.requestId,
      },
    };
  };
