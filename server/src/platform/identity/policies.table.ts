import { objectAndAction, type Scope } from '@tenant-open-platform/contract';
import { and, eq, sql } from 'drizzle-orm';
import { check, foreignKey, index, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { instant } from '../database/columns.js';
import { credentials } from './credentials.table.js';
import { roles } from './roles.table.js';

/** A permission in a tenant: object and action. The subject is a credential (a direct policy) or a custom role. */
export const policies = pgTable(
  'policies',
  {
    tenantId: text('tenant_id').notNull(),
    policyId: uuid('policy_id').notNull(),
    clientId: text('client_id'),
    role: text(),
    object: text().notNull(),
    action: text().notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.policyId] }),
    uniqueIndex('policies_of_client')
      .on(table.tenantId, table.clientId, table.object, table.action)
      .where(sql`client_id is not null`),
    uniqueIndex('policies_of_role')
      .on(table.tenantId, table.role, table.object, table.action)
      .where(sql`role is not null`),
    index('policies_in_order').on(table.tenantId, table.policyId).where(sql`client_id is not null`),
    foreignKey({
      name: 'policies_credential',
      columns: [table.tenantId, table.clientId],
      foreignColumns: [credentials.tenantId, credentials.clientId],
    }),
    foreignKey({
      name: 'policies_role',
      columns: [table.tenantId, table.role],
      foreignColumns: [roles.tenantId, roles.role],
    }).onDelete('cascade'),
    check('policies_subject', sql`(client_id is null) <> (role is null)`),
  ],
);

export function isOfScope(scope: Scope) {
  const { object, action } = objectAndAction(scope);
  return and(eq(policies.object, object), eq(policies.action, action));
}
