import { TenantStatus } from '@tenant-open-platform/contract';
import { index, pgTable, text } from 'drizzle-orm/pg-core';
import { instant, oneOf } from '../../platform/database/columns.js';

export const tenants = pgTable(
  'tenants',
  {
    tenantId: text('tenant_id').primaryKey(),
    name: text().notNull(),
    status: text({ enum: oneOf(TenantStatus) })
      .notNull()
      .default('ACTIVE'),
    /** The only vendors of the tenant; null: all. */
    vendors: text().array(),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [index('tenants_in_order').on(table.createdAt, table.tenantId)],
);
