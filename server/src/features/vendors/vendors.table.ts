import { boolean, index, pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from '../../platform/database/columns.js';

export const vendors = pgTable(
  'vendors',
  {
    vendor: text().primaryKey(),
    enabled: boolean().notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [index('vendors_in_order').on(table.createdAt, table.vendor)],
);
