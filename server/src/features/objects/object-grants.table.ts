import { bigint, foreignKey, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant } from '../../platform/database/columns.js';
import { objectResources } from './object-resources.table.js';

/** Every presigned request of 90 days: who may do what until when. Never its URL. */
export const objectGrants = pgTable(
  'object_grants',
  {
    tenantId: text('tenant_id').notNull(),
    presignId: uuid('presign_id').notNull(),
    resourceId: uuid('resource_id').notNull(),
    operation: text({ enum: ['UPLOAD', 'DOWNLOAD'] }).notNull(),
    /** The whole key in the bucket, prefix included. */
    key: text().notNull(),
    contentType: text('content_type'),
    contentLength: bigint('content_length', { mode: 'number' }),
    clientId: text('client_id').notNull(),
    requestId: text('request_id').notNull(),
    grantedAt: instant('granted_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.presignId] }),
    foreignKey({
      name: 'object_grants_resource',
      columns: [table.tenantId, table.resourceId],
      foreignColumns: [objectResources.tenantId, objectResources.resourceId],
    }),
    index('object_grants_granted_at').on(table.grantedAt),
  ],
);
