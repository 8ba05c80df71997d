import type { PlatformEvent } from '@tenant-open-platform/contract';
import { sql } from 'drizzle-orm';
import { foreignKey, index, json, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import type { z } from 'zod';
import { transactionId } from '../../platform/database/columns.js';
import { commands } from '../commands/commands.table.js';

/** The tenant's event log. The unique constraint makes it one command.accepted and one command.completed a command. */
export const events = pgTable(
  'events',
  {
    tenantId: text('tenant_id').notNull(),
    eventId: uuid('event_id').notNull(),
    eventType: text('event_type', { enum: ['command.accepted', 'command.completed'] }).notNull(),
    commandId: uuid('command_id').notNull(),
    /** The whole event as it is shown and published. */
    body: json().$type<z.infer<typeof PlatformEvent>>().notNull(),
    tx: transactionId().notNull().default(sql`pg_current_xact_id()`),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.eventId] }),
    unique('events_once').on(table.tenantId, table.commandId, table.eventType),
    index('events_in_order').on(table.tenantId, table.tx, table.eventId),
    foreignKey({
      name: 'events_command',
      columns: [table.tenantId, table.commandId],
      foreignColumns: [commands.tenantId, commands.commandId],
    }),
  ],
);
