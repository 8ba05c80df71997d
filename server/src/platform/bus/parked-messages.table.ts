import { index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { bytes, instant } from '../database/columns.js';

/**
 * What came over the bus and could not be taken, or was meant for the bus and is refused by it, with the reason: never
 * tried again, and kept for people to look at.
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
