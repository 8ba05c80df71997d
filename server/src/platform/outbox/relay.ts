import type { Logger } from 'pino';
import type postgres from 'postgres';
import type { Database } from '../database/database.js';
import { asSystem } from '../database/roles.js';
import { everyTime } from '../every-time.js';
import { newId } from '../new-id.js';
import { type Signals, topics } from '../signals/signals.js';
import type { Metrics } from '../telemetry/metrics.js';
import { type OutboxRow, type Outlet, publishRows } from './publish-rows.js';

type RelayOptions = Outlet & { signals: Signals; logger: Logger; metrics: Metrics };

const LEASE_SECONDS = 5;
const RENEW_AFTER_MS = 1_000;
const BATCH = 256;
/** A node that does not hold the lease asks for it so often; a leader without work looks so often should a signal get lost. */
const LOOK_AGAIN_MS = 500;

type Lease = { holder: string; epoch: string };

/**
 * Publishes the outbox in its order. One node of all does, the holder of a lease: reading and marking need the lease's
 * epoch, so one that lost it in between publishes the same messages under the same ids again, and marks nothing.
 */
export function startRelay({ signals, logger, metrics, ...outlet }: RelayOptions) {
  const { database, bus } = outlet;
  const holder = newId();
  let lease: Lease | null = null;
  let askAgainAt = 0;
  /** All below this transaction is published. Without it a look would pass over all that was since the last vacuum. */
  let from = '0';
  const relaying = everyTime(LOOK_AGAIN_MS, { signals, topic: topics.outbox, logger, name: 'relay' }, async () => {
    // Before anything is committed as handed out, and the lease is left to a node whose bus answers.
    if (bus.unreadyReason() !== null) return 'WAIT';
    const now = performance.now();
    // Not at every signal: each node that follows would lock the leader's lease.
    if (now >= askAgainAt) {
      const taken = await takeLease(database, holder);
      if (taken?.epoch !== lease?.epoch) from = '0';
      lease = taken;
      askAgainAt = now + (lease ? RENEW_AFTER_MS : LOOK_AGAIN_MS);
    }
    if (!lease) return 'WAIT';
    const unpublished = await nextRows(database, lease, from);
    const rows = unpublished.filter(({ is_settled }) => is_settled);
    // Nobody signals when the transaction ends that holds the others back.
    if (rows.length === 0) return unpublished.length > 0 ? 'SOON' : 'WAIT';
    const { refusals } = await publishRows(outlet, rows).catch((error: unknown) => {
      metrics.countPublishFailure('REPEATED');
      throw error;
    });
    for (const { message, reason } of refusals) {
      metrics.countPublishFailure('PARKED');
      logger.error({ subject: message.subject, id: message.id, reason }, 'a message for the bus is refused');
    }
    await markPublished(database, rows, lease);
    from = rows.at(-1)?.last_tx ?? from;
    return 'AGAIN';
  });
  return {
    async stop(): Promise<void> {
      await relaying.stop();
      await releaseLease(database, holder);
    },
  };
}

async function takeLease(database: Database, holder: string): Promise<Lease | null> {
  const [lease] = await asSystem<Lease>(
    database,
    (sql) => sql<Lease[]>`
      insert into relay_lease (name, holder, epoch, expires_at)
      values ('outbox', ${holder}, 1, now() + make_interval(secs => ${LEASE_SECONDS}))
      on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at, tx = excluded.tx,
        epoch = relay_lease.epoch + case when relay_lease.holder = excluded.holder then 0 else 1 end
      where relay_lease.holder = excluded.holder or relay_lease.expires_at < now()
      returning holder, epoch::text`,
  );
  return lease ?? null;
}

/** The next leader need not wait until it expires. */
const releaseLease = (database: Database, holder: string) =>
  asSystem(
    database,
    (sql) => sql`update relay_lease set expires_at = now() - interval '1 second' where holder = ${holder}`,
  ).catch(() => {});

type NextRow = OutboxRow & { last_tx: string; is_settled: boolean };

/**
 * Settled is what is below the oldest transaction under way: what commits late comes in its place, not behind what
 * passed it.
 */
const nextRows = (database: Database, lease: Lease, from: string) =>
  asSystem<NextRow>(
    database,
    (sql) => sql<NextRow[]>`
      select tenant_id, fact_id, kind, tx::text as last_tx, tx < pg_snapshot_xmin(pg_current_snapshot()) as is_settled
      from outbox
      where published_at is null and tx >= ${from}::text::xid8 and ${isHeld(sql, lease)}
      order by tx, fact_id, kind
      limit ${BATCH}`,
  );

const markPublished = (database: Database, rows: readonly OutboxRow[], lease: Lease) =>
  asSystem(
    database,
    (sql) => sql`
      update outbox set published_at = now()
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as given (tenant_id text, fact_id uuid, kind text)
      where outbox.tenant_id = given.tenant_id and outbox.fact_id = given.fact_id and outbox.kind = given.kind
        and ${isHeld(sql, lease)}`,
  );

const isHeld = (sql: postgres.Sql, { holder, epoch }: Lease) =>
  sql`exists (select from relay_lease where name = 'outbox' and holder = ${holder} and epoch = ${epoch}::bigint)`;
