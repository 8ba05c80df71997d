import { TenantStatus } from '@tenant-open-platform/contract';
import { sql } from 'drizzle-orm';
import { bigint, index, pgTable, text } from 'drizzle-orm/pg-core';
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
    deletionRequestedAt: instant('deletion_requested_at'),
    deletedRows: bigint('deleted_rows', { mode: 'number' }).notNull().default(0),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    index('tenants_in_order').on(table.createdAt, table.tenantId),
    index('tenants_deleting').on(table.tenantId).where(sql`status = 'DELETING'`),
  ],
);
