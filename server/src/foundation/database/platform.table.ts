import { pgTable, text } from 'drizzle-orm/pg-core';
import { bytes } from './columns.js';

/** Always empty. `/readyz` writes a row that fills a page and rolls it back: see readiness.ts. */
export const writeProbe = pgTable('write_probe', { page: text() });

/** One random key sealed with each master key: a wrong keyring is noticed at start, not at the first signature. */
export const keyringCanaries = pgTable('keyring_canaries', {
  keyId: text('key_id').primaryKey(),
  sealed: bytes().notNull(),
});
