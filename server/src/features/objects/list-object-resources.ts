import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, lt } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { answerPage, ID, pageOf, readCursor } from '../../platform/http/cursor.js';
import type { Handler } from '../../platform/http/handler.js';
import { objectResources } from './object-resources.table.js';
import { presentObjectResource } from './present-object-resource.js';

export const listObjectResources =
  (database: Database): Handler<typeof contract.objectResources.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const after = readCursor(list, cursor, ID);
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
    return answerPage(
      pageOf(list, found, limit, ({ resourceId }) => resourceId),
      call,
      presentObjectResource,
    );
  };
