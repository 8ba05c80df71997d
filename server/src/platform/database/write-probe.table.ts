import { pgTable, text } from 'drizzle-orm/pg-core';

/** Always empty. `/readyz` writes a row that fills a page and rolls it back: see readiness.ts. */
export const writeProbe = pgTable('write_probe', { page: text() });
