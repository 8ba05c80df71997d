import { CredentialStatus } from '@tenant-open-platform/contract';
import { bigint, foreignKey, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { bytes, instant, oneOf } from '../database/columns.js';
import { tenants } from './tenants.table.js';

export const credentials = pgTable(
  'credentials',
  {
    tenantId: text('tenant_id').notNull(),
    clientId: text('client_id').notNull(),
    /** Replaces the credential in the nonce table: 8 bytes a row instead of two texts. */
    number: bigint({ mode: 'bigint' }).notNull().generatedAlwaysAsIdentity(),
    name: text().notNull(),
    status: text({ enum: oneOf(CredentialStatus) }).notNull(),
    allowedClockSkewSeconds: integer('allowed_clock_skew_seconds').notNull(),
    replayWindowSeconds: integer('replay_window_seconds').notNull(),
    /** Null: REQUESTS_PER_MINUTE. */
    requestsPerMinute: integer('requests_per_minute'),
    secretVersion: integer('secret_version').notNull(),
    secretSealed: bytes('secret_sealed').notNull(),
    previousSecretSealed: bytes('previous_secret_sealed'),
    previousSecretExpiresAt: instant('previous_secret_expires_at'),
    expiresAt: instant('expires_at'),
    /** When a request was last admitted: with any secret, with the current one, with the previous one. */
    lastUsedAt: instant('last_used_at'),
    secretLastUsedAt: instant('secret_last_used_at'),
    previousSecretLastUsedAt: instant('previous_secret_last_used_at'),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.tenantId, table.clientId] }),
    index('credentials_in_order').on(table.tenantId, table.createdAt, table.clientId),
    foreignKey({ name: 'credentials_tenant', columns: [table.tenantId], foreignColumns: [tenants.tenantId] }),
  ],
);
