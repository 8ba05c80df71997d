import { setTimeout as delay } from 'node:timers/promises';
import { startNode } from '@tenant-open-platform/testing';
import { ownNats } from '@tenant-open-platform/testing/private-nats';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import connect from 'postgres';
import { expect, onTestFinished, test, vi } from 'vitest';

const SECONDS = 15;

test('a node that has nothing to do makes at most four transactions a second', { timeout: 180_000 }, async () => {
  const [postgres, nats] = await Promise.all([ownPostgres(), ownNats()]);
  await startNode({ DATABASE_URL: postgres.url, NATS_URL: nats.url });
  const database = new URL(postgres.url).pathname.slice(1);
  const superuser = connect(postgres.superuserUrl, { max: 1 });
  onTestFinished(() => superuser.end());
  const count = async () => {
    const [{ transactions } = { transactions: 0 }] = await superuser<{ transactions: number }[]>`
      select (xact_commit + xact_rollback)::int as transactions from pg_stat_database where datname = ${database}`;
    return transactions;
  };
  /** In this time, or in as much more as a slow machine takes for it. */
  const perSecond = async (seconds: number) => {
    const [from, before] = [performance.now(), await count()];
    expect(before).toBeGreaterThan(0);
    await delay(seconds * 1_000);
    const more = (await count()) - before;
    return more / ((performance.now() - from) / 1_000);
  };
  // Statistics of what the start did arrive within some seconds, on a slow machine later.
  await delay(10_000);
  await vi.waitFor(async () => expect(await perSecond(SECONDS)).toBeLessThanOrEqual(4), { timeout: 120_000 });
});
