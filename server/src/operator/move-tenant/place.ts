import type { SQL } from 'drizzle-orm';
import type { Database, Transaction } from '../../foundation/database/database.js';
import { errorCodeOf, hadNoEffect, hasUnknownEffect } from '../../foundation/database/database-error.js';
import { asAllTenantsStatement, asTenantAnyway } from '../../foundation/database/row-level-security.js';
import { startupProblem } from '../../foundation/database/startup-problem.js';
import type { OpenedKeyring } from '../../foundation/secrets/keyring.js';
import { StartupError } from '../../foundation/startup-error.js';
import { urlsOfHosts } from '../../foundation/urls.js';

/** One of the two platforms of a move, for one tenant. */
export type Place = ReturnType<typeof placeOf>;

type Opened = {
  name: 'source' | 'target';
  url: string | undefined;
  folder: string;
  database: Database;
  keyring: OpenedKeyring;
};

export const CONTINUE = 'To continue, run the same command again; to give up, add --undo.';

export const say = (line: string) => console.error(`${new Date().toISOString()} ${line}`);

export function placeOf({ name, url, folder, database, keyring }: Opened, tenantId: string) {
  /** A database that fails ends the command in one line: all steps can be repeated. */
  async function named<Result>(work: Promise<Result>): Promise<Result> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof StartupError) throw error;
      if (!hadNoEffect(error) && !hasUnknownEffect(error)) throw error;
      const problem = (url && startupProblem(error, url)?.message) || `It ended a statement (${errorCodeOf(error)}).`;
      throw new StartupError(`The database of the ${name} failed. ${problem} ${CONTINUE}`);
    }
  }
  const asTenant = <Result>(work: (tx: Transaction) => Promise<Result>) =>
    named(asTenantAnyway(database, tenantId, work));
  return {
    name,
    address: url === undefined ? folder : addressOf(url),
    tenantId,
    keyring,
    database,
    asTenant,
    read: <Row extends object>(statement: SQL) =>
      asTenant((tx) => tx.execute<Row & Record<string, unknown>>(statement)),
    /** Reads what handlers cannot: nonces, the outbox, the catalog of all tenants. */
    readAsSystem: <Row extends object>(statement: SQL) => named(asAllTenantsStatement<Row>(database, statement)),
    /** Wakes the processes of the platform: see signals.ts. */
    notify: (topic: string) =>
      named(database.sql.notify('top_signals', JSON.stringify({ from: '', topics: [topic] })).then(() => {})),
  };
}

/** Hosts and name of a database, without login and parameters: both can have passwords. */
export const addressOf = (url: string) =>
  urlsOfHosts(url)
    .map((one) => new URL(one))
    .map(({ host, pathname }) => host + pathname)
    .join();
