import { boolean, index, integer, json, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant } from '../foundation/database/columns.js';

export const vendors = pgTable(
  'vendors',
  {
    vendor: text().primaryKey(),
    enabled: boolean().notNull(),
    /** When an adapter last read commands of the vendor, of any tenant. */
    lastReadAt: instant('last_read_at'),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [index('vendors_in_order').on(table.createdAt, table.vendor)],
);

export const commandTypes = pgTable(
  'command_types',
  {
    vendor: text()
      .notNull()
      .references(() => vendors.vendor),
    commandType: text('command_type').notNull(),
    enabled: boolean().notNull(),
    description: text().notNull(),
    payloadSchema: json('payload_schema').$type<Record<string, unknown>>().notNull(),
    /** Incremented when payload_schema changes: a compiled schema is valid for one revision. */
    revision: integer().notNull().default(1),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.vendor, table.commandType] }),
    index('command_types_in_order').on(table.vendor, table.createdAt, table.commandType),
  ],
);
