import { contract, lackedToRead } from '@tenant-open-platform/contract';
import { eq } from 'drizzle-orm';
import { all, idsBetween } from '../../foundation/database/pages.js';
import { auditEvents } from '../../gateway/tables.js';
import type { Handler } from '../handlers.js';
import { newestFirst } from '../lists.js';
import { grantsOf } from '../roles/granting.js';
import { presenter } from '../rows.js';

/** Filters with an index, the most selective first. A page uses one index, and filters the rows that it finds there. */
const indexed = [
  ['target', 'target'],
  ['client_id', 'clientId'],
  ['source_address', 'sourceAddress'],
] as const;

export const list: Handler<'auditEvents.list'> = async ({ query }, call) => {
  const { caller, tenantId } = call;
  const { scopes } = await call.asTenant((tx) => grantsOf(tx, caller.tenantId, caller.clientId), caller.tenantId);
  const [name, used] = indexed.find(([filter]) => query[filter]) ?? [];
  return newestFirst(call, query, {
    table: auditEvents,
    order: ['auditEventId'],
    range: all([
      name && eq(auditEvents[used], query[name] as string),
      idsBetween(auditEvents.auditEventId, query.occurred_after, query.occurred_before),
    ]),
    filteredBy: ['operation', 'outcome', ...indexed.map(([, column]) => column).filter((column) => column !== used)],
    json: ['before', 'after'],
    present: (row) => {
      const hasValues = (row.before ?? row.after) !== null;
      const hidden_without = hasValues ? lackedToRead(row.operation, scopes, tenantId === caller.tenantId) : null;
      // The entry's request_id is the one of the recorded request, not of the request that reads it.
      return { ...fieldsOf(row, row), ...(hidden_without && { before: null, after: null }), hidden_without };
    },
  });
};

const fieldsOf = presenter(auditEvents, contract.auditEvents.list.responses[200].shape.items.element);
