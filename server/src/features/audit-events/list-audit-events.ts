import { eq, gte, lt } from 'drizzle-orm';
import { auditEvents } from '../../platform/audit/audit-events.table.js';
import { all } from '../../platform/database/bounded-scan.js';
import { firstIdAt } from '../../platform/new-id.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { presenter } from '../../platform/operation/presenter.js';

export const listAuditEvents: Handler<'auditEvents.list'> = ({ query }, call) =>
  newestFirst(call, query, {
    table: auditEvents,
    order: ['auditEventId'],
    range: all([
      query.client_id && eq(auditEvents.clientId, query.client_id),
      query.occurred_after && gte(auditEvents.auditEventId, firstIdAt(query.occurred_after)),
      query.occurred_before && lt(auditEvents.auditEventId, firstIdAt(query.occurred_before)),
    ]),
    filteredBy: ['operation', 'outcome'],
    json: ['before', 'after'],
    // The entry's request_id is the one of the recorded request, not of the request that reads it.
    present: (row) => present(row, row),
  });

const present = presenter(auditEvents);
