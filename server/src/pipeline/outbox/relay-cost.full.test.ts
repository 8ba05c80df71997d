import { sql } from 'drizzle-orm';
import type postgres from 'postgres';
import { beforeEach, expect, test } from 'vitest';
import { type IdlePlatform, startIdlePlatform } from '../../../test/support/idle-platform.js';
import { openPool, openSession } from '../../../test/support/open-pool.js';
import { silent } from '../../../test/support/silent.js';
import type { Database, Transaction } from '../../foundation/database/database.js';
import { localSignals } from '../../foundation/signals/signals.js';
import { allSlots } from '../../foundation/slots.js';
import { asOwner, renewSlots } from '../slots/slot-owner.js';
import { createDispatch } from './dispatch.js';
import { deleteRows, takeRows, takeRowsFrom } from './take-rows.js';

let platform: IdlePlatform;
let database: Database;
let superuser: postgres.Sql;

beforeEach(async () => {
  platform = await startIdlePlatform();
  database = openPool(platform.databaseUrl);
  superuser = openSession(platform.superuserUrl);
  await superuser`alter table commands set (autovacuum_enabled = false)`;
  await superuser`alter table outbox set (autovacuum_enabled = false)`;
});

/** Commands that wait to leave, with their outbox rows. */
const wait = (count: number) => superuser`
  with accepted as (
    insert into commands (
      tenant_id, command_id, idempotency_key, vendor, device_id, command_type, payload,
      timeout_seconds, status, adapter_status, device_execution_status, accepted_at, deadline_at, updated_at,
      created_by_client_id, request_id
    )
    select 'demo', gen_random_uuid(), gen_random_uuid(), 'vendor_a', 'd-1', 'reboot', '{}', 300, 'ACCEPTED',
      'PENDING', 'NOT_STARTED', now(), now() + interval '1 hour', now(), ${platform.demo.client_id}, 'r'
    from generate_series(1, ${count})
    returning tenant_id, command_id
  )
  insert into outbox (tenant_id, kind, fact_id) select tenant_id, 'COMMAND_ACCEPTED', command_id from accepted`;

type Plan = { 'QUERY PLAN': [{ Plan: { 'Shared Hit Blocks': number; 'Shared Read Blocks': number } }] };

/** How many pages a batch of the relay reads and writes, from taking the outbox rows to deleting them. */
async function pagesOfBatch(): Promise<number> {
  const { owned, isWhole } = await renewSlots(database, { worker: 'test', canPublish: true, known: [] });
  if (!isWhole) throw new Error('Another node relays.');
  let pages = 0;
  await asOwner(database, 'test', owned, async (tx) => {
    const explaining = {
      async execute(query: ReturnType<typeof sql>) {
        const [row] = (await tx.execute(sql`explain (analyze, buffers, format json) ${query}`)) as unknown as Plan[];
        const { Plan: plan } = (row as Plan)['QUERY PLAN'][0];
        pages += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
        return [];
      },
    } as unknown as Transaction;
    const turn = { after: '', inFlight: [], paused: [], slots: allSlots };
    const { rows } = await takeRows(tx, turn);
    expect(rows).toHaveLength(256);
    await takeRows(explaining, turn);
    await takeRowsFrom(explaining, new Map([['demo', rows[0]?.position ?? '']]), {
      inFlight: [],
      paused: [],
      slots: allSlots,
    });
    await createDispatch({ ...silent(), signals: localSignals() }).prepare(explaining, rows);
    await deleteRows(explaining, rows);
  });
  return pages;
}

/** Every deadline has passed when the tables are analyzed, so the planner then believes that no command is waiting. */
async function analyzeWithoutWaiting(): Promise<void> {
  await wait(20_000);
  await superuser`update commands set deadline_at = now() - interval '1 minute'`;
  await superuser`delete from outbox`;
  await superuser`vacuum analyze commands, outbox`;
}

test.each([
  ['without statistics of the tables', async () => {}],
  ['with statistics from before the commands', analyzeWithoutWaiting],
])(
  'a relay batch costs no more with 100,000 waiting commands than with 2,000, %s',
  async (_, prepareStatistics) => {
    await prepareStatistics();
    await wait(2_000);
    const few = await pagesOfBatch();
    await wait(98_000);
    const many = await pagesOfBatch();
    // Each of the 256 rows descends indexes that are one level deeper.
    expect(many).toBeLessThan(few * 2);
  },
  120_000,
);
