import type { Database } from '../../../platform/database/database.js';
import { purgeByAge } from '../../../platform/retention/purge-by-age.js';
import { objectGrants } from '../object-grants.table.js';

/** Deletes the records of presigned URLs. No URL is valid for longer than 7 days. */
export const purgeObjectGrants = (database: Database, keptDays: number) =>
  purgeByAge(database, { id: objectGrants.presignId, keptDays });
