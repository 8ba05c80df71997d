import { eventTypes } from '@tenant-open-platform/contract';
import { sql } from 'drizzle-orm';
import { bigint, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from '../foundation/database/columns.js';

/**
 * The event log. The primary key allows one command.accepted and one command.completed per command. An event's content
 * is read from its command: command.accepted shows fields that never change, command.completed shows final ones. There
 * is no foreign key to commands: its check would lock the command's row once more for every event, and only the
 * transaction that holds the command writes its event.
 */
export const events = pgTable(
  'events',
  {
    tenantId: text('tenant_id').notNull(),
    commandId: uuid('command_id').notNull(),
    eventType: text('event_type', { enum: eventTypes }).notNull(),
    eventId: uuid('event_id').notNull(),
    /** Transactions commit in the order of this number: see events.ts. */
    seq: bigint({ mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    loggedAt: instant('logged_at').notNull().default(sql`clock_timestamp()`),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.commandId, table.eventType] }),
    index('events_of_tenant').on(table.tenantId, table.seq),
    index('events_in_order').on(table.seq),
  ],
);
