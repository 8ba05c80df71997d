import { eq, gte, lt, sql } from 'drizzle-orm';
import { parkedMessages } from '../../platform/bus/parked-messages.table.js';
import { all } from '../../platform/database/bounded-scan.js';
import { firstIdAt } from '../../platform/new-id.js';
import type { Handler } from '../../platform/operation/handler.js';
import { newestFirst } from '../../platform/operation/newest-first.js';
import { presentParkedMessage, subjectKinds } from './present-parked-message.js';

export const listParkedMessages: Handler<'parkedMessages.list'> = ({ query }, call) =>
  newestFirst(call, query, {
    table: parkedMessages,
    order: ['parkedMessageId'],
    leftOut: 'body',
    range: all([
      query.parked_after && gte(parkedMessages.parkedMessageId, firstIdAt(query.parked_after)),
      query.parked_before && lt(parkedMessages.parkedMessageId, firstIdAt(query.parked_before)),
    ]),
    filters: all([
      query.kind && eq(tokenOfSubject(3), subjectKinds[query.kind]),
      query.vendor && sql`${eq(tokenOfSubject(4), query.vendor)} and ${tokenOfSubject(3)} <> 'events'`,
    ]),
    present: presentParkedMessage,
  });

/** `tenants.{tenant_id}.{kind}.{vendor}` */
const tokenOfSubject = (position: number) => sql`split_part(${parkedMessages.subject}, '.', ${position}::int)`;
