import { lastKnown, shared } from '../foundation/concurrency/shared-reads.js';
import type { Database } from '../foundation/database/database.js';
import { asAllTenantsStatement } from '../foundation/database/row-level-security.js';
import { fixedSql, statement } from '../foundation/database/statement.js';
import type { Metrics } from '../foundation/telemetry/metrics.js';
import { FURTHEST_END_SECONDS } from './slots/slot-owner.js';

type Backlog = { rows: number; oldestSeconds: number; events: number; oldestEventSeconds: number };
/** `closedSince`: since when (Unix seconds) each tenant is closed that moves away from here. */
type Seen = Backlog & { closedSince: Record<string, number> };

/** The count stops at this number, so the query costs the same however many rows wait. */
const COUNTED = 10_000;
/** The oldest row is read for at most this many waiting tenants. */
const TENANTS = 1_000;
const CLOSED_TENANTS = 100;

/**
 * The oldest row of each waiting tenant is found by skipping from tenant to tenant in the index, so the cost depends on
 * the number of waiting tenants, not of waiting rows.
 */
const unpublished = statement(
  'backlog: unpublished',
  () => fixedSql`
    with recursive waiting_tenant (tenant_id, number) as (
      (select tenant_id, 1 from outbox order by tenant_id limit 1)
      union all
      select
        (select tenant_id from outbox where tenant_id > waiting_tenant.tenant_id order by tenant_id limit 1), number + 1
      from waiting_tenant where tenant_id is not null and number < ${TENANTS}
    ), oldest as (
      select created_at from waiting_tenant cross join (values (true), (false)) as part (is_logged)
      cross join lateral (
        select created_at from outbox
        where tenant_id = waiting_tenant.tenant_id and outbox.is_logged = part.is_logged order by position limit 1
      ) as first
    ), unpublished_event as (
      select next.logged_at from slots cross join lateral (
        select logged_at from slot_events_v1(slots.slot, published_seq)
        order by tenant_slot_v1(tenant_id), seq limit ${COUNTED}
      ) as next
      limit ${COUNTED}
    ), closed as (
      select tenant_id, extract(epoch from (move ->> 'closed_at')::timestamptz)::float8 as since from tenants
      where status = 'MOVING' and move ->> 'closed_at' is not null order by tenant_id limit ${CLOSED_TENANTS}
    )
    select
      (select coalesce(json_object_agg(tenant_id, since), '{}') from closed) as "closedSince",
      (select count(*)::int from (select from outbox order by tenant_id limit ${COUNTED}) as counted) as rows,
      (select greatest(0, extract(epoch from max(now() - created_at)))::float8 from oldest) as "oldestSeconds",
      (select count(*)::int from unpublished_event) as events,
      (select greatest(0, extract(epoch from max(now() - logged_at)))::float8 from unpublished_event) as "oldestEventSeconds"`,
);

/** How many outbox rows and how many events wait to be published, how long the oldest has waited, and who is closed. */
export async function readBacklog(database: Database): Promise<Seen> {
  const [backlog] = await asAllTenantsStatement<Seen>(database, unpublished());
  if (!backlog) throw new Error('The backlog was not read.');
  return backlog;
}

/** The backlog belongs to the whole platform: every process reports it, also when no worker is running. */
export function reportBacklog(database: Database, metrics: Metrics): void {
  const backlog = shared(() => readBacklog(database), { forMs: 0 });
  const add = (name: string, help: string, value: keyof Backlog) =>
    metrics.addGauge(name, help, async () => (await backlog())[value]);
  add('top_outbox_unpublished', 'Outbox rows that wait to be published, counted up to 10000.', 'rows');
  add('top_outbox_oldest_unpublished_seconds', 'Seconds that the oldest outbox row has waited.', 'oldestSeconds');
  add('top_events_unpublished', 'Events of the log that wait to be published, counted up to 10000.', 'events');
  add(
    'top_events_oldest_unpublished_seconds',
    'Seconds that the oldest of these events has waited.',
    'oldestEventSeconds',
  );
  metrics.addGaugeOfTenants(
    'top_tenant_closed_since_seconds',
    'Unix time since which a tenant is closed that moves to another platform, counted up to 100 tenants.',
    async () => (await backlog()).closedSince,
  );
}

/** At most this many waiting tenants are read. Further tenants count as tenants that do not wait. */
const WAITING_TENANTS = 2_000;
/** A tenant waits if its oldest row is older than this. The pace of other tenants is only that of their requests. */
const WAITING_SECONDS = 1;
/** The pace of a tenant that begins to wait. It counts as one reading. */
const ASSUMED_ROWS_PER_SECOND = 1_000;
const LEAST_ROWS_PER_SECOND = 1;
/** The relay works in batches, so the pace is a mean over about this many readings. */
const READINGS = 10;
const READ_EVERY_MS = 500;
/** Queues are read only while requests arrive. An older estimate must not refuse a request. */
const VALID_MS = 10_000;

/** The outbox positions of the oldest and of the newest row of a tenant that waits. */
type Queue = { first: number; last: number };

/** A tenant's queue, and the pace in positions per second at which its oldest row moves on. */
export type PacedQueue = Queue & { pace: number; readings: number };

/**
 * Measures the pace of the queues. `before` are the queues of the last reading, `seconds` ago. The outbox numbers its
 * rows. So a tenant's newest row waits for the distance to its oldest row, divided by the pace of the oldest row. No
 * rows are counted. The pace of a tenant includes the turns of all other tenants.
 */
export function measurePace(
  before: ReadonlyMap<string, PacedQueue>,
  queues: ReadonlyMap<string, Queue>,
  seconds: number,
): Map<string, PacedQueue> {
  return new Map(
    [...queues].map(([tenantId, queue]) => {
      const then = before.get(tenantId);
      if (!then) return [tenantId, { ...queue, pace: ASSUMED_ROWS_PER_SECOND, readings: 1 }];
      const readings = Math.min(then.readings + 1, READINGS);
      const measured = Math.max(0, queue.first - then.first) / seconds;
      return [tenantId, { ...queue, pace: then.pace + (measured - then.pace) / readings, readings }];
    }),
  );
}

export const secondsOf = ({ first, last, pace }: PacedQueue) => (last - first) / Math.max(pace, LEAST_ROWS_PER_SECOND);

/**
 * How many seconds a new command of a tenant would wait in the outbox, as this process saw it last. Asking never waits
 * for the database. While no worker can publish, nothing is known: commands are accepted, and leave when the bus is back.
 */
export function createWaits(database: Database) {
  let paced: ReadonlyMap<string, PacedQueue> = new Map();
  let at = 0;
  let isStarting = true;
  const known = lastKnown(
    async () => {
      const queues = await readQueues(database, isStarting);
      isStarting = false;
      const now = performance.now();
      paced = measurePace(paced, queues, (now - at) / 1_000);
      at = now;
      return paced;
    },
    {
      unknown: new Map<string, PacedQueue>() as ReadonlyMap<string, PacedQueue>,
      everyMs: READ_EVERY_MS,
      validMs: VALID_MS,
    },
  );
  return {
    secondsFor(tenantId: string): number {
      const queue = known.value().get(tenantId);
      return queue ? secondsOf(queue) : 0;
    },
    /** Call it before the first request: rows may wait already. It needs no worker, which may be starting, too. */
    refresh: known.refresh,
  };
}

export type Waits = ReturnType<typeof createWaits>;

/**
 * The queues of the tenants that wait. None while no worker can publish, unless `evenWithoutOwner`. The next owner takes
 * a slot whose time is over within a second.
 */
const waitingQueues = statement(
  'backlog: queues of waiting tenants',
  (evenWithoutOwner: boolean) => fixedSql`
    with recursive waiting_tenant (tenant_id, number) as (
      (
        select tenant_id, 1 from outbox
        where ${evenWithoutOwner} or exists (
          select from slots where can_publish
            and owned_until between now() - interval '2 seconds' and now() + make_interval(secs => ${FURTHEST_END_SECONDS})
        )
        order by tenant_id limit 1
      )
      union all
      select
        (select tenant_id from outbox where tenant_id > waiting_tenant.tenant_id order by tenant_id limit 1), number + 1
      from waiting_tenant where tenant_id is not null and number < ${WAITING_TENANTS}
    ), oldest (tenant_id, position, created_at) as (
      select tenant_id, min(position), min(created_at)
      from waiting_tenant cross join (values (true), (false)) as part (is_logged)
      cross join lateral (
        select position, created_at from outbox
        where tenant_id = waiting_tenant.tenant_id and outbox.is_logged = part.is_logged order by position limit 1
      ) as first
      group by tenant_id
    )
    select tenant_id, position::float8 as first, greatest(
      (select position from outbox where tenant_id = oldest.tenant_id and is_logged order by position desc limit 1),
      (select position from outbox where tenant_id = oldest.tenant_id and not is_logged order by position desc limit 1)
    )::float8 as last
    from oldest where created_at < now() - make_interval(secs => ${WAITING_SECONDS})`,
);

async function readQueues(database: Database, evenWithoutOwner: boolean): Promise<Map<string, Queue>> {
  const rows = await asAllTenantsStatement<{ tenant_id: string } & Queue>(database, waitingQueues(evenWithoutOwner));
  return new Map(rows.map(({ tenant_id, first, last }) => [tenant_id, { first, last }]));
}
