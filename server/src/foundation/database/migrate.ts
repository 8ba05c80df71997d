import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator';
import type postgres from 'postgres';
import { StartupError } from '../startup-error.js';
import { errorCodeOf } from './database-error.js';
import { keepSchemaPublic, stopInheriting } from './login-role.js';

/** As seen from `dist`. */
const MIGRATIONS = fileURLToPath(new URL('../drizzle', import.meta.url));

/** An arbitrary lock number that only the platform's migrations use. */
const ADVISORY_LOCK = 7_460_112_853n;
const LOOK_AGAIN_MS = 250;

/** Until the first release the baseline may change. No migration leads from an earlier text to the present one. */
const otherText = () =>
  new StartupError(
    'A development version created this database, and no migration leads from it to this version: docs/upgrading.md says what to do.',
  );

/** How long a migration waits for a table's lock. Meanwhile every request on that table waits behind it. */
const LOCK_TIMEOUT_MS = 500;
const BETWEEN_ATTEMPTS_MS = 500;
const GIVE_UP_AFTER_MS = 120_000;

/** The hashes of this build, read once: readiness compares them every two seconds. */
let own: MigrationMeta[] | undefined;
const ownMigrations = () => (own ??= readMigrationFiles({ migrationsFolder: MIGRATIONS }));

/** The hashes of the migrations that the database has. */
export async function appliedHashes(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql<{ hash: string }[]>`
    select hash from drizzle.__drizzle_migrations order by id`.catch((error: unknown) => {
    if (errorCodeOf(error) === UNDEFINED_TABLE) return [];
    throw error;
  });
  return rows.map(({ hash }) => hash);
}

/** Those of the migrations that the database lacks; null if it has one with another text. */
async function missingOf(sql: postgres.Sql, migrations: MigrationMeta[]): Promise<MigrationMeta[] | null> {
  const applied = await appliedHashes(sql);
  const hasOther = applied.some((hash, index) => hash !== (migrations[index]?.hash ?? hash));
  return hasOther ? null : migrations.slice(applied.length);
}

/** CURRENT: the database has all migrations of this build, perhaps later ones too. OTHER: one has another text. */
export async function schemaState(sql: postgres.Sql): Promise<'CURRENT' | 'BEHIND' | 'OTHER'> {
  const missing = await missingOf(sql, ownMigrations());
  if (missing === null) return 'OTHER';
  return missing.length > 0 ? 'BEHIND' : 'CURRENT';
}

/** The migrations of this build that the database lacks, with the names of their files. */
export async function missingMigrations(sql: postgres.Sql): Promise<{ name: string; sql: string[] }[]> {
  const missing = await missingOf(sql, ownMigrations());
  if (missing === null) throw otherText();
  const journal = JSON.parse(readFileSync(path.join(MIGRATIONS, 'meta', '_journal.json'), 'utf8'));
  const last: { tag: string }[] = journal.entries.slice(journal.entries.length - missing.length);
  return missing.map(({ sql }, index) => ({ name: last[index]?.tag ?? '', sql }));
}

/** Applies missing migrations. The client's one connection holds the lock until it closes; other nodes wait for it. */
export async function migrate(sql: postgres.Sql, folder = MIGRATIONS): Promise<void> {
  await lockMigrations(sql);
  const missing = await missingOf(sql, readMigrationFiles({ migrationsFolder: folder }));
  if (missing === null) throw otherText();
  await keepSchemaPublic(sql);
  await sql`create schema if not exists drizzle`;
  await sql`
    create table if not exists drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint)`;
  for (const migration of missing) await apply(sql, migration);
  await stopInheriting(sql);
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
      return await sql.begin(async (tx) => {
        await tx.unsafe(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
        for (const statement of migration.sql) await tx.unsafe(statement);
        await record(tx, migration);
      });
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

const UNDEFINED_TABLE = '42P01';
const LOCK_NOT_AVAILABLE = '55P03';
