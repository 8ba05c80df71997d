import { pgTable, primaryKey, text } from 'drizzle-orm/pg-core';

/**
 * Names that are unique on the whole platform, and their owners. Only the deletion of a tenant frees names: its keys of
 * the bus, but no client id.
 */
export const takenNames = pgTable(
  'taken_names',
  {
    kind: text({ enum: ['CLIENT_ID', 'BUS_ACCOUNT_KEY', 'BUS_USER_KEY'] }).notNull(),
    name: text().notNull(),
    tenantId: text('tenant_id').notNull(),
  },
  (table) => [primaryKey({ columns: [table.kind, table.name] })],
);

/** Always empty. `/readyz` writes a row that fills a page and rolls it back: see readiness.ts. */
export const writeProbe = pgTable('write_probe', { page: text() });
