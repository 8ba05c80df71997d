import { ObjectConfigStatus } from '@tenant-open-platform/contract';
import { boolean, foreignKey, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { bytes, instant, oneOf } from '../../platform/database/columns.js';
import { tenants } from '../../platform/identity/tenants.table.js';

export const objectCredentials = pgTable(
  'object_credentials',
  {
    tenantId: text('tenant_id').notNull(),
    credentialId: uuid('credential_id').notNull(),
    name: text().notNull(),
    provider: text(),
    endpoint: text().notNull(),
    region: text().notNull(),
    forcePathStyle: boolean('force_path_style').notNull(),
    accessKeyId: text('access_key_id').notNull(),
    secretVersion: integer('secret_version').notNull(),
    secretAccessKeySealed: bytes('secret_access_key_sealed').notNull(),
    sessionTokenSealed: bytes('session_token_sealed'),
    status: text({ enum: oneOf(ObjectConfigStatus) }).notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.credentialId] }),
    foreignKey({ name: 'object_credentials_tenant', columns: [table.tenantId], foreignColumns: [tenants.tenantId] }),
  ],
);
