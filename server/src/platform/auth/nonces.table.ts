import { bigint, index, pgTable, primaryKey } from 'drizzle-orm/pg-core';
import { bytes, instant } from '../database/columns.js';

/** Nonces of authentic requests. The table is logged, so that a crash of the database does not allow a replay. */
export const nonces = pgTable(
  'nonces',
  {
    credentialNumber: bigint('credential_number', { mode: 'bigint' }).notNull(),
    /** The first 16 bytes of SHA-256(nonce). */
    nonceHash: bytes('nonce_hash').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.credentialNumber, table.nonceHash] }),
    index('nonces_by_expiry').on(table.expiresAt),
  ],
);
