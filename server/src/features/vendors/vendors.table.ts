import { boolean, index, pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from '../../platform/database/columns.js';

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
