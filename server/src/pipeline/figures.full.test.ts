import { signedRequest } from '@tenant-open-platform/testing';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { startIdlePlatform } from '../../test/support/idle-platform.js';
import { openPool, openSession } from '../../test/support/open-pool.js';
import { purgeRound } from '../../test/support/owned-slots.js';
import { asAllTenants } from '../foundation/database/row-level-security.js';
import { newId } from '../foundation/ids.js';
import { logEvents } from './event-log.js';
import { rollUpFigures } from './figures.js';

const idle = await startIdlePlatform();
const owner = openSession(idle.superuserUrl);
const database = openPool(idle.databaseUrl, { max: 8 });
const { tenant_id } = idle.demo;
const OTHER_TENANT = 'other';

beforeEach(() => owner`delete from command_figures`);

const HOUR_MS = 3_600_000;

type Given = { tenantId?: string; vendor?: string; reason?: string; tookMs?: number };

/** Logs the end of commands in one transaction, as reports of adapters do. */
const end = (given: readonly Given[]) =>
  asAllTenants(database, (tx) =>
    logEvents(
      tx,
      given.map(({ tenantId = tenant_id, vendor = 'vendor_a', reason, tookMs = 0 }) => ({
        tenant_id: tenantId,
        command_id: newId(Date.now() - tookMs),
        event_type: 'command.completed',
        vendor,
        status: reason === undefined ? 'SUCCEEDED' : 'FAILED',
        reason,
      })),
    ),
  );

const figures = async (query = '') =>
  (await signedRequest(idle.demo, 'GET', `/api/v1/open/downlink/command-figures${query}`)).body;

const since = (hours: number) => `?completed_after=${new Date(Date.now() - hours * HOUR_MS).toISOString()}`;

const count = async () =>
  (
    await owner`select count(*)::int as rows, sum(total)::int as commands, sum((select sum(n) from unnest(numbers) as n))::int as timed
    from command_figures where tenant_id = ${tenant_id}`
  )[0];

test('commands that end in parallel transactions are all counted, in one row for each minute, outcome and reason', async () => {
  const batch = Array.from({ length: 60 }, (_, index): Given => {
    const tenantId = index % 3 === 0 ? OTHER_TENANT : tenant_id;
    return { tenantId, tookMs: index, ...(index % 2 === 0 ? {} : { reason: 'DEVICE_FAULT', vendor: 'vendor_b' }) };
  });
  await Promise.all(Array.from({ length: 40 }, () => end(batch)));
  expect(await figures()).toMatchObject({ total: 1_600, counts: { SUCCEEDED: 800, FAILED: 800 } });
  const [most] = await owner`
    select max(rows)::int as rows from (select count(*) as rows from command_figures group by tenant_id, hour, minute) as m`;
  // Of the succeeded ones, of the failed ones with the reason, and the durations of the failed ones.
  expect(most?.rows).toBe(3);
});

test('a transaction that is rolled back counts nothing, and a repeated accepted event neither', async () => {
  const rolledBack = asAllTenants(database, async (tx) => {
    const command_id = newId();
    await logEvents(tx, [
      { tenant_id, command_id, event_type: 'command.completed', vendor: 'v', status: 'FAILED', reason: undefined },
    ]);
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  const accepted = { tenant_id, command_id: newId(), event_type: 'command.accepted' } as const;
  for (const _ of [1, 2]) await asAllTenants(database, (tx) => logEvents(tx, [accepted]));
  expect(await figures()).toMatchObject({ total: 0 });
});

test('the time from acceptance to end is within 5 %', async () => {
  const from = Date.now();
  await end([200, 200, 200, 200, 200, 200, 200, 200, 200, 30_000].map((tookMs) => ({ tookMs })));
  // The commands end meanwhile.
  const laterMs = Date.now() - from;
  const { p50, p95, p99 } = (await figures()).duration_ms;
  for (const [found, tookMs] of [
    [p50, 200],
    [p95, 30_000],
    [p99, 30_000],
  ]) {
    expect(found).toBeGreaterThan(tookMs * 0.95);
    expect(found).toBeLessThan((tookMs + laterMs + 1) * 1.05);
  }
});

test('an adapter that makes up reasons adds 20 rows an hour, and the rest is counted together', async () => {
  const reasons = Array.from({ length: 90 }, (_, index) => `code ${String(index).padStart(2, '0')}`);
  for (let at = 0; at < reasons.length; at += 9) await end(reasons.slice(at, at + 9).map((reason) => ({ reason })));
  await end([
    { reason: 'code 00' },
    { reason: 'code 19' },
    { reason: 'code 89' },
    {},
    { tenantId: OTHER_TENANT, reason: 'x' },
  ]);
  const { groups, total } = await figures('?group_by=reason');
  expect(total).toBe(94);
  const named = groups.filter(({ is_other }: { is_other?: true }) => !is_other);
  // With the commands without a reason there are 21 values: the smallest is among the others.
  expect(named).toHaveLength(20);
  expect(named[0]).toMatchObject({ reason: 'code 00', total: 2 });
  expect(groups[0]).toMatchObject({ is_other: true, total: 94 - 22 });
  expect((await count())?.rows).toBeLessThanOrEqual(2 * 22);
  const names = await owner`select distinct reason from command_figures where tenant_id = ${tenant_id} and reason > ''`;
  expect(names).toHaveLength(20);
});

/** A row for each minute of the last `days` days and of five weeks ago, of two vendors. */
const fill = (days: number) => owner`
  insert into command_figures
  select ${tenant_id}, date_trunc('hour', minute, 'UTC'), '', false, vendor, 'SUCCEEDED',
    extract(minute from minute at time zone 'UTC'), 3, array[10, 20], array[1, 2]
  from generate_series(now() - make_interval(days => ${days}), now(), interval '1 minute') as minute
  cross join (values ('vendor_a'), ('vendor_b')) as named (vendor)
  union all
  select ${tenant_id}, date_trunc('hour', now(), 'UTC') - interval '35 days', '', false, 'vendor_a', 'SUCCEEDED', 7, 1, '{1}', '{1}'`;

async function pass(purge: ReturnType<typeof rollUpFigures>): Promise<number> {
  for (let total = 0; ; ) {
    const { removed, hasMore } = await purgeRound(database, purge);
    total += removed;
    if (!hasMore) return total;
  }
}

test('old minutes become hours, old hours become days, and nothing is counted twice or lost', async () => {
  await fill(6);
  const queries = [since(1), since(3), since(70), since(140), `${since(140)}&group_by=vendor`];
  const answers = () => Promise.all(queries.map(figures));
  const totals = (answer: { total: number; points: object[]; groups?: object[]; duration_ms: object }[]) =>
    answer.map(({ total, points, groups, duration_ms }) => ({ total, points, groups, duration_ms }));
  const before = totals(await answers());
  const commands = (await count())?.commands;
  // Three processes at the same time.
  const removed = await Promise.all([1, 2, 3].map(() => pass(rollUpFigures())));
  expect(removed.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(10_000);
  // A row that another process has just changed waits for the next pass.
  await pass(rollUpFigures());
  expect(totals(await answers())).toEqual(before);
  const after = await count();
  expect(after).toMatchObject({ commands: commands - 1, timed: commands - 1 });
  // Two vendors: 4 hours of minutes, 4 days of hours, 4 days.
  expect(after?.rows).toBeLessThanOrEqual(2 * (4 * 60 + 4 * 24 + 4 + 10));
  expect(await pass(rollUpFigures())).toBe(0);
});

test('a process makes one pass an hour', async () => {
  await fill(1);
  const purge = rollUpFigures();
  expect(await pass(purge)).toBeGreaterThan(0);
  await owner`update command_figures set minute = 60 where minute = 0`;
  expect(await purgeRound(database, purge)).toEqual({ removed: 0, hasMore: false });
});

test('the figures of a tenant that moves stay as they are: source and target have the same rows', async () => {
  await fill(1);
  const setStatus = (status: string) => owner`update tenants set status = ${status} where tenant_id = ${tenant_id}`;
  onTestFinished(async () => void (await setStatus('ACTIVE')));
  await setStatus('MOVING');
  expect(await pass(rollUpFigures())).toBe(0);
  await setStatus('ACTIVE');
  expect(await pass(rollUpFigures())).toBeGreaterThan(0);
});

test('the answer says since when it counts', async () => {
  const [start] = await owner`select counted_since from command_figures_start`;
  expect(await figures()).toMatchObject({ counted_since: start?.counted_since.toISOString() });
});
