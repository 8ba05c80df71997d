import { type ErrorDetail, PLATFORM_TENANT_ID } from '@tenant-open-platform/contract';
import { boolean, index, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { bytes, instant } from '../../foundation/database/columns.js';

/** Messages that the platform could not handle or the bus refuses, with the reason, for operators. */
export const parkedMessages = pgTable(
  'parked_messages',
  {
    /** The tenant in the subject; `platform` where no such tenant exists. */
    tenantId: text('tenant_id').notNull().default(PLATFORM_TENANT_ID),
    parkedMessageId: uuid('parked_message_id').notNull(),
    parkedAt: instant('parked_at').notNull().defaultNow(),
    subject: text().notNull(),
    reason: text().notNull(),
    /** The wrong fields. */
    details: jsonb().$type<ErrorDetail[]>().notNull().default([]),
    body: bytes().notNull(),
    /** Whether `body` is the whole message. */
    isWhole: boolean('is_whole').notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.parkedMessageId] }),
    index('parked_messages_parked_at').on(table.parkedAt),
  ],
);
