import { pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from '../../platform/database/columns.js';

export const tenants = pgTable('tenants', {
  tenantId: text('tenant_id').primaryKey(),
  name: text().notNull(),
  status: text({ enum: ['ACTIVE', 'DISABLED'] })
    .notNull()
    .default('ACTIVE'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
});
