import { expect, onTestFinished, test, vi } from 'vitest';
import { startIdlePlatform } from '../../../test/support/idle-platform.js';
import { openPool } from '../../../test/support/open-pool.js';
import { purgeRound } from '../../../test/support/owned-slots.js';
import { purgeNonces } from './admission.js';

/** A number that no credential has. */
const NOBODY = -2;

test('all expired nonces are deleted, and no nonce that has not expired', async () => {
  const { sql, close } = openPool();
  onTestFinished(close);
  await sql`
    insert into nonces
    select ${NOBODY}::bigint, decode(md5(number::text), 'hex'),
      case number when 0 then now() + interval '1 hour' else now() - interval '1 second' end
    from generate_series(0, 12000) as number`;
  const left = async () => {
    const [row] = await sql<{ total: number; alive: number }[]>`
      select count(*)::int as total, (count(*) filter (where expires_at > now()))::int as alive
      from nonces where credential_number = ${NOBODY}::bigint`;
    return row;
  };
  await expect.poll(left).toEqual({ total: 1, alive: 1 });
});

test("a nonce that has expired only by the database's clock stays: a request could be replayed once the clock is back", async () => {
  const idle = await startIdlePlatform();
  const database = openPool(idle.databaseUrl);
  await database.sql`
    insert into nonces values (${NOBODY}::bigint, decode(md5('1'), 'hex'), now() - interval '10 minutes')`;
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
  onTestFinished(() => void vi.useRealTimers());
  expect(await purgeRound(database, purgeNonces())).toEqual({ removed: 0, hasMore: false });
  vi.useRealTimers();
  expect(await purgeRound(database, purgeNonces())).toEqual({ removed: 1, hasMore: false });
});
