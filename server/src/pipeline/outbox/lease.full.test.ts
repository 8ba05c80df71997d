import { sql } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { startIdlePlatform } from '../../../test/support/idle-platform.js';
import { openPool } from '../../../test/support/open-pool.js';
import { asAllTenantsStatement } from '../../foundation/database/row-level-security.js';
import { asLeader, type Lease, LeaseLost, takeLease } from './lease.js';

/** No relay runs here. */
const platform = await startIdlePlatform();
const database = openPool(platform.databaseUrl);

test('a node that takes over the lease waits for a transaction of the leader, which changes nothing afterwards', async () => {
  const lease = (await takeLease(database, 'leader', true)) as Lease;
  await asAllTenantsStatement(database, sql`update relay_lease set expires_at = now() - interval '1 second'`);
  const { first, taking } = await asLeader(database, lease, async (tx) => {
    const [{ pid } = { pid: 0 }] = await tx.execute<{ pid: number }>(sql`select pg_backend_pid() as pid`);
    const taking = takeLease(database, 'successor', true);
    const waits = vi.waitFor(
      async () => {
        const waiting = await database.sql`select from pg_stat_activity where ${pid} = any (pg_blocking_pids(pid))`;
        expect(waiting).toHaveLength(1);
      },
      { timeout: 20_000 },
    );
    return { first: await Promise.race([waits.then(() => 'it waits'), taking.then(() => 'it leads')]), taking };
  });
  expect([first, (await taking)?.holder]).toEqual(['it waits', 'successor']);
  await expect(asLeader(database, lease, async () => {})).rejects.toThrow(LeaseLost);
});
