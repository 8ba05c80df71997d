import { afterAll, beforeAll, expect, test } from 'vitest';
import { type IdlePlatform, startIdlePlatform } from '../../../test/support/idle-platform.js';
import { openPool } from '../../../test/support/open-pool.js';
import type { Database } from '../database/database.js';
import { asAllTenantsStatement } from '../database/roles.js';
import { takeLease } from './lease.js';
import { createWaitMeter } from './measure-waits.js';
import type { Waits } from './waits.js';

let platform: IdlePlatform;
let database: Database;

beforeAll(async () => {
  platform = await startIdlePlatform();
  database = openPool(platform.databaseUrl);
});

afterAll(async () => {
  await database?.close();
  await platform?.stop();
});

test('where a thousand tenants wait, the wait of the last one is estimated, too', async () => {
  const rowsOf = (tenantId: string, count: number) =>
    asAllTenantsStatement(
      database,
      (sql) => sql`
        insert into outbox (tenant_id, kind, fact_id)
        select ${tenantId}, 'COMMAND_ACCEPTED', gen_random_uuid() from generate_series(1, ${count}::int)`,
    );
  await asAllTenantsStatement(
    database,
    (sql) => sql`
      insert into outbox (tenant_id, kind, fact_id)
      select 'tenant-' || n, 'COMMAND_ACCEPTED', gen_random_uuid() from generate_series(1, 1000) as n`,
  );
  await rowsOf('zzz', 4_000);
  const lease = await takeLease(database, 'test', true);
  if (!lease) throw new Error('Another node relays.');
  await createWaitMeter(database, { left: () => 0, updatesLagMs: () => 0 })(lease, true);
  const [row] = await asAllTenantsStatement<{ waits: Waits }>(
    database,
    (sql) => sql<{ waits: Waits }[]>`select waits from relay_lease`,
  );
  // At the pace that is assumed at first: 1,000 rows a second.
  expect(row?.waits.tenants.zzz).toBe(5);
});
