import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { startIdlePlatform } from '../../test/support/idle-platform.js';
import { openPool } from '../../test/support/open-pool.js';
import { asAllTenantsStatement } from '../foundation/database/row-level-security.js';
import { createWaits } from './backlog.js';
import { renewSlots } from './slots/slot-owner.js';

const platform = await startIdlePlatform();
const database = openPool(platform.databaseUrl);

const rowsOf = (tenantId: string, count: number, ageSeconds = 2) =>
  asAllTenantsStatement(
    database,
    sql`
    insert into outbox (tenant_id, kind, fact_id, created_at)
    select ${tenantId}, 'COMMAND_ACCEPTED', gen_random_uuid(), now() - make_interval(secs => ${ageSeconds})
    from generate_series(1, ${count}::int)`,
  );

test('where a thousand tenants wait, the wait of the last one is estimated, too', async () => {
  await asAllTenantsStatement(
    database,
    sql`
    insert into outbox (tenant_id, kind, fact_id)
    select 'tenant-' || n, 'COMMAND_ACCEPTED', gen_random_uuid() from generate_series(1, 1000) as n`,
  );
  await rowsOf('zzz', 4_000);
  await rowsOf('zzzz', 4_000);
  expect((await renewSlots(database, { worker: 'test', canPublish: true, known: [] })).isWhole).toBe(true);
  const waits = createWaits(database);
  await waits.refresh();
  // At the pace that is assumed at first: 1,000 rows a second.
  expect(waits.secondsFor('zzz')).toBeCloseTo(4, 1);
  expect(waits.secondsFor('tenant-500')).toBe(0);
  expect(waits.secondsFor('zzzz')).toBeCloseTo(4, 1);
  // On a slow machine, a second can pass before the estimate.
  const ofNewRows = async () => {
    await asAllTenantsStatement(database, sql`delete from outbox where tenant_id = 'zzzz'`);
    await rowsOf('zzzz', 4_000, 0);
    await waits.refresh();
    return waits.secondsFor('zzzz');
  };
  await expect.poll(ofNewRows).toBe(0);
});

test('at a start the wait is known before anybody leads; later it is unknown while nobody can publish', async () => {
  await rowsOf('zzz', 4_000);
  await asAllTenantsStatement(database, sql`update slots set owned_until = now() - interval '1 minute'`);
  const waits = createWaits(database);
  await waits.refresh();
  expect(waits.secondsFor('zzz')).toBeGreaterThanOrEqual(4);
  await waits.refresh();
  expect(waits.secondsFor('zzz')).toBe(0);
  expect((await renewSlots(database, { worker: 'test', canPublish: false, known: [] })).isWhole).toBe(true);
  await waits.refresh();
  expect(waits.secondsFor('zzz')).toBe(0);
});
