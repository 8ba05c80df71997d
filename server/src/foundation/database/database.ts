import { drizzle } from 'drizzle-orm/postgres-js';
import postgres from 'postgres';
import { StartupError } from '../startup-error.js';
import { urlsOfHosts } from '../urls.js';
import { findEmbeddedDatabase, startEmbeddedDatabase } from './embedded.js';
import { beginGeneration, type Generations, watchGenerations } from './generation.js';
import {
  checkFunctionOwners,
  checkLogin,
  checkLoginMayMigrate,
  checkLoginSeesNoTenant,
  checkRoles,
  inheritsRoles,
} from './login-role.js';
import { migrate, schemaState } from './migrate.js';
import { checkSettings, nodeSettings, planSettings, settingsFor } from './session-settings.js';
import { waitForPostgres } from './startup-problem.js';
import { createVacuum } from './vacuum-and-analyze.js';

export type Database = {
  sql: postgres.Sql;
  /** Prepares the first MOST_PREPARED texts. */
  drizzle: ReturnType<typeof drizzle>;
  /** The same connections. Prepares every statement. */
  prepared: ReturnType<typeof drizzle>;
  generations: Generations;
  /** Calls this when a program that worked on the embedded database has left it. It sends no other signal. */
  onLeft?(tell: () => void): void;
  close(): Promise<void>;
};

export const databaseOf = (
  sql: postgres.Sql,
  close: () => Promise<void>,
  { look, ...generations } = watchGenerations(),
): Database => ({
  sql,
  drizzle: drizzle(preparing(sql, firstTexts())),
  prepared: drizzle(preparing(sql, () => true)),
  generations: { ...generations, look: () => look(sql), begin: (...about) => beginGeneration(sql, ...about) },
  close,
});

/** The transaction of a handler. Run every query of a handler on it: the embedded database has only one connection. */
export type Transaction = Parameters<Parameters<Database['drizzle']['transaction']>[0]>[0];

type Variables = { DATABASE_URL?: string | undefined; DATABASE_POOL_SIZE: number; DATA_DIR: string };

export const openDatabase = ({ DATABASE_URL: url, DATABASE_POOL_SIZE, DATA_DIR }: Variables): Promise<Database> =>
  url === undefined ? openEmbedded(DATA_DIR) : waitForPostgres(url, () => openPostgres(url, DATABASE_POOL_SIZE));

async function openPostgres(url: string, poolSize: number): Promise<Database> {
  const options = { ...base, ...primaryOf(url), ...limits, connection: await settingsOf(url), max: poolSize };
  const checking = postgres(url, { ...options, max: 1 });
  checkDriver(checking.options);
  try {
    await checkSettings(checking);
    await checkLogin(checking);
    const isCurrent = (await schemaState(checking)) === 'CURRENT';
    if (!isCurrent) await checkLoginMayMigrate(checking);
    if (!isCurrent || (await inheritsRoles(checking))) await onMigratingConnection(url, migrate);
    await checkRoles(checking);
    await checkFunctionOwners(checking);
    await checkLoginSeesNoTenant(checking);
  } finally {
    await checking.end({ timeout: 5 });
  }
  const generations = watchGenerations();
  return connected(postgres(url, { ...options, ...generations.options }), generations);
}

/** Opens the first connection: from here on the generation is known. */
async function connected(sql: postgres.Sql, generations = watchGenerations()): Promise<Database> {
  const close = () => sql.end({ timeout: 5 });
  try {
    await sql`select`;
  } catch (error) {
    await close();
    throw error;
  }
  return databaseOf(sql, close, generations);
}

async function settingsOf(url: string): Promise<Record<string, string>> {
  const sql = postgres(url, { ...base, ...primaryOf(url), ...limits, connection: nodeSettings, max: 1 });
  try {
    return await settingsFor(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** Works on one connection to the primary, without time limits: a migration may take long. */
export async function onMigratingConnection(url: string, work: (sql: postgres.Sql) => Promise<void>): Promise<void> {
  const connection: Record<string, string> = {
    ...(await settingsOf(url)),
    statement_timeout: '0',
    idle_in_transaction_session_timeout: '0',
  };
  const sql = postgres(url, { ...base, ...primaryOf(url), connection, max: 1 });
  try {
    await work(sql);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/** The embedded database has one user, a superuser. Only the roles restrict the platform there. */
async function openEmbedded(directory: string): Promise<Database> {
  const embedded = await startEmbeddedDatabase(directory);
  try {
    const options = { ...embeddedOptions(embedded.socketPath), max: 1 };
    const migrating = postgres(options);
    if ((await schemaState(migrating)) !== 'CURRENT') await migrate(migrating);
    await migrating.end();
    const generations = watchGenerations();
    const sql = postgres({ ...options, ...generations.options });
    // The embedded database ignores the settings of a connection.
    const settings = Object.entries(planSettings).map(([name, value]) => `set ${name} = ${value}`);
    await sql.unsafe(settings.join('; '));
    await checkRoles(sql);
    await checkFunctionOwners(sql);
    // A failure waits for the next round.
    const vacuum = createVacuum(sql);
    const vacuuming = setInterval(() => void vacuum().catch(() => {}), VACUUM_INTERVAL_MS).unref();
    const close = async () => {
      clearInterval(vacuuming);
      await sql.end({ timeout: 5 });
      await embedded.stop();
    };
    return { ...databaseOf(sql, close, generations), onLeft: embedded.onLeft };
  } catch (error) {
    await embedded.stop();
    throw error;
  }
}

const embeddedOptions = (socketPath: string) => ({
  path: socketPath,
  user: 'postgres',
  ...base,
  max_lifetime: null,
  // On a busy machine the first answer of the embedded database can take longer than five seconds.
  connect_timeout: 30,
});

/** The embedded database of a platform that is running, beside it; null if it does not run. */
export async function joinEmbedded(directory: string): Promise<Database | null> {
  const socketPath = await findEmbeddedDatabase(directory);
  if (socketPath === null) return null;
  return connected(postgres({ ...embeddedOptions(socketPath), max: 2 })).catch(({ message }: Error) => {
    throw new StartupError(`The platform in DATA_DIR ${directory} does not answer yet: ${message}.`);
  });
}

const VACUUM_INTERVAL_MS = 60_000;

/**
 * Of several hosts, each connection looks for the primary. The driver's `read-write` would accept a standby: it looks at
 * default_transaction_read_only, which every session of the platform turns off.
 */
const primaryOf = (url: string) => (urlsOfHosts(url).length > 1 ? { target_session_attrs: 'primary' as const } : {});

/** The driver would wait up to 20 s before it reconnects to a lost Postgres, and every request would wait too. */
const backoff = () => 0.1;

const base = { fetch_types: false, connect_timeout: 5, backoff, onnotice: () => {} } as const;

/**
 * A connection may be half open: after a failover the old primary leaves sockets that accept every statement and never
 * answer. The driver drops such a connection, later than Postgres itself would abort a statement. A request waits for a
 * free connection no longer than a new connection takes.
 */
const limits = { answer_timeout: 15, queue_timeout: 5 } as const;

/** The driver drops options that it does not know without a word. */
export function checkDriver(options: { answer_timeout?: unknown; queue_timeout?: unknown }): void {
  if (options.answer_timeout === limits.answer_timeout && options.queue_timeout === limits.queue_timeout) return;
  throw new StartupError(
    'This build contains the Postgres driver without the patch of the repository (patches/postgres@3.4.9.patch): after a failover, requests would wait for lost connections. Run pnpm install and pnpm build in the repository, and deploy that build.',
  );
}

/** Texts of one client that are prepared. Postgres keeps a prepared statement as long as its connection. */
const MOST_PREPARED = 200;

/** The text of a list depends on its filters, so there are many. Those after the first ones are not prepared. */
function firstTexts(): (text: string) => boolean {
  const prepared = new Set<string>();
  return (text) => prepared.has(text) || (prepared.size < MOST_PREPARED && !!prepared.add(text));
}

/**
 * Prepares a statement on its first use. Without it, the driver asks Postgres for the types of the parameters before
 * each execution: a round trip more.
 */
const preparing = <Client extends postgres.Sql | postgres.TransactionSql>(
  client: Client,
  isPrepared: (text: string) => boolean,
): Client =>
  new Proxy(client, {
    get(target, name) {
      if (name === 'unsafe') {
        return (text: string, values?: never[]) => target.unsafe(text, values, { prepare: isPrepared(text) });
      }
      if (name === 'begin') {
        return (work: (tx: postgres.TransactionSql) => unknown) =>
          (target as postgres.Sql).begin((tx) => work(preparing(tx, isPrepared)));
      }
      return Reflect.get(target, name);
    },
  });
