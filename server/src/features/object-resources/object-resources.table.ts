import { ObjectConfigStatus, ObjectOperation } from '@tenant-open-platform/contract';
import { bigint, foreignKey, index, integer, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant, oneOf } from '../../platform/database/columns.js';
import { objectCredentials } from '../object-credentials/object-credentials.table.js';

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
