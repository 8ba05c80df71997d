import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/postgres-js';
import { migrate as applyMigrations } from 'drizzle-orm/postgres-js/migrator';
import type postgres from 'postgres';

const MIGRATIONS = fileURLToPath(new URL(/* beside src and dist alike */ '../drizzle', import.meta.url));

/** An arbitrary number that only this platform's migrations lock. */
const ADVISORY_LOCK = 7_460_112_853n;

/** Applies what is missing. Nodes that start at the same time wait for the first. */
export async function migrate(connect: (options: postgres.Options<Record<string, never>>) => postgres.Sql) {
  const sql = connect({ max: 1 });
  try {
    await sql`select pg_advisory_lock(${ADVISORY_LOCK.toString()}::bigint)`;
    await applyMigrations(drizzle(sql), { migrationsFolder: MIGRATIONS });
  } finally {
    await sql.end({ timeout: 5 });
  }
}

const journal = JSON.parse(readFileSync(`${MIGRATIONS}/meta/_journal.json`, 'utf8')) as {
  entries: { when: number }[];
};

/** Whether the database answers and has every migration of this build. */
export async function isMigrated(sql: postgres.Sql): Promise<boolean> {
  const [row] = await sql<{ applied: string }[]>`
    select max(created_at)::text as applied from drizzle.__drizzle_migrations`;
  return Number(row?.applied) >= (journal.entries.at(-1)?.when ?? 0);
}
