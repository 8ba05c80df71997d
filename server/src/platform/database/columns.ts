import { customType, timestamp } from 'drizzle-orm/pg-core';

/** Milliseconds, as answers show them: what is stored is what was said. */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });

/**
 * The writing transaction. Readers that must not miss a late commit take rows whose tx is below
 * pg_snapshot_xmin(pg_current_snapshot()), in the order (tx, id).
 */
export const transactionId = customType<{ data: string }>({ dataType: () => 'xid8' });
