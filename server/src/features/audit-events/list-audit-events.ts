import type { contract } from '@tenant-open-platform/contract';
import { eq, gte, lt } from 'drizzle-orm';
import { auditEvents } from '../../platform/audit/audit-events.table.js';
import { all } from '../../platform/database/bounded-scan.js';
import type { Database } from '../../platform/database/database.js';
import { firstIdAt } from '../../platform/new-id.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';

export const listAuditEvents =
  (database: Database): Handler<typeof contract.auditEvents.list> =>
  ({ query }, call) =>
    newestFirst(database, call, query, {
      table: auditEvents,
      order: ['auditEventId'],
      range: all([
        query.client_id && eq(auditEvents.clientId, query.client_id),
        query.occurred_after && gte(auditEvents.auditEventId, firstIdAt(query.occurred_after)),
        query.occurred_before && lt(auditEvents.auditEventId, firstIdAt(query.occurred_before)),
      ]),
      filters: all([
        query.operation && eq(auditEvents.operation, query.operation),
        query.outcome && eq(auditEvents.outcome, query.outcome),
      ]),
      json: ['before', 'after'],
      present: presentAuditEvent,
    });

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
