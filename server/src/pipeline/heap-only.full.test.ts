import { randomUUID } from 'node:crypto';
import { signedRequest, startNode, unlimited } from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, test, vi } from 'vitest';
import { openSession } from '../../test/support/open-pool.js';

const BATCHES = '/api/v1/open/downlink/command-batches';
const SUMMARY = '/api/v1/open/downlink/command-summary';

test('of the updates of commands, 95 of 100 write no index entry: the row and its changes fit their page', async () => {
  const postgres = await ownPostgres();
  const { demo } = await startNode({ ...unlimited, DATABASE_URL: postgres.url });
  for (let batch = 0; batch < 4; batch++) {
    const commands = Array.from({ length: 500 }, () => ({
      vendor: 'vendor_a',
      device_id: `ok-${randomUUID()}`,
      command_type: 'reboot',
      payload: {},
      idempotency_key: randomUUID(),
    }));
    const { raw, body } = await signedRequest(demo, 'POST', BATCHES, { body: { commands } });
    expect(body.items, raw).toHaveLength(500);
  }
  const within = { timeout: 120_000, interval: 200 };
  await vi.waitFor(async () => {
    const { body } = await signedRequest(demo, 'GET', SUMMARY);
    expect(body.counts.SUCCEEDED).toBe(2_000);
  }, within);
  const superuser = openSession(postgres.superuserUrl);
  const figures = async () => {
    const [row] = await superuser<{ updates: number; hot: number }[]>`
      select n_tup_upd::int as updates, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = 'commands'`;
    return row ?? { updates: 0, hot: 0 };
  };
  // Dispatched, begun, succeeded. Postgres counts late.
  await vi.waitFor(async () => expect((await figures()).updates).toBeGreaterThanOrEqual(2 * 2_000), within);
  const { updates, hot } = await figures();
  expect(hot / updates).toBeGreaterThanOrEqual(0.95);
});
