import type postgres from 'postgres';

/** A table with fewer rows is quick to read, whatever the plan. */
const MANY_ROWS = 2_000;
const GROWN_TIMES = 10;

/**
 * Analyzes the tables that have more than ten times the rows that Postgres plans with, and returns their names. A table
 * that was nearly empty when it was vacuumed counts as nearly empty until it is analyzed. Postgres then considers every
 * index as good as any other, and dispatching 256 of 200,000 commands took 5 seconds. Autovacuum looks at a table once
 * a minute. A table without any statistics is left to it: Postgres plans that one by its size.
 */
export async function analyzeGrownTables(sql: postgres.Sql): Promise<string[]> {
  const grown = await sql<{ name: string }[]>`
    select pg_class.relname as name from pg_stat_user_tables join pg_class on pg_class.oid = relid
    where pg_has_role(relowner, 'USAGE') and reltuples >= 0 and n_live_tup > ${MANY_ROWS}
      and n_live_tup > ${GROWN_TIMES} * reltuples
    order by pg_class.relname`;
  for (const { name } of grown) await sql`analyze (skip_locked) ${sql(name)}`;
  return grown.map(({ name }) => name);
}

/** An idle platform takes hours to write this much. */
const WRITTEN_BYTES = 1024 * 1024;

/** Vacuums if the embedded database has written enough since the last time. For an idle one it would be most of the work. */
export function createVacuum(sql: postgres.Sql): () => Promise<void> {
  let vacuumedAt = '0/0';
  return async () => {
    const [log] = await sql<{ written: number }[]>`
      select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), ${vacuumedAt}::pg_lsn)::float8 as written`;
    if ((log?.written ?? 0) < WRITTEN_BYTES) return;
    await vacuumTables(sql);
    const [now] = await sql<{ lsn: string }[]>`select pg_current_wal_insert_lsn()::text as lsn`;
    vacuumedAt = now?.lsn ?? vacuumedAt;
  };
}

/**
 * Vacuums and analyzes the tables of the embedded database, which has no autovacuum: without it the space of purged
 * nonces is never reused. Each table has a statement of its own, so that a request waits for one table and not for all:
 * after 80,000 commands 0.65 s instead of 1 s.
 */
export async function vacuumTables(sql: postgres.Sql): Promise<void> {
  const tables = await sql<{ name: string }[]>`select oid::regclass::text as name from pg_class where relkind = 'r'`;
  for (const { name } of tables) await sql.unsafe(`vacuum analyze ${name}`);
}
