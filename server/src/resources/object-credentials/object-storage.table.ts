import { ObjectConfigStatus, ObjectOperation } from '@tenant-open-platform/contract';
import { bigint, boolean, foreignKey, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { bytes, instant, oneOf } from '../../foundation/database/columns.js';
import { tenants } from '../../foundation/identity/identity.table.js';

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

/** The policy of what may be presigned with an object credential. */
export const objectResources = pgTable(
  'object_resources',
  {
    tenantId: text('tenant_id').notNull(),
    resourceId: uuid('resource_id').notNull(),
    name: text().notNull(),
    credentialId: uuid('credential_id').notNull(),
    bucket: text().notNull(),
    allowedOperations: text('allowed_operations', { enum: oneOf(ObjectOperation) })
      .array()
      .notNull(),
    keyPrefix: text('key_prefix').notNull(),
    /** Null for any. */
    allowedContentTypes: text('allowed_content_types').array(),
    maxObjectBytes: bigint('max_object_bytes', { mode: 'number' }).notNull(),
    maxExpiresInSeconds: integer('max_expires_in_seconds').notNull(),
    status: text({ enum: oneOf(ObjectConfigStatus) }).notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.resourceId] }),
    foreignKey({
      name: 'object_resources_credential',
      columns: [table.tenantId, table.credentialId],
      foreignColumns: [objectCredentials.tenantId, objectCredentials.credentialId],
    }),
    index('object_resources_of_credential').on(table.tenantId, table.credentialId, table.resourceId),
  ],
);
