import { PrincipalStatus, PrincipalType } from '@tenant-open-platform/contract';
import { sql } from 'drizzle-orm';
import { foreignKey, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant, oneOf } from '../../platform/database/columns.js';
import { credentials } from '../../platform/identity/credentials.table.js';
import { tenants } from '../../platform/identity/tenants.table.js';

export const busPrincipals = pgTable(
  'bus_principals',
  {
    tenantId: text('tenant_id').notNull(),
    principalId: uuid('principal_id').notNull(),
    busUser: text('bus_user').notNull(),
    busAccountPublicKey: text('bus_account_public_key').notNull(),
    busUserPublicKey: text('bus_user_public_key').notNull(),
    principalType: text('principal_type', { enum: oneOf(PrincipalType) }).notNull(),
    clientId: text('client_id'),
    serviceName: text('service_name'),
    /** The only vendors of a SERVICE principal; null: all of its tenant. */
    vendors: text().array(),
    status: text({ enum: oneOf(PrincipalStatus) }).notNull(),
    expiresAt: instant('expires_at'),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.principalId] }),
    // For each event the relay asks whether its tenant has such a principal.
    index('bus_principals_reading_events')
      .on(table.tenantId)
      .where(sql`principal_type = 'CLIENT' and status <> 'DELETED'`),
    foreignKey({ name: 'bus_principals_tenant', columns: [table.tenantId], foreignColumns: [tenants.tenantId] }),
    foreignKey({
      name: 'bus_principals_credential',
      columns: [table.tenantId, table.clientId],
      foreignColumns: [credentials.tenantId, credentials.clientId],
    }),
  ],
);
