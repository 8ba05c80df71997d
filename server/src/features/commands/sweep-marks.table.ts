import { pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from '../../platform/database/columns.js';

/** Up to which deadline no command is open. It keeps sweeps from reading finished commands again. */
export const sweepMarks = pgTable('sweep_marks', {
  name: text({ enum: ['commands'] }).primaryKey(),
  sweptUntil: instant('swept_until').notNull(),
});
