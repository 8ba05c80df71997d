import { TenantStatus } from '@tenant-open-platform/contract';
import { sql } from 'drizzle-orm';
import { index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core';
import { instant, oneOf } from '../database/columns.js';

/** The deletion of a tenant. Only a DELETING tenant has `work`. */
export type Deletion = {
  requested_at: string;
  rows_deleted: number;
  finished_at: string | null;
  /** Where the deletion continues, for example after a crash or on another node. */
  work?: {
    /** The table, by its place in the list of steps, and the key of the last row that was read there. */
    step: number;
    after: string[] | null;
    /** How many rows this pass over all tables has deleted so far. The last pass finds none. */
    rows_in_pass: number;
    /** A pass begins when all transactions with lower numbers have ended: they could still write rows of the tenant. */
    transaction: string;
    since: string;
  };
};

export const tenants = pgTable(
  'tenants',
  {
    tenantId: text('tenant_id').primaryKey(),
    name: text().notNull(),
    status: text({ enum: oneOf(TenantStatus) })
      .notNull()
      .default('ACTIVE'),
    /** The only vendors of the tenant; null: all. */
    vendors: text().array(),
    /** Null: REQUESTS_PER_MINUTE_PER_TENANT. */
    requestsPerMinute: integer('requests_per_minute'),
    /** When its adapters last read commands, by vendor. */
    adapterReads: jsonb('adapter_reads').$type<Record<string, string>>(),
    /** Null before tenants.delete. */
    deletion: jsonb().$type<Deletion>(),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    index('tenants_in_order').on(table.createdAt, table.tenantId),
    index('tenants_deleting').on(table.tenantId).where(sql`status = 'DELETING'`),
  ],
);
