import { pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from '../../platform/database/columns.js';

/** No command with an earlier deadline is open. Sweeps start here, so they do not read finished commands again. */
export const sweepMarks = pgTable('sweep_marks', {
  name: text({ enum: ['commands'] }).primaryKey(),
  sweptUntil: instant('swept_until').notNull(),
});
