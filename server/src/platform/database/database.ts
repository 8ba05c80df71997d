import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { startEmbeddedDatabase } from './embedded.js';
import { migrate } from './migrate.js';
import { refuseRolesThatBypassRowSecurity } from './roles.js';

export type Database = {
  sql: postgres.Sql;
  drizzle: ReturnType<typeof drizzle>;
  close(): Promise<void>;
};

/** The transaction of a handler. Inside it use nothing but it: the embedded database has one connection. */
export type Transaction = Parameters<Parameters<Database['drizzle']['transaction']>[0]>[0];

export type DatabaseOptions = { url: string | undefined; poolSize: number; embeddedDirectory: string };

/** Opens Postgres, or the embedded database where there is no URL, and brings its schema up to date. */
export async function openDatabase({ url, poolSize, embeddedDirectory }: DatabaseOptions): Promise<Database> {
  const embedded = url ? null : await startEmbeddedDatabase(embeddedDirectory);
  try {
    const connect = (options: postgres.Options<Record<string, never>>) =>
      embedded
        ? // With a second connection pglite-socket mixes up portals.
          postgres({ path: embedded.socketPath, user: 'postgres', ...base, ...options, max: 1, max_lifetime: null })
        : postgres(url as string, { ...base, ...options });
    await migrate(connect);
    const sql = connect({
      max: poolSize,
      ...(embedded ? {} : { connection: settings }),
    });
    await refuseRolesThatBypassRowSecurity(sql);
    const tidying = embedded && setInterval(() => tidy(sql), TIDY_INTERVAL_MS).unref();
    return {
      sql,
      drizzle: drizzle(sql),
      async close() {
        if (tidying) clearInterval(tidying);
        await sql.end({ timeout: 5 });
        await embedded?.stop();
      },
    };
  } catch (error) {
    await embedded?.stop();
    throw error;
  }
}

/**
 * The embedded database has no autovacuum: without statistics its plans go wrong as tables grow, and without vacuum
 * the space of purged nonces is never used again. A failure waits for the next round.
 */
const tidy = (sql: postgres.Sql) => void sql.unsafe('vacuum analyze').catch(() => {});

const TIDY_INTERVAL_MS = 60_000;

/**
 * A node that dies or freezes within a transaction must not hold the others up: nothing that is newer than the oldest
 * transaction under way is relayed or listed.
 */
const settings = {
  application_name: 'tenant-open-platform',
  statement_timeout: 10_000,
  idle_in_transaction_session_timeout: 10_000,
  tcp_keepalives_idle: 10,
  tcp_keepalives_interval: 5,
  tcp_keepalives_count: 3,
};

/** The driver would wait up to 20 s before it tries a lost Postgres again, and every request with it. */
const backoff = () => 0.1;

const base = { fetch_types: false, connect_timeout: 5, backoff, onnotice: () => {} } as const;
