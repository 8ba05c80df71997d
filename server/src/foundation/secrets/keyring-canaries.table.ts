import { pgTable, text } from 'drizzle-orm/pg-core';
import { bytes } from '../database/columns.js';

/** One random key sealed with each master key: a wrong keyring is noticed at start, not at the first signature. */
export const keyringCanaries = pgTable('keyring_canaries', {
  keyId: text('key_id').primaryKey(),
  sealed: bytes().notNull(),
});
