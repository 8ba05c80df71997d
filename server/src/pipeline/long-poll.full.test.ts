import { signedRequest, startNode } from '@tenant-open-platform/testing';
import { ownPostgres } from '@tenant-open-platform/testing/private-postgres';
import { expect, test } from 'vitest';
import { openSession } from '../../test/support/open-pool.js';

const database = await ownPostgres();
const superuser = openSession(database.superuserUrl);

test('a waiting request queries the database a few times, however long it waits', async () => {
  const server = await startNode({
    DATABASE_URL: database.url,
    // This node only answers requests: neither relay nor sweepers run.
    ROLE: 'api',
  });
  const { demo } = server;
  const waiting = ['device-requests', 'events'];
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      signedRequest(demo, 'GET', `/api/v1/open/${waiting[index % waiting.length]}?wait_seconds=4`),
    ),
  );
  expect(answers.map(({ status, body }) => [status, body.items])).toEqual(answers.map(() => [200, []]));
  // A connection reports its statements when it is closed.
  await server.stop();
  const connections = () => superuser`select from pg_stat_activity where usename = 'platform'`;
  await expect.poll(connections).toHaveLength(0);
  const [read] = await superuser<{ times: number }[]>`
    select sum(seq_scan + coalesce(idx_scan, 0))::int as times
    from pg_stat_user_tables where relname in ('device_requests', 'events')`;
  // With a poll every two seconds each request queries three times; with 50 polls a second, 200 times.
  expect(read?.times).toBeGreaterThan(0);
  expect(read?.times).toBeLessThan(answers.length * 10);
});
