import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { bytes, instant } from '../database/columns.js';

/**
 * Messages that the platform could not handle or the bus refuses, with the reason. They are never retried and are kept
 * for operators.
 */
export const parkedMessages = pgTable(
  'parked_messages',
  {
    parkedMessageId: uuid('parked_message_id').primaryKey(),
    parkedAt: instant('parked_at').notNull().defaultNow(),
    subject: text().notNull(),
    reason: text().notNull(),
    body: bytes().notNull(),
  },
  (table) => [index('parked_messages_parked_at').on(table.parkedAt)],
);
