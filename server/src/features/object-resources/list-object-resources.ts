import type { contract } from '@tenant-open-platform/contract';
import { desc, eq, getTableColumns, lt } from 'drizzle-orm';
import { all, boundedScan } from '../../platform/database/bounded-scan.js';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { answerPage, ID, pageOf, readCursor } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { objectResources } from './object-resources.table.js';
import { presentObjectResource } from './present-object-resource.js';

export const listObjectResources =
  (database: Database): Handler<typeof contract.objectResources.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const after = readCursor(list, cursor, ID);
    const found = await asTenant(database, call.tenantId, async (tx) => {
      const { from, where, lastRead } = await boundedScan(tx, {
        columns: [objectResources.resourceId],
        direction: 'desc',
        range: all([
          eq(objectResources.tenantId, call.tenantId),
          after !== null && lt(objectResources.resourceId, after),
        ]),
        filters: all([filters.credential_id && eq(objectResources.credentialId, filters.credential_id)]),
      });
      const rows = await tx
        .select(getTableColumns(objectResources))
        .from(from)
        .where(where)
        .orderBy(desc(objectResources.resourceId))
        .limit(limit + 1);
      return { rows, lastRead };
    });
    return answerPage(
      pageOf(list, found.rows, limit, ({ resourceId }) => resourceId, found.lastRead),
      call,
      presentObjectResource,
    );
  };
