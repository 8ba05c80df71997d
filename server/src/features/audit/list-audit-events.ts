import type { contract } from '@tenant-open-platform/contract';
import { and, desc, eq, gte, lt } from 'drizzle-orm';
import { auditEvents } from '../../platform/audit/audit-events.table.js';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { answerPage, ID, pageOf, readCursor } from '../../platform/http/cursor.js';
import type { Handler } from '../../platform/http/handler.js';
import { firstIdAt } from '../../platform/new-id.js';

export const listAuditEvents =
  (database: Database): Handler<typeof contract.auditEvents.list> =>
  async ({ query: { limit, cursor, ...filters } }, call) => {
    const list = { call, filters };
    const before = readCursor(list, cursor, ID);
    const where = [
      eq(auditEvents.tenantId, call.tenantId),
      before !== null && lt(auditEvents.auditEventId, before),
      filters.client_id && eq(auditEvents.clientId, filters.client_id),
      filters.operation && eq(auditEvents.operation, filters.operation),
      filters.outcome && eq(auditEvents.outcome, filters.outcome),
      filters.occurred_after && gte(auditEvents.auditEventId, firstIdAt(filters.occurred_after)),
      filters.occurred_before && lt(auditEvents.auditEventId, firstIdAt(filters.occurred_before)),
    ].filter((condition) => typeof condition === 'object');
    const found = await asTenant(database, call.tenantId, (tx) =>
      tx
        .select()
        .from(auditEvents)
        .where(and(...where))
        .orderBy(desc(auditEvents.auditEventId))
        .limit(limit + 1),
    );
    return answerPage(
      pageOf(list, found, limit, (row) => row.auditEventId),
      call,
      presentAuditEvent,
    );
  };

/** Its request_id is that of the request it tells of, not of the one that reads it. */
const presentAuditEvent = (row: typeof auditEvents.$inferSelect) => ({
  audit_event_id: row.auditEventId,
  occurred_at: row.occurredAt.toISOString(),
  tenant_id: row.tenantId,
  client_id: row.clientId,
  operation: row.operation,
  target: row.target,
  changes: row.changes,
  outcome: row.outcome,
  request_id: row.requestId,
});
