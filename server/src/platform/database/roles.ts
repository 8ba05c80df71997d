import { sql as fragment } from 'drizzle-orm';
import type postgres from 'postgres';
import { StartupError } from '../startup-error.js';
import type { Database, Transaction } from './database.js';

/** Runs a handler's work in one transaction that sees the rows of one tenant, and no others. */
export function asTenant<Result>(
  database: Database,
  tenantId: string,
  work: (tx: Transaction) => Promise<Result>,
): Promise<Result> {
  return database.drizzle.transaction(async (tx) => {
    await enterTenant(tx, tenantId);
    return work(tx);
  });
}

/** From here on the transaction sees the rows of this tenant. */
export async function enterTenant(tx: Transaction, tenantId: string): Promise<void> {
  await tx.execute(
    fragment`select set_config('role', 'top_app', true), set_config('app.tenant_id', ${tenantId}, true)`,
  );
}

/** Runs background work in one transaction over the rows of all tenants. Never for a handler. */
export function inSystem<Result>(database: Database, work: (tx: Transaction) => Promise<Result>): Promise<Result> {
  return database.drizzle.transaction(async (tx) => {
    await tx.execute(fragment`set local role top_system`);
    return work(tx);
  });
}

type Statement<Row> = (sql: postgres.Sql) => PromiseLike<Row[]>;

/** One statement over the rows of all tenants, in a transaction of its own. Never for a handler. */
export const asSystem = <Row>(database: Database, statement: Statement<Row>) =>
  inOneRoundTrip(database.sql, 'begin; set local role top_system', statement);

/** One statement over a JSON array of requests of several tenants: admits them and inserts the commands they bring. */
export const asIngest = <Row>(database: Database, statement: string, requests: readonly object[]) =>
  inOneRoundTrip(database.sql, 'begin; set local role top_ingest', (sql) =>
    sql.unsafe<Row[]>(statement, [JSON.stringify(requests)], { prepare: true }),
  );

/** begin, role, statement and commit leave together; after an error the commit rolls back. */
async function inOneRoundTrip<Row>(sql: postgres.Sql, begin: string, statement: Statement<Row>): Promise<Row[]> {
  const connection = await sql.reserve();
  try {
    const [begun, rows, committed] = await Promise.allSettled([
      connection.unsafe(begin),
      statement(connection),
      connection.unsafe('commit'),
    ]);
    const failed = [begun, rows, committed].find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    return (rows as PromiseFulfilledResult<Row[]>).value;
  } finally {
    connection.release();
  }
}

/** Row-level security does not bind superusers, owners that are not FORCEd, and BYPASSRLS: none of them may serve. */
export async function refuseRolesThatBypassRowSecurity(sql: postgres.Sql): Promise<void> {
  for (const role of ['top_app', 'top_system', 'top_ingest']) {
    const [is] = await sql.begin(async (tx) => {
      await tx`select set_config('role', ${role}, true)`;
      return tx<{ name: string; exempt: boolean }[]>`
        select current_user as name, rolsuper or rolbypassrls or exists (
          select from pg_class where relname = 'commands' and relowner = pg_roles.oid
        ) as exempt
        from pg_roles where rolname = current_user`;
    });
    if (is?.name !== role || is.exempt) {
      throw new StartupError(
        `The database role ${role} is superuser, owner of the tables or BYPASSRLS: row-level security would not hold. Make it an ordinary role.`,
      );
    }
  }
}
