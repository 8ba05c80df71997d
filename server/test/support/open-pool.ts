import postgres from 'postgres';
import { type Database, databaseOf } from '../../src/foundation/database/database.js';

/** Connections to a migrated Postgres, as another node would hold them. */
export function openPool(url: string, options: postgres.Options<Record<string, never>> = {}): Database {
  const sql = postgres(url, { max: 4, fetch_types: false, onnotice: () => {}, ...options });
  return databaseOf(sql, () => sql.end({ timeout: 5 }));
}
