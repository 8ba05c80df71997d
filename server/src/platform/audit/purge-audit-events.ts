import type { Database } from '../database/database.js';
import { purgeByAge } from '../retention/purge-by-age.js';
import { auditEvents } from './audit-events.table.js';

/** The database refuses to delete entries younger than 90 days. */
export const purgeAuditEvents = (database: Database, keptDays: number) =>
  purgeByAge(database, { id: auditEvents.auditEventId, keptDays });
