import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';
import type postgres from 'postgres';
import { StartupError } from '../startup-error.js';
import { errorCodeOf } from './database-error.js';
import { keepSchemaPublic, stopInheriting } from './login-role.js';

const MIGRATIONS = fileURLToPath(new URL(/* the same depth in src and dist */ '../drizzle', import.meta.url));

/** An arbitrary lock number that only the platform's migrations use. */
const ADVISORY_LOCK = 7_460_112_853n;
const LOOK_AGAIN_MS = 250;

/** How long a migration waits for a table's lock. Meanwhile every request on that table waits behind it. */
const LOCK_TIMEOUT_MS = 500;
const BETWEEN_ATTEMPTS_MS = 500;
const GIVE_UP_AFTER_MS = 120_000;

/**
 * Applies missing migrations on a client with one connection, which holds the lock until it closes. Nodes that start at
 * the same time wait for the first one.
 */
export async function migrate(sql: postgres.Sql, folder = MIGRATIONS): Promise<void> {
  await lockMigrations(sql);
  await keepSchemaPublic(sql);
  await sql`create schema if not exists drizzle`;
  await sql`
    create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`;
  const last = await lastApplied(sql);
  const migrations = readMigrationFiles({ migrationsFolder: folder });
  await refuseOldDevelopmentDatabase(sql, migrations, last);
  for (const migration of migrations) {
    if (migration.folderMillis > last) await apply(sql, migration);
  }
  await stopInheriting(sql);
}

/** Until the first release migrations are edited in place. No migration leads from an edited one to its new text. */
async function refuseOldDevelopmentDatabase(sql: postgres.Sql, migrations: MigrationMeta[], last: number) {
  const rows = await sql<{ hash: string }[]>`select hash from drizzle.__drizzle_migrations`;
  const applied = new Set(rows.map(({ hash }) => hash));
  if (migrations.every(({ hash, folderMillis }) => folderMillis > last || applied.has(hash))) return;
  throw new StartupError(
    'An old development version created this database, and no migration leads from it to this version. Delete the data directory, or the database that DATABASE_URL names, and start again.',
  );
}

/**
 * Polls for the lock instead of waiting within a statement. An index that is built concurrently waits for all older
 * statements, so the building node and a waiting node would otherwise wait for each other.
 */
async function lockMigrations(sql: postgres.Sql): Promise<void> {
  for (;;) {
    const [row] = await sql<{ isLocked: boolean }[]>`
      select pg_try_advisory_lock(${ADVISORY_LOCK.toString()}::bigint) as "isLocked"`;
    if (row?.isLocked) return;
    await delay(LOOK_AGAIN_MS);
  }
}

/** Postgres builds and drops indexes concurrently only outside a transaction. */
const isConcurrent = ({ sql }: MigrationMeta) => sql.some((statement) => /\bindex concurrently\b/i.test(statement));

async function apply(sql: postgres.Sql, migration: MigrationMeta): Promise<void> {
  if (isConcurrent(migration)) {
    for (const statement of migration.sql) await sql.unsafe(statement);
    await record(sql, migration);
    return;
  }
  const startedAt = performance.now();
  for (;;) {
    try {
      await sql.begin(async (tx) => {
        await tx.unsafe(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
        for (const statement of migration.sql) await tx.unsafe(statement);
        await record(tx, migration);
      });
      return;
    } catch (error) {
      if (errorCodeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      if (performance.now() - startedAt > GIVE_UP_AFTER_MS) {
        throw new StartupError(
          `A migration did not get the lock that it needs within ${GIVE_UP_AFTER_MS / 1_000} seconds: a long transaction holds it. End that transaction (see pg_stat_activity), then start again.`,
        );
      }
      await delay(BETWEEN_ATTEMPTS_MS);
    }
  }
}

const record = (sql: postgres.Sql | postgres.TransactionSql, { hash, folderMillis }: MigrationMeta) =>
  sql`insert into drizzle.__drizzle_migrations (hash, created_at) values (${hash}, ${folderMillis})`;

let newest: number | undefined;

/** When the newest migration of this build was generated, in Unix milliseconds. */
function newestMigration(): number {
  const journal = () => JSON.parse(readFileSync(`${MIGRATIONS}/meta/_journal.json`, 'utf8')) as { entries: Entry[] };
  newest ??= journal().entries.at(-1)?.when ?? 0;
  return newest;
}

type Entry = { when: number };

/** Whether the database has every migration of this build. */
export async function isMigrated(sql: postgres.Sql): Promise<boolean> {
  return (await lastApplied(sql)) >= newestMigration();
}

/** When the newest migration in the database was generated, in Unix milliseconds. */
async function lastApplied(sql: postgres.Sql): Promise<number> {
  const rows = await sql<{ applied: string }[]>`
    select max(created_at)::text as applied from drizzle.__drizzle_migrations`.catch((error: unknown) => {
    if (errorCodeOf(error) === UNDEFINED_TABLE) return [];
    throw error;
  });
  return Number(rows[0]?.applied ?? 0);
}

const UNDEFINED_TABLE = '42P01';
const LOCK_NOT_AVAILABLE = '55P03';
