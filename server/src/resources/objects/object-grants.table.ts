import { ObjectOperation } from '@tenant-open-platform/contract';
import { bigint, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant, oneOf } from '../../foundation/database/columns.js';

/** A record of every presigned URL: who may do what until when. It never holds the URL. It outlives its resource. */
export const objectGrants = pgTable(
  'object_grants',
  {
    tenantId: text('tenant_id').notNull(),
    presignId: uuid('presign_id').notNull(),
    resourceId: uuid('resource_id').notNull(),
    operation: text({ enum: oneOf(ObjectOperation) }).notNull(),
    /** The whole key in the bucket, including the prefix. */
    key: text().notNull(),
    contentType: text('content_type'),
    contentLength: bigint('content_length', { mode: 'number' }),
    clientId: text('client_id').notNull(),
    requestId: text('request_id').notNull(),
    grantedAt: instant('granted_at').notNull().defaultNow(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.tenantId, table.presignId] })],
);
