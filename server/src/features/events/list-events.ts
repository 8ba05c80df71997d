import type { contract } from '@tenant-open-platform/contract';
import { and, asc, eq, sql } from 'drizzle-orm';
import type { Database } from '../../platform/database/database.js';
import { asTenant } from '../../platform/database/roles.js';
import { readCursor, writeCursor } from '../../platform/http/cursor.js';
import type { Handler } from '../../platform/http/handler.js';
import { type Signals, topics } from '../../platform/signals/signals.js';
import { waitFor } from '../../platform/signals/wait-for.js';
import { commands } from '../commands/commands.table.js';
import { events } from './events.table.js';
import { presentEvent } from './present-event.js';

/** The writing transaction, which 64 bits hold whatever the digits, and the event_id. */
const POSITION = /^([0-9]{1,19}) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const BEGINNING = '0 00000000-0000-0000-0000-000000000000';

export const listEvents =
  (database: Database, signals: Signals): Handler<typeof contract.events.list> =>
  async ({ query: { limit, cursor, wait_seconds: waitSeconds, ...filters } }, call) => {
    const { tenantId } = call;
    const list = { call, filters };
    const position = readCursor(list, cursor, POSITION) ?? BEGINNING;
    const [, tx, eventId] = POSITION.exec(position) ?? [];
    const found = await waitFor({
      signals,
      topic: topics.events(tenantId),
      waitSeconds,
      isEnough: (rows) => rows.length > 0,
      look: () =>
        asTenant(database, tenantId, (transaction) =>
          transaction
            .select({ event: events, command: commands })
            .from(events)
            .innerJoin(commands, and(eq(commands.tenantId, events.tenantId), eq(commands.commandId, events.commandId)))
            .where(
              and(
                eq(events.tenantId, tenantId),
                sql`(${events.tx}, ${events.eventId}) > (${tx}::text::xid8, ${eventId}::uuid)`,
                // What commits late has its place before what is read here, and would never be read.
                sql`${events.tx} < pg_snapshot_xmin(pg_current_snapshot())`,
                filters.event_type === undefined ? undefined : eq(events.eventType, filters.event_type),
                filters.command_id === undefined ? undefined : eq(events.commandId, filters.command_id),
              ),
            )
            .orderBy(asc(events.tx), asc(events.eventId))
            .limit(limit),
        ),
    });
    const last = found.at(-1)?.event;
    return {
      status: 200,
      body: {
        items: found.map(({ event, command }) => presentEvent(event, command)),
        next_cursor: writeCursor(list, last ? `${last.tx} ${last.eventId}` : position),
        request_id: call.requestId,
      },
    };
  };
