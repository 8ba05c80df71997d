import { atEnd, platform } from '@tenant-open-platform/testing';
import postgres from 'postgres';
import { type Database, databaseOf } from '../../src/foundation/database/database.js';

type Options = postgres.Options<Record<string, never>>;

/** Connections of the calling test or file to a migrated Postgres, as another node would hold them. See `atEnd`. */
export function openPool(url = platform().databaseUrl as string, options: Options = {}): Database {
  const sql = postgres(url, { max: 4, fetch_types: false, onnotice: () => {}, ...options });
  const database = databaseOf(sql, () => sql.end({ timeout: 5 }));
  atEnd(database.close);
  return database;
}

/** Connections of the calling test or file that choose their role themselves. See `atEnd`. */
export function openSession(url = platform().databaseUrl as string, options: Options = {}): postgres.Sql {
  const sql = postgres(url, { max: 1, onnotice: () => {}, ...options });
  atEnd(() => sql.end());
  return sql;
}
