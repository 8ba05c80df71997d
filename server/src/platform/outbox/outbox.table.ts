import { sql } from 'drizzle-orm';
import { index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant, transactionId } from '../database/columns.js';

/**
 * What has to go to the messaging bus, written in the transaction of the fact. A row points to the command or event
 * whose message it stands for; message_id is the Nats-Msg-Id of every copy.
 */
export const outbox = pgTable(
  'outbox',
  {
    tenantId: text('tenant_id').notNull(),
    messageId: uuid('message_id').notNull(),
    kind: text({ enum: ['COMMAND', 'EVENT'] }).notNull(),
    factId: uuid('fact_id').notNull(),
    subject: text().notNull(),
    tx: transactionId().notNull().default(sql`pg_current_xact_id()`),
    publishedAt: instant('published_at'),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.messageId] }),
    index('outbox_unpublished').on(table.tx, table.messageId).where(sql`published_at is null`),
  ],
);
