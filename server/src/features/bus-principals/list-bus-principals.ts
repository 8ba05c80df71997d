import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, lt } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { answerPage, ID, pageOf, readCursor } from '../../platform/http/cursor.js';
import type { Handler } from '../../platform/http/handler.js';
import { busPrincipals } from './bus-principals.table.js';
import { presentBusPrincipal } from './present-bus-principal.js';

export const listBusPrincipals =
  (database: Database): Handler<typeof contract.busPrincipals.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const before = readCursor(list, cursor, ID);
    const where = [
      eq(busPrincipals.tenantId, call.tenantId),
      before !== null && lt(busPrincipals.principalId, before),
      filters.client_id && eq(busPrincipals.clientId, filters.client_id),
      filters.status && eq(busPrincipals.status, filters.status),
    ].filter((condition) => typeof condition === 'object');
    const found = await asTenant(database, call.tenantId, (tx) =>
      tx
        .select()
        .from(busPrincipals)
        .where(and(...where))
        .orderBy(desc(busPrincipals.principalId))
        .limit(limit + 1),
    );
    return answerPage(
      pageOf(list, found, limit, (row) => row.principalId),
      call,
      presentBusPrincipal,
    );
  };
