import { sql } from 'drizzle-orm';
import { index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant, transactionId } from '../database/columns.js';

/**
 * What has to go to the messaging bus, written in the transaction of the fact. A row names the fact, not the message:
 * COMMAND_ACCEPTED stands for the command to its vendor's adapter and for its command.accepted event,
 * COMMAND_COMPLETED for its command.completed event, DEVICE_REQUEST_REPLIED for the reply to the device.
 */
export const outbox = pgTable(
  'outbox',
  {
    tenantId: text('tenant_id').notNull(),
    factId: uuid('fact_id').notNull(),
    kind: text({ enum: ['COMMAND_ACCEPTED', 'COMMAND_COMPLETED', 'DEVICE_REQUEST_REPLIED'] }).notNull(),
    tx: transactionId().notNull().default(sql`pg_current_xact_id()`),
    createdAt: instant('created_at').notNull().defaultNow(),
    publishedAt: instant('published_at'),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.factId, table.kind] }),
    index('outbox_unpublished').on(table.tx, table.factId).where(sql`published_at is null`),
    index('outbox_published').on(table.publishedAt).where(sql`published_at is not null`),
  ],
);
