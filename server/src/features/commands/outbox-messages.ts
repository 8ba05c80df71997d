import { subjects } from '@tenant-open-platform/contract/bus';
import { and, eq, sql } from 'drizzle-orm';
import type { Message } from '../../platform/bus/bus.js';
import type { Database } from '../../platform/database/database.js';
import { inSystem } from '../../platform/database/roles.js';
import type { MessagesByRow, OutboxRow } from '../../platform/outbox/publish-rows.js';
import { type Signals, topics } from '../../platform/signals/signals.js';
import { events } from '../events/events.table.js';
import { presentEvent } from '../events/present-event.js';
import { commands } from './commands.table.js';
import { dispatchCommands } from './relay-commands.js';

const eventTypeOf = { COMMAND_ACCEPTED: 'command.accepted', COMMAND_COMPLETED: 'command.completed' } as const;

type Kind = keyof typeof eventTypeOf;

const isOfCommand = (row: OutboxRow): row is OutboxRow & { kind: Kind } => Object.hasOwn(eventTypeOf, row.kind);

/** What the outbox rows of commands stand for: the command to its adapter, then its event. */
export const commandMessages =
  (database: Database, signals: Signals): MessagesByRow =>
  async (rows) => {
    const ofCommands = rows.filter(isOfCommand);
    const dispatched = await dispatchCommands(
      database,
      signals,
      ofCommands.filter(({ kind }) => kind === 'COMMAND_ACCEPTED'),
    );
    const told = await eventMessages(database, ofCommands);
    // Whoever looked when they were written may not have seen them, for an older transaction was under way.
    signals.send(ofCommands.map(({ tenant_id }) => topics.events(tenant_id)));
    return rows.map((row) => {
      if (!isOfCommand(row)) return [];
      const { tenant_id, fact_id, kind } = row;
      const command = kind === 'COMMAND_ACCEPTED' ? dispatched.get(`${tenant_id} ${fact_id}`) : undefined;
      const event = told.get(`${tenant_id} ${fact_id} ${eventTypeOf[kind]}`);
      return [command, event].filter((message) => message !== undefined);
    });
  };

async function eventMessages(
  database: Database,
  rows: readonly (OutboxRow & { kind: Kind })[],
): Promise<Map<string, Message>> {
  if (rows.length === 0) return new Map();
  const asked = JSON.stringify(rows.map((row) => ({ ...row, event_type: eventTypeOf[row.kind] })));
  const found = await inSystem(database, (tx) =>
    tx
      .select({ event: events, command: commands })
      .from(events)
      .innerJoin(commands, and(eq(commands.tenantId, events.tenantId), eq(commands.commandId, events.commandId)))
      .where(
        sql`(${events.tenantId}, ${events.commandId}, ${events.eventType}) in (
          select tenant_id, fact_id, event_type from json_to_recordset(${asked}::text::json)
            as asked (tenant_id text, fact_id uuid, event_type text)
        )`,
      ),
  );
  return new Map(
    found.map(({ event, command }) => [
      `${event.tenantId} ${event.commandId} ${event.eventType}`,
      {
        subject: subjects.event(event.tenantId, event.eventType),
        id: event.eventId,
        body: Buffer.from(JSON.stringify(presentEvent(event, command))),
      },
    ]),
  );
}
