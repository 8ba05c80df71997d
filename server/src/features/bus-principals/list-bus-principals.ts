import type { contract } from '@tenant-open-platform/contract';
import { desc, eq, getTableColumns, lt } from 'drizzle-orm';
import { all, boundedScan } from '../../platform/database/bounded-scan.js';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { answerPage, ID, pageOf, readCursor } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { busPrincipals } from './bus-principals.table.js';
import { presentBusPrincipal } from './present-bus-principal.js';

export const listBusPrincipals =
  (database: Database): Handler<typeof contract.busPrincipals.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const before = readCursor(list, cursor, ID);
    const range = all([
      eq(busPrincipals.tenantId, call.tenantId),
      before !== null && lt(busPrincipals.principalId, before),
    ]);
    const withoutIndex = all([
      filters.client_id && eq(busPrincipals.clientId, filters.client_id),
      filters.status && eq(busPrincipals.status, filters.status),
    ]);
    const found = await asTenant(database, call.tenantId, async (tx) => {
      const { from, where, lastRead } = await boundedScan(tx, {
        columns: [busPrincipals.principalId],
        direction: 'desc',
        range,
        filters: withoutIndex,
      });
      const rows = await tx
        .select(getTableColumns(busPrincipals))
        .from(from)
        .where(where)
        .orderBy(desc(busPrincipals.principalId))
        .limit(limit + 1);
      return { rows, lastRead };
    });
    return answerPage(
      pageOf(list, found.rows, limit, (row) => row.principalId, found.lastRead),
      call,
      presentBusPrincipal,
    );
  };
