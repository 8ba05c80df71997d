import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { startEmbeddedDatabase } from './embedded.js';
import {
  inheritsRoles,
  refuseLoginThatSeesTenants,
  refusePrivilegedLogin,
  refuseRolesThatBypassRowSecurity,
} from './login-role.js';
import { isMigrated, migrate } from './migrate.js';
import { nodeSettings, planSettings, refuseOtherSettings } from './session-settings.js';
import { waitForPostgres } from './startup-problem.js';

export type Database = {
  sql: postgres.Sql;
  drizzle: ReturnType<typeof drizzle>;
  close(): Promise<void>;
};

/** The transaction of a handler. Inside it use nothing but it: the embedded database has one connection. */
export type Transaction = Parameters<Parameters<Database['drizzle']['transaction']>[0]>[0];

export type DatabaseOptions = { url: string | undefined; poolSize: number; embeddedDirectory: string };

/** Opens Postgres, or the embedded database where there is no URL, and brings its schema up to date. */
export const openDatabase = ({ url, poolSize, embeddedDirectory }: DatabaseOptions): Promise<Database> =>
  url === undefined ? openEmbedded(embeddedDirectory) : waitForPostgres(url, () => openPostgres(url, poolSize));

async function openPostgres(url: string, poolSize: number): Promise<Database> {
  const sql = postgres(url, { ...base, ...limits, connection: nodeSettings, max: poolSize });
  const close = () => sql.end({ timeout: 5 });
  try {
    await refuseOtherSettings(sql);
    await refusePrivilegedLogin(sql);
    if (!(await isMigrated(sql)) || (await inheritsRoles(sql))) await migratePostgres(url);
    await refuseRolesThatBypassRowSecurity(sql);
    await refuseLoginThatSeesTenants(sql);
  } catch (error) {
    await close();
    throw error;
  }
  return { sql, drizzle: drizzle(sql), close };
}

/** On a connection without time limits: a migration may take long. */
async function migratePostgres(url: string): Promise<void> {
  const sql = postgres(url, { ...base, connection: { ...nodeSettings, ...withoutLimits }, max: 1 });
  try {
    await migrate(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** The embedded database has one user, a superuser. There the roles alone restrict what the platform does. */
async function openEmbedded(directory: string): Promise<Database> {
  const embedded = await startEmbeddedDatabase(directory);
  try {
    // With a second connection pglite-socket mixes up portals.
    const sql = postgres({ path: embedded.socketPath, user: 'postgres', ...base, max: 1, max_lifetime: null });
    // The embedded database ignores the settings of a connection.
    await sql.unsafe(
      Object.entries(planSettings)
        .map(([name, value]) => `set ${name} = ${value}`)
        .join('; '),
    );
    if (!(await isMigrated(sql))) await migrate(sql);
    await refuseRolesThatBypassRowSecurity(sql);
    const tidying = setInterval(() => tidy(sql), TIDY_INTERVAL_MS).unref();
    return {
      sql,
      drizzle: drizzle(sql),
      async close() {
        clearInterval(tidying);
        await sql.end({ timeout: 5 });
        await embedded.stop();
      },
    };
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}

/**
 * The embedded database has no autovacuum: without vacuum the space of purged nonces is never used again. A failure
 * waits for the next round.
 */
const tidy = (sql: postgres.Sql) => void sql.unsafe('vacuum analyze').catch(() => {});

const TIDY_INTERVAL_MS = 60_000;

/** The driver would wait up to 20 s before it tries a lost Postgres again, and every request with it. */
const backoff = () => 0.1;

const base = { fetch_types: false, connect_timeout: 5, backoff, onnotice: () => {} } as const;

/**
 * A connection may be half open: a primary that failed over leaves sockets that take every statement and answer none.
 * Such a connection is given up, later than Postgres itself gives up a statement. A request does not wait for a
 * connection longer than it would take to make one.
 */
const limits = { answer_timeout: 15, queue_timeout: 5 } as const;

const withoutLimits: Record<string, string> = { statement_timeout: '0', idle_in_transaction_session_timeout: '0' };
