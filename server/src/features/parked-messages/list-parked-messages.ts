import type { contract } from '@tenant-open-platform/contract';
import { desc, eq, getTableColumns, gte, lt, sql } from 'drizzle-orm';
import { parkedMessages } from '../../platform/bus/parked-messages.table.js';
import { all, boundedScan } from '../../platform/database/bounded-scan.js';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { firstIdAt } from '../../platform/new-id.js';
import { answerPage, ID, pageOf, readCursor } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';
import { presentParkedMessage, subjectKinds } from './present-parked-message.js';

const { body: _, ...columns } = getTableColumns(parkedMessages);

export const listParkedMessages =
  (database: Database): Handler<typeof contract.parkedMessages.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const before = readCursor(list, cursor, ID);
    const range = all([
      eq(parkedMessages.tenantId, call.tenantId),
      before !== null && lt(parkedMessages.parkedMessageId, before),
      filters.parked_after && gte(parkedMessages.parkedMessageId, firstIdAt(filters.parked_after)),
      filters.parked_before && lt(parkedMessages.parkedMessageId, firstIdAt(filters.parked_before)),
    ]);
    const withoutIndex = all([
      filters.kind && eq(tokenOfSubject(3), subjectKinds[filters.kind]),
      filters.vendor && sql`${eq(tokenOfSubject(4), filters.vendor)} and ${tokenOfSubject(3)} <> 'events'`,
    ]);
    const found = await asTenant(database, call.tenantId, async (tx) => {
      const { from, where, lastRead } = await boundedScan(tx, {
        columns: [parkedMessages.parkedMessageId],
        direction: 'desc',
        range,
        filters: withoutIndex,
      });
      const rows = await tx
        .select(columns)
        .from(from)
        .where(where)
        .orderBy(desc(parkedMessages.parkedMessageId))
        .limit(limit + 1);
      return { rows, lastRead };
    });
    return answerPage(
      pageOf(list, found.rows, limit, (row) => row.parkedMessageId, found.lastRead),
      call,
      presentParkedMessage,
    );
  };

/** `tenants.{tenant_id}.{kind}.{vendor}` */
const tokenOfSubject = (position: number) => sql`split_part(${parkedMessages.subject}, '.', ${position}::int)`;
