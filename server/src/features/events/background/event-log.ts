import { subjects } from '@tenant-open-platform/contract/bus';
import { and, asc, eq, sql } from 'drizzle-orm';
import type { Message } from '../../../platform/bus/bus.js';
import type { Database, Transaction } from '../../../platform/database/database.js';
import { asAllTenants } from '../../../platform/database/roles.js';
import { events } from '../../../platform/outbox/events.table.js';
import { readPublishedSeq } from '../../../platform/outbox/lease.js';
import type { EventLog } from '../../../platform/outbox/outbox-kind.js';
import type { Republishable } from '../../../platform/outbox/republish.js';
import { busPrincipals } from '../../bus-principals/bus-principals.table.js';
import { commands } from '../../commands/commands.table.js';
import { END, positionBefore } from '../events.js';
import { presentEvent, shownColumns } from '../present-event.js';

const PAGE = 256;

/**
 * Whether the tenant of the event has a CLIENT principal. One that is DISABLED or expired counts: it may connect again
 * later, and then continues at its position. If no event is published, a worker drains 1.3 times as many commands per
 * second.
 */
const isRead = sql`exists (
  select from ${busPrincipals} as principal
  where principal.tenant_id = ${events.tenantId} and principal.principal_type = 'CLIENT'
    and principal.status <> 'DELETED'
  offset 0
)`;

export const eventLog = (database: Database): EventLog => ({
  read: (after, limit) => readPage(database, { after, until: END, limit }),
});

/** The published events that were logged since the beginning of the range. */
export const republishEvents = (database: Database): Republishable =>
  async function* pages({ since, tenantId }) {
    const until = await readPublishedSeq(database);
    let after = await asAllTenants(database, (tx) => positionBefore(tx, since));
    for (;;) {
      const page = await readPage(database, { after, until, limit: PAGE, tenantId });
      if (!page) return;
      yield { messages: page.messages, resumeFrom: new Date(page.loggedAtMs).toISOString() };
      after = page.last;
    }
  };

type Range = { after: string; until: string; limit: number; tenantId?: string | undefined };
/** Of the last event of a page. */
type End = { last: string; loggedAtMs: number; isFull: boolean };

/** The next events of the log up to a number, and the messages of those that are read. */
function readPage(database: Database, { after, until, limit, tenantId }: Range) {
  const end = sql`
    select seq::text as last, (extract(epoch from logged_at) * 1000)::double precision as "loggedAtMs",
      count(*) over () = ${limit}::int as "isFull"
    from (
      select seq, logged_at from events
      where seq > ${after}::bigint and seq <= ${until}::bigint
        and ${tenantId === undefined ? sql`true` : sql`tenant_id = ${tenantId}`}
      order by seq limit ${limit}::int
    ) as page
    order by seq desc limit 1`;
  const work = async (tx: Transaction, rows: readonly object[]) => {
    const [page] = rows as readonly End[];
    return page ? { ...page, messages: await readMessages(tx, { after, until: page.last, tenantId }) } : null;
  };
  return asAllTenants(database, work, end);
}

async function readMessages(tx: Transaction, { after, until, tenantId }: Omit<Range, 'limit'>) {
  const found = await tx
    .select({ event: events, command: { ...shownColumns, traceparent: commands.traceparent } })
    .from(events)
    .innerJoin(commands, and(eq(commands.tenantId, events.tenantId), eq(commands.commandId, events.commandId)))
    .where(
      and(
        sql`${events.seq} > ${after}::bigint and ${events.seq} <= ${until}::bigint`,
        tenantId === undefined ? undefined : eq(events.tenantId, tenantId),
        isRead,
      ),
    )
    .orderBy(asc(events.seq));
  return found.map(
    ({ event, command }): Message => ({
      subject: subjects.event(event.tenantId, event.eventType),
      id: event.eventId,
      body: Buffer.from(JSON.stringify(presentEvent(event, command))),
      traceparent: command.traceparent ?? undefined,
    }),
  );
}
