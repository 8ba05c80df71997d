import { sql } from 'drizzle-orm';
import { bigint, pgTable, text } from 'drizzle-orm/pg-core';
import { instant, transactionId } from '../database/columns.js';

/** Who relays the outbox. Every mark checks the epoch: a leader that lost the lease without knowing marks nothing. */
export const relayLease = pgTable('relay_lease', {
  name: text().primaryKey(),
  holder: text().notNull(),
  epoch: bigint({ mode: 'number' }).notNull(),
  expiresAt: instant('expires_at').notNull(),
  /** The last transaction that took or renewed it: none of this database is much later. */
  tx: transactionId().notNull().default(sql`pg_current_xact_id()`),
});
