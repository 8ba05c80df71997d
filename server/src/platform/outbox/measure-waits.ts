import { sql } from 'drizzle-orm';
import type { Database } from '../database/database.js';
import { asAllTenants, asAllTenantsStatement } from '../database/roles.js';
import { asLeader, type Lease } from './lease.js';
import { BATCH } from './take-rows.js';
import { NO_WAITS, type Waits, waitsOf } from './waits.js';

/** At most this many waiting rows of a tenant are counted, so that counting stays cheap. */
const COUNTED = 100_000;
/** At most this many tenants are counted. The estimate takes further tenants for tenants that do not wait. */
const TENANTS = 2_000;
/** The rate assumed for a relay that has been idle. It counts as the first interval. */
const ASSUMED_ROWS_PER_SECOND = 1_000;
/** The rate is the mean of this many intervals in which the relay was busy. */
const INTERVALS = 10;
/** Counting takes at most this share of the time, but an estimate must not expire in between. */
const SHARE_OF_TIME = 0.05;
const LONGEST_PAUSE_MS = 2_000;
const LEAST_ROWS_PER_SECOND = 1;

/**
 * Estimates how long new commands would wait and stores the estimate where every node reads it. `left` returns how many
 * rows have left; `updatesLagMs` returns how long the updates handled now have waited.
 */
export function createWaitMeter(
  database: Database,
  { left, updatesLagMs }: { left(): number; updatesLagMs(): number },
) {
  let paces = [ASSUMED_ROWS_PER_SECOND];
  /** The last interval; null after this node could not relay, because its rate is then unknown. */
  let before: { at: number; left: number; waiting: number } | null = null;
  let epoch = '';
  let stored = JSON.stringify(NO_WAITS);
  let countAgainAt = 0;

  return async (lease: Lease, canPublish: boolean): Promise<void> => {
    const startedAt = performance.now();
    if (startedAt < countAgainAt) return;
    const waiting = await countWaiting(database);
    const took = performance.now() - startedAt;
    countAgainAt = performance.now() + Math.min(LONGEST_PAUSE_MS, took * (1 / SHARE_OF_TIME - 1));
    if (!canPublish || lease.epoch !== epoch) {
      before = null;
      paces = [ASSUMED_ROWS_PER_SECOND];
      epoch = lease.epoch;
    }
    const now = { at: performance.now(), left: left(), waiting: sum([...waiting.values()]) };
    if (before) {
      const pace = ((now.left - before.left) * 1_000) / (now.at - before.at);
      // The relay's rate is known only for an interval in which it was always busy.
      const wasBusy = before.waiting > BATCH && now.waiting > BATCH;
      paces = wasBusy ? [...paces, pace].slice(-INTERVALS) : [ASSUMED_ROWS_PER_SECOND];
    }
    const rowsPerSecond = Math.max(sum(paces) / paces.length, LEAST_ROWS_PER_SECOND);
    before = canPublish ? now : null;
    // Without the bus the delay is unknown: commands are accepted and leave when it is back.
    const waits: Waits = canPublish
      ? { tenants: waitsOf(waiting, rowsPerSecond), updates: Math.round(updatesLagMs() / 100) / 10 }
      : NO_WAITS;
    const json = JSON.stringify(waits);
    if (json === stored && json === JSON.stringify(NO_WAITS)) return;
    await asLeader(database, lease, (tx) =>
      tx.execute(sql`
        update relay_lease set waits = ${json}::text::jsonb, waits_measured_at = now() where name = 'outbox'`),
    );
    stored = json;
  };
}

/** The number of waiting outbox rows per tenant. */
async function countWaiting(database: Database): Promise<Map<string, number>> {
  const rows = await asAllTenants(database, (tx) =>
    tx.execute<{ tenant_id: string; rows: number }>(sql`
      with recursive waiting (tenant_id, number) as (
        (select tenant_id, 1 from outbox order by tenant_id limit 1)
        union all
        select
          (select tenant_id from outbox where tenant_id > waiting.tenant_id order by tenant_id limit 1), number + 1
        from waiting where tenant_id is not null and number < ${TENANTS}
      )
      select tenant_id, (
        select count(*)::int from (
          select from outbox where outbox.tenant_id = waiting.tenant_id limit ${COUNTED}
        ) as of_tenant
      ) as rows
      from waiting where tenant_id is not null`),
  );
  return new Map(rows.map(({ tenant_id, rows }) => [tenant_id, rows]));
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);

const READ_AGAIN_MS = 500;
/** An older estimate is ignored: no node relays. */
const VALID_SECONDS = 5;

/**
 * Returns how many seconds a new command of a tenant would take to leave and its result to be handled, by the last
 * estimate that this node has read. It never waits: the estimate is refreshed in the background.
 */
export function createWaitReader(database: Database): (tenantId: string) => number {
  let waits = NO_WAITS;
  let askedAt = Number.NEGATIVE_INFINITY;
  let readAt = Number.NEGATIVE_INFINITY;

  async function read(): Promise<void> {
    const [row] = await asAllTenantsStatement<{ waits: Waits }>(
      database,
      (sql) => sql<{ waits: Waits }[]>`
        select waits from relay_lease
        where name = 'outbox' and waits_measured_at > now() - make_interval(secs => ${VALID_SECONDS})`,
    );
    waits = row?.waits ?? NO_WAITS;
    readAt = performance.now();
  }

  return (tenantId) => {
    const now = performance.now();
    if (now - askedAt >= READ_AGAIN_MS) {
      askedAt = now;
      // Keep the last estimate: the request itself finds out whether the database answers.
      read().catch(() => {});
    }
    // After a time without requests the last estimate is old and must not refuse the first request.
    if (now - readAt > VALID_SECONDS * 1_000) return 0;
    return (waits.tenants[tenantId] ?? 0) + waits.updates;
  };
}
