import { expect, test } from 'vitest';
import { startIdlePlatform } from '../../../test/support/idle-platform.js';
import { openPool } from '../../../test/support/open-pool.js';
import { vacuumTables } from './vacuum-and-analyze.js';

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
