import { foreignKey, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant } from '../database/columns.js';
import { credentials } from './credentials.table.js';

export const roleBindings = pgTable(
  'role_bindings',
  {
    tenantId: text('tenant_id').notNull(),
    clientId: text('client_id').notNull(),
    role: text().notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.clientId, table.role] }),
    index('role_bindings_in_order').on(table.tenantId, table.createdAt, table.clientId, table.role),
    foreignKey({
      name: 'role_bindings_credential',
      columns: [table.tenantId, table.clientId],
      foreignColumns: [credentials.tenantId, credentials.clientId],
    }),
  ],
);
