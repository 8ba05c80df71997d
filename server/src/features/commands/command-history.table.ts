import { foreignKey, json, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from '../../platform/database/columns.js';
import { commands } from './commands.table.js';

type Command = typeof commands.$inferSelect;

/** What happened to a command after it was accepted and dispatched, which its own row tells. */
export const commandHistory = pgTable(
  'command_history',
  {
    tenantId: text('tenant_id').notNull(),
    commandId: uuid('command_id').notNull(),
    entryId: uuid('entry_id').notNull(),
    at: instant('at').notNull(),
    source: text({ enum: ['PLATFORM', 'ADAPTER', 'DEVICE'] }).notNull(),
    status: text().$type<Command['status']>().notNull(),
    adapterStatus: text('adapter_status').$type<Command['adapterStatus']>().notNull(),
    deviceExecutionStatus: text('device_execution_status').$type<Command['deviceExecutionStatus']>().notNull(),
    reason: json().$type<{ code: string; message: string }>(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.commandId, table.entryId] }),
    foreignKey({
      name: 'command_history_command',
      columns: [table.tenantId, table.commandId],
      foreignColumns: [commands.tenantId, commands.commandId],
    }),
  ],
);
