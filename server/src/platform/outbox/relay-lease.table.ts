import { bigint, boolean, pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from '../database/columns.js';

/** Every transaction of the relay locks this row and checks the epoch: a former leader changes nothing. */
export const relayLease = pgTable('relay_lease', {
  name: text().primaryKey(),
  holder: text().notNull(),
  epoch: bigint({ mode: 'number' }).notNull(),
  expiresAt: instant('expires_at').notNull(),
  /** False while the bus does not answer the holder: a node that can publish then takes over the lease. */
  canPublish: boolean('can_publish').notNull().default(true),
  /** The bus has acknowledged the event log up to this number. */
  publishedSeq: bigint('published_seq', { mode: 'number' }).notNull().default(0),
});
