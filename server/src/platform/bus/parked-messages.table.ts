import { pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { bytes, instant } from '../database/columns.js';

/** What came over the bus and could not be taken, with the reason: never lost, never tried again. */
export const parkedMessages = pgTable('parked_messages', {
  parkedMessageId: uuid('parked_message_id').primaryKey(),
  parkedAt: instant('parked_at').notNull().defaultNow(),
  subject: text().notNull(),
  reason: text().notNull(),
  body: bytes().notNull(),
});
