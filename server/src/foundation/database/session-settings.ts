import type postgres from 'postgres';
import { StartupError } from '../startup-error.js';
import { errorCodeOf } from './database-error.js';

/**
 * Plans must not depend on statistics. Right after the installation Postgres has none, and a connection keeps the plans
 * that it made while the tables were empty, which read the whole table. Every statement of the platform has an index
 * that serves it.
 * jit: Postgres would compile a plan that it considers expensive because it reads a whole small table.
 * max_parallel_workers_per_gather: in access.list by role, Postgres started workers for each of 5,000 credentials: 30 s.
 * random_page_cost: with 4, the value for spinning disks, Postgres would rather read a whole index in table order than
 * 5,000 rows in list order.
 */
export const planSettings = {
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  random_page_cost: '1.1',
};

/**
 * The settings that the platform relies on. Every connection sets them, so that settings of the database or of its user
 * change neither how values are read and written nor what a transaction sees.
 */
const sessionSettings: Record<string, string> = {
  search_path: 'public',
  timezone: 'UTC',
  datestyle: 'ISO, MDY',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
  row_security: 'on',
  default_transaction_isolation: 'read committed',
  default_transaction_read_only: 'off',
  default_transaction_deferrable: 'off',
  lock_timeout: '0',
  idle_session_timeout: '0',
  ...planSettings,
};

/**
 * A node that dies or freezes within a transaction must not block other nodes for longer than 10 seconds: it may hold
 * the lock of the event log or of a slot. The timeout is 5 seconds, because another of its connections may wait for
 * that lock, get it then, and hold it for another 5 seconds.
 * No Postgres timeout ends a session that sends an answer, or waits for the rest of a statement, over a broken link.
 * TCP ends it after about 10 seconds: keepalives if everything sent has arrived, the user timeout if not.
 */
export const nodeSettings: Record<string, string> = {
  ...sessionSettings,
  application_name: 'tenant-open-platform',
  statement_timeout: '10s',
  idle_in_transaction_session_timeout: '5s',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '10s',
};

/** Postgres 17 has it. An older one refuses a connection that sets it. */
const since17 = { transaction_timeout: '0' };

/** The settings that this Postgres knows. `sql` sets `nodeSettings`, so the question itself may take too long. */
export async function settingsFor(sql: postgres.Sql): Promise<Record<string, string>> {
  const unknown = await sql`select where current_setting('transaction_timeout', true) is null`.catch((error) => {
    if (errorCodeOf(error) !== '25P04') throw error; // transaction_timeout
    return [];
  });
  return unknown.length > 0 ? nodeSettings : { ...nodeSettings, ...since17 };
}

/** Refuses, before any migration runs, an encoding that lacks characters and a pooler that drops these settings. */
export async function checkSettings(sql: postgres.Sql): Promise<void> {
  const expected: Record<string, string> = { ...sessionSettings, ...since17, server_encoding: 'UTF8' };
  const rows = await sql<{ name: string; setting: string; database: string }[]>`
    select lower(name) as name, setting, current_database() as database from pg_settings
    where lower(name) in ${sql(Object.keys(expected))}`;
  for (const { name, setting, database } of rows) {
    if (setting === expected[name]) continue;
    throw new StartupError(
      name === 'server_encoding'
        ? `The database "${database}" has the encoding ${setting}. Create one with UTF8: create database … encoding 'UTF8' template template0.`
        : `A connection to Postgres has ${name} = ${setting}, although the platform set ${expected[name]}. Remove the parameter from DATABASE_URL, or connect without the pooler that drops it.`,
    );
  }
}
