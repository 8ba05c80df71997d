import { subjects } from '@tenant-open-platform/contract/bus';
import { and, asc, eq, sql } from 'drizzle-orm';
import type { Message } from '../../../platform/bus/bus.js';
import type { Database } from '../../../platform/database/database.js';
import { asAllTenants } from '../../../platform/database/roles.js';
import { events } from '../../../platform/outbox/events.table.js';
import { readPublishedSeq } from '../../../platform/outbox/lease.js';
import type { EventLog } from '../../../platform/outbox/outbox-kind.js';
import type { Republishable } from '../../../platform/outbox/republish.js';
import { commands } from '../../commands/commands.table.js';
import { positionBefore } from '../events.js';
import { presentEvent, shownColumns } from '../present-event.js';

const PAGE = 256;

export const eventLog = (database: Database): EventLog => ({
  read: (after, limit) => readEvents(database, { after, limit }),
});

/** The published events that were logged since the beginning of the range. */
export const republishEvents = (database: Database): Republishable =>
  async function* pages({ since, tenantId }) {
    const until = await readPublishedSeq(database);
    let after = await asAllTenants(database, (tx) => positionBefore(tx, since));
    for (;;) {
      const found = await readEvents(database, { after, until, limit: PAGE, tenantId });
      const last = found.at(-1);
      if (!last) return;
      yield { messages: found.map(({ message }) => message), resumeFrom: last.loggedAt.toISOString() };
      after = last.seq;
    }
  };

type Part = { after: string; until?: string; limit: number; tenantId?: string | undefined };

async function readEvents(database: Database, { after, until, limit, tenantId }: Part) {
  const found = await asAllTenants(database, (tx) =>
    tx
      .select({ event: events, command: { ...shownColumns, traceparent: commands.traceparent } })
      .from(events)
      .innerJoin(commands, and(eq(commands.tenantId, events.tenantId), eq(commands.commandId, events.commandId)))
      .where(
        and(
          sql`${events.seq} > ${after}::bigint`,
          until === undefined ? undefined : sql`${events.seq} <= ${until}::bigint`,
          tenantId === undefined ? undefined : eq(events.tenantId, tenantId),
        ),
      )
      .orderBy(asc(events.seq))
      .limit(limit),
  );
  return found.map(({ event, command }) => ({
    seq: String(event.seq),
    loggedAt: event.loggedAt,
    message: {
      subject: subjects.event(event.tenantId, event.eventType),
      id: event.eventId,
      body: Buffer.from(JSON.stringify(presentEvent(event, command))),
      traceparent: command.traceparent ?? undefined,
    } satisfies Message,
  }));
}
