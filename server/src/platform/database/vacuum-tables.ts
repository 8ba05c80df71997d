import type postgres from 'postgres';

/**
 * Vacuums and analyzes the tables of the embedded database, which has no autovacuum: without it the space of purged
 * nonces is never reused. Each table has a statement of its own, so that a request waits for one table and not for all:
 * after 80,000 commands 0.65 s instead of 1 s.
 */
export async function vacuumTables(sql: postgres.Sql): Promise<void> {
  const tables = await sql<{ name: string }[]>`select oid::regclass::text as name from pg_class where relkind = 'r'`;
  for (const { name } of tables) await sql.unsafe(`vacuum analyze ${name}`);
}
