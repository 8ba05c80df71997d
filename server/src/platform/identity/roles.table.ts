import { foreignKey, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant } from '../database/columns.js';
import { tenants } from './tenants.table.js';

/** A tenant's custom roles. The built-in roles are in the contract. */
export const roles = pgTable(
  'roles',
  {
    tenantId: text('tenant_id').notNull(),
    role: text().notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.role] }),
    foreignKey({ name: 'roles_tenant', columns: [table.tenantId], foreignColumns: [tenants.tenantId] }),
  ],
);
