import type { contract } from '@tenant-open-platform/contract';
import { desc, eq, getTableColumns, gte, lt, sql } from 'drizzle-orm';
import { auditEvents } from '../../platform/audit/audit-events.table.js';
import { all, boundedScan } from '../../platform/database/bounded-scan.js';
import type { Database } from '../../platform/database/database.js';
import { fittingRows, jsonBytes } from '../../platform/database/fitting-rows.js';
import { asTenant } from '../../platform/database/roles.js';
import { firstIdAt } from '../../platform/new-id.js';
import { answerPage, ID, pageOf, readCursor } from '../../platform/operation/cursor.js';
import type { Handler } from '../../platform/operation/handler.js';

export const listAuditEvents =
  (database: Database): Handler<typeof contract.auditEvents.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const before = readCursor(list, cursor, ID);
    const range = all([
      eq(auditEvents.tenantId, call.tenantId),
      before !== null && lt(auditEvents.auditEventId, before),
      filters.client_id && eq(auditEvents.clientId, filters.client_id),
      filters.occurred_after && gte(auditEvents.auditEventId, firstIdAt(filters.occurred_after)),
      filters.occurred_before && lt(auditEvents.auditEventId, firstIdAt(filters.occurred_before)),
    ]);
    const withoutIndex = all([
      filters.operation && eq(auditEvents.operation, filters.operation),
      filters.outcome && eq(auditEvents.outcome, filters.outcome),
    ]);
    const found = await asTenant(database, call.tenantId, async (tx) => {
      const { from, where, lastRead } = await boundedScan(tx, {
        columns: [auditEvents.auditEventId],
        direction: 'desc',
        range,
        filters: withoutIndex,
      });
      const rows = await fittingRows(tx, {
        first: (count) =>
          tx
            .select(getTableColumns(auditEvents))
            .from(from)
            .where(where)
            .orderBy(desc(auditEvents.auditEventId))
            .limit(count),
        limit,
        bytes: jsonBytes('before', 'after'),
        orderBy: sql`audit_event_id desc`,
      });
      return { ...rows, lastRead };
    });
    return answerPage(
      pageOf(list, found.rows, found.limit, (row) => row.auditEventId, found.lastRead),
      call,
      presentAuditEvent,
    );
  };

/** The entry's request_id is the one of the recorded request, not of the request that reads it. */
const presentAuditEvent = (row: typeof auditEvents.$inferSelect) => ({
  audit_event_id: row.auditEventId,
  occurred_at: row.occurredAt.toISOString(),
  tenant_id: row.tenantId,
  client_id: row.clientId,
  operation: row.operation,
  target: row.target,
  changes: row.changes,
  before: row.before,
  after: row.after,
  outcome: row.outcome,
  request_id: row.requestId,
});
