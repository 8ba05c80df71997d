import { sql } from 'drizzle-orm';
import { foreignKey, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant, transactionId } from '../../platform/database/columns.js';
import { commands } from '../commands/commands.table.js';

/**
 * The tenant's event log. The primary key makes it one command.accepted and one command.completed a command. What an
 * event says is read from its command: the one tells what never changes, the other what is final.
 */
export const events = pgTable(
  'events',
  {
    tenantId: text('tenant_id').notNull(),
    commandId: uuid('command_id').notNull(),
    eventType: text('event_type', { enum: ['command.accepted', 'command.completed'] }).notNull(),
    eventId: uuid('event_id').notNull(),
    occurredAt: instant('occurred_at').notNull(),
    tx: transactionId().notNull().default(sql`pg_current_xact_id()`),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.commandId, table.eventType] }),
    index('events_in_order').on(table.tenantId, table.tx, table.eventId),
    foreignKey({
      name: 'events_command',
      columns: [table.tenantId, table.commandId],
      foreignColumns: [commands.tenantId, commands.commandId],
    }),
  ],
);
