import { type SQL, sql } from 'drizzle-orm';
import type postgres from 'postgres';
import { tenantAway } from '../api-error.js';
import { codedError } from '../coded-error.js';
import type { Database, Transaction } from './database.js';
import { errorCodeOf, hasUnknownEffect } from './database-error.js';
import { pipelined } from './pipelined.js';

/*
 * Statements are written in two ways: with drizzle's builder where it can say them, and otherwise with drizzle's `sql`,
 * in one piece (see statement.ts). The driver's own `database.sql` is for work outside of these roles: migrations,
 * settings, signals, and `asIngest`.
 */

/** Runs a handler's work in one transaction that sees the rows of this tenant only. */
export const asTenant = inTenant(enterTenant);

/** As `asTenant`, also while the tenant moves and where it was before: for commands of the operator. */
export const asTenantAnyway = inTenant((tx, tenantId) => enterAnyway(tx, tenantId).then(() => false));

/** `enter` returns whether the tenant is away: the transaction is then read-only, and 25006 refuses a write. */
function inTenant(enter: (tx: Transaction, tenantId: string) => Promise<boolean>) {
  return <Result>(
    { drizzle }: Pick<Database, 'drizzle'>,
    tenantId: string,
    work: (tx: Transaction) => Promise<Result>,
  ): Promise<Result> =>
    inTransaction(drizzle, async (tx) => {
      const isAway = await enter(tx, tenantId);
      return work(tx).catch((error: unknown) => {
        throw isAway && errorCodeOf(error) === '25006' ? tenantAway('') : error;
      });
    });
}

/** Prepared statements do not keep their plans: see docs/internals/plans.md. */
function enterAnyway(tx: Transaction, tenantId: string) {
  return tx.execute(sql`
    select set_config('role', 'top_app', true), set_config('plan_cache_mode', 'force_custom_plan', true),
      set_config('app.tenant_id', ${tenantId}, true)`);
}

/**
 * A tenant that moves, or has moved away, does not change. A move waits for the transactions that began before: each of
 * the later ones finds it here, in a statement of its own, whose snapshot is later than the beginning.
 */
const keepAway = sql`
  select set_config('transaction_read_only', 'on', true) from tenants
  where tenant_id = current_setting('app.tenant_id') and status in ('MOVING', 'MOVED')`;

/** From here on the transaction sees the rows of this tenant. Returns whether it is away, so that nothing may be written. */
export async function enterTenant(tx: Transaction, tenantId: string): Promise<boolean> {
  const [, away] = await pipelined(
    () => enterAnyway(tx, tenantId),
    () => tx.execute(keepAway),
  );
  return away.length > 0;
}

const background = sql`set local role top_system; set local plan_cache_mode = force_custom_plan`;
/** It fails with 55P03 (lock_not_available) if it waits for a lock for longer. */
const impatient = sql`${background}; set local lock_timeout = '1s'`;

/** As `asAllTenants`, for work that must not wait for what a frozen process has locked. */
export const asAllTenantsImpatiently = <Result>(
  database: Database,
  work: (tx: Transaction, rows: readonly object[]) => Promise<Result>,
  first?: SQL,
): Promise<Result> => asAllTenants(database, work, first, impatient);

/**
 * Runs background work in one transaction over the rows of all tenants. Never use it in a handler. `first` leaves in the
 * round trip that sets the role; `work` gets its rows. At full load each round trip of the relay counts: with two less,
 * commands are dispatched after 0.6 of the time. Statements are prepared, and planned on each execution (see
 * docs/internals/plans.md): a worker drains 1.1 times as many commands per second.
 */
export function asAllTenants<Result>(
  database: Database,
  work: (tx: Transaction, rows: readonly object[]) => Promise<Result>,
  first?: SQL,
  settings = background,
): Promise<Result> {
  return inTransaction(database.prepared, async (tx) => {
    const [, rows = []] = await pipelined(
      () => tx.execute(settings),
      () => first && tx.execute(first),
    );
    return work(tx, rows);
  });
}

type Rows<Row extends object> = postgres.RowList<Row[]>;

/** Runs one statement over the rows of all tenants, in its own transaction. Never use it in a handler. */
export const asAllTenantsStatement = <Row extends object>(database: Database, statement: SQL): Promise<Rows<Row>> =>
  asAllTenants(database, async (_tx, rows) => rows as Rows<Row>, statement);

/** Longer than the statement timeout of Postgres, and as long as a connection may be silent. */
const LONGEST_TRANSACTION_MS = 15_000;

/**
 * A transaction whose connection dies between two statements may never settle in the driver. No loop and no request may
 * wait for it forever. A transaction that fails before its commit has changed nothing.
 */
async function inTransaction<Result>(
  drizzle: Database['drizzle'],
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  let isLate = false;
  let isCommitting = false;
  const tooLate = () =>
    codedError('ANSWER_TIMEOUT', 'A transaction has not ended in time. Its connection may be lost.');
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      isLate = true;
      reject(tooLate());
    }, LONGEST_TRANSACTION_MS);
  });
  const transaction = drizzle.transaction(async (tx) => {
    // Who has waited so long for a connection was told: the work would be undone.
    if (isLate) throw tooLate();
    const result = await work(tx);
    if (isLate) throw tooLate();
    isCommitting = true;
    return result;
  });
  try {
    return await Promise.race([transaction, silence]);
  } catch (error) {
    if (isCommitting || !hasUnknownEffect(error)) throw error;
    throw codedError('LOST_BEFORE_COMMIT', 'The connection of a transaction was lost before its commit.', {
      cause: error,
    });
  } finally {
    clearTimeout(timer);
  }
}

/** A checked command, as a column list of admit_requests_v1. Tenant and creator come from its request, the time from the database. */
export type NewCommand = {
  idempotency_key: string;
  vendor: string;
  device_id: string;
  command_type: string;
  /** The revision of the payload schema that it was checked against. */
  revision: number;
  payload: Record<string, unknown>;
  timeout_seconds: number;
  request_id: string;
  traceparent?: string | undefined;
  /** The part of its UUID v7 after the time. */
  command_id_tail: string;
};

/** A command that is not stored: the outcome tells only whether its key is used. */
export type RefusedCommand = { idempotency_key: string; is_refused: true };

export type GivenCommand = NewCommand | RefusedCommand;

/** What became of a command. The outcomes are explained in server/drizzle/functions/admit_requests_v1.sql. */
export type CommandOutcome =
  | { outcome: 'ACCEPTED'; command_id: string; accepted_ms: number }
  | { outcome: 'KEY_USED' | 'REFUSED' | 'VENDOR_NOT_ENABLED' | 'CATALOG_CHANGED' | 'TENANT_AWAY' };

/**
 * Admits requests of several tenants and stores the commands that they bring, or with `areAdmitted` only stores the
 * commands. The function of server/drizzle has the rights of its owner, top_ingest, which reads no secret.
 */
export const asIngest = <Row extends object>({ sql }: Database, requests: readonly object[], areAdmitted = false) =>
  sql<Row[]>`select * from admission.admit_requests_v1(${JSON.stringify(requests)}, ${areAdmitted})`;
