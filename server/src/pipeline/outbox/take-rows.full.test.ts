import { sql } from 'drizzle-orm';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startIdlePlatform } from '../../../test/support/idle-platform.js';
import { openPool } from '../../../test/support/open-pool.js';
import type { Transaction } from '../../foundation/database/database.js';
import { asAllTenants, asAllTenantsStatement } from '../../foundation/database/row-level-security.js';
import { planSettings } from '../../foundation/database/session-settings.js';
import { allSlots } from '../../foundation/slots.js';
import { BATCH, createPasses, takeRows, takeRowsFrom } from './take-rows.js';

const platform = await startIdlePlatform();
const database = openPool(platform.databaseUrl, { connection: planSettings });

beforeEach(() => asAllTenantsStatement(database, sql`delete from outbox`));

const newRows = (tenants: number, rowsOfEach: number) =>
  asAllTenantsStatement(
    database,
    sql`
    insert into outbox (tenant_id, kind, fact_id)
    select 'tenant-' || tenant, 'COMMAND_ACCEPTED', gen_random_uuid()
    from generate_series(1, ${tenants}::int) as tenant, generate_series(1, ${rowsOfEach}::int)`,
  );

/** The pages that a statement reads. */
async function pagesOf(take: (tx: Transaction) => Promise<unknown>): Promise<number> {
  let pages = Number.NaN;
  await asAllTenants(database, (tx) =>
    take({
      async execute(statement: Parameters<Transaction['execute']>[0]) {
        const [row] = await tx.execute<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
          sql`explain (analyze, buffers, format json) ${statement}`,
        );
        const plan = row?.['QUERY PLAN'][0]?.Plan ?? {};
        pages = Number(plan['Shared Hit Blocks']) + Number(plan['Shared Read Blocks']);
        return [];
      },
    } as unknown as Transaction),
  );
  return pages;
}

test('a quick pass does not read the rows that have left, while an old transaction keeps them in the table', async () => {
  await newRows(1, 1);
  await database.sql.begin('isolation level repeatable read', async (old) => {
    await old`select from outbox`;
    await newRows(1, 50_000);
    await asAllTenantsStatement(database, sql`delete from outbox`);
    await newRows(1, 10);
    const passes = createPasses();
    const leftOut = { inFlight: [], paused: [], slots: allSlots };
    const full = await asAllTenants(database, (tx) => passes.take(tx, leftOut));
    expect([full.isQuick, full.rows.length]).toEqual([false, 10]);
    // The old transaction has its effect.
    expect(await pagesOf((tx) => passes.take(tx, leftOut))).toBeGreaterThan(1_000);
    // Quick passes follow for a time that depends on this duration. Here it does not end, however slow the machine is.
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    passes.committed({ ...full, tookMs: 1_000 });
    expect(await asAllTenants(database, (tx) => passes.take(tx, leftOut))).toMatchObject({
      rows: full.rows,
      after: '',
    });
    expect(await pagesOf((tx) => passes.take(tx, leftOut))).toBeLessThan(300);
  });
});

test('a quick pass does not read all rows if the outbox was nearly empty when it was vacuumed', async () => {
  await newRows(1, 5_000);
  await asAllTenantsStatement(database, sql`delete from outbox where position < (select max(position) from outbox)`);
  // The last row keeps the pages: by these statistics there is one row in all of them. An older transaction, such as
  // one of autovacuum, keeps dead rows.
  await vi.waitFor(
    async () => {
      await database.sql`vacuum analyze outbox`;
      expect(
        await pagesOf((tx) => takeRows(tx, { after: '', inFlight: [], paused: [], slots: allSlots })),
      ).toBeLessThan(10);
    },
    { timeout: 60_000 },
  );
  await newRows(1, 10_000);
  const { rows } = await asAllTenants(database, (tx) =>
    takeRows(tx, { after: '', inFlight: [], paused: [], slots: allSlots }),
  );
  const positions = new Map([['tenant-1', rows[0]?.position ?? '']]);
  expect(
    await pagesOf((tx) => takeRowsFrom(tx, positions, { inFlight: [], paused: [], slots: allSlots })),
  ).toBeLessThan(50);
});

test('paused tenants take no share of a batch from the other tenants', async () => {
  await newRows(100, BATCH);
  const held = Array.from({ length: 99 }, (_, index) => `tenant-${index + 1}`);
  const { rows } = await asAllTenants(database, (tx) =>
    takeRows(tx, { after: '', inFlight: [], paused: held, slots: allSlots }),
  );
  expect(rows.map(({ tenant_id }) => tenant_id)).toEqual(new Array(BATCH).fill('tenant-100'));
});

test('in a quick pass too, paused tenants get no rows and take no share of a batch', async () => {
  await newRows(2, BATCH);
  const passes = createPasses();
  const take = (paused: string[]) =>
    asAllTenants(database, (tx) => passes.take(tx, { inFlight: [], paused, slots: allSlots }));
  const full = await take([]);
  // Quick passes follow, however slow the machine is.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  passes.committed({ ...full, tookMs: 1_000 });
  const { isQuick, rows } = await take(['tenant-1']);
  expect(isQuick).toBe(true);
  expect(rows.map(({ tenant_id }) => tenant_id)).toEqual(new Array(BATCH).fill('tenant-2'));
});

test('where 5,000 tenants wait, a pass reads a bounded number of pages, and 20 passes reach each tenant', async () => {
  const TENANTS = 5_000;
  await newRows(TENANTS, 3);
  const reached: string[] = [];
  let after = '';
  do {
    const turn = { after, inFlight: [], paused: [], slots: allSlots };
    expect(await pagesOf((tx) => takeRows(tx, turn))).toBeLessThan(20 * BATCH);
    const taken = await asAllTenants(database, (tx) => takeRows(tx, turn));
    reached.push(...taken.rows.map(({ tenant_id }) => tenant_id));
    after = taken.after;
  } while (after !== '');
  expect(new Set(reached).size).toBe(TENANTS);
  // A tenant gets a second row only in the last pass, which is not full.
  expect(reached.length).toBeLessThanOrEqual(Math.ceil(TENANTS / BATCH) * BATCH);
});
