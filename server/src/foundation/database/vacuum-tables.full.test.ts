import { expect, test } from 'vitest';
import { startIdlePlatform } from '../../../test/support/idle-platform.js';
import { openPool } from '../../../test/support/open-pool.js';
import { createVacuum, vacuumTables } from './vacuum-and-analyze.js';

const platform = await startIdlePlatform();
const database = openPool(platform.databaseUrl, { max: 1 });

test('all tables are vacuumed and analyzed, and requests on the same connection are answered between two tables', async () => {
  const { sql } = database;
  let isDone = false;
  const vacuuming = vacuumTables(sql).then(() => {
    isDone = true;
  });
  let answered = 0;
  for (; !isDone; answered++) await sql`select 1`;
  await vacuuming;
  expect(answered).toBeGreaterThan(20);
  const left = await sql`select relname from pg_stat_user_tables where last_vacuum is null or last_analyze is null`;
  expect(left).toEqual([]);
});

test('tables are vacuumed again once a mebibyte is written, and not before', async () => {
  const { sql } = database;
  const count = async () =>
    (
      await sql<
        { count: number }[]
      >`select vacuum_count::int as count from pg_stat_user_tables where relname = 'tenants'`
    )[0]?.count ?? 0;
  const vacuum = createVacuum(sql);
  const before = await count();
  for (let time = 0; time < 3; time++) await vacuum();
  expect(await count()).toBe(before + 1);
  await sql`create table filled as select repeat(md5(n::text), 10) as text from generate_series(1, 10000) as n`;
  for (let time = 0; time < 3; time++) await vacuum();
  expect(await count()).toBe(before + 2);
});
