import type { Logger } from 'pino';
import type { Bus, Message } from '../bus/bus.js';
import type { Database } from '../database/database.js';
import { asSystem } from '../database/roles.js';
import { everyTime } from '../every-time.js';
import { newId } from '../new-id.js';
import { type Signals, topics } from '../signals/signals.js';

export type OutboxRow = { tenant_id: string; fact_id: string; kind: string };

/**
 * Commits what must be so before publishing, and answers for each row, in their order, the messages that it stands for:
 * none where it is of a kind that another function knows.
 */
export type MessagesByRow = (rows: readonly OutboxRow[]) => Promise<Message[][]>;

type RelayOptions = {
  database: Database;
  bus: Bus;
  signals: Signals;
  messagesByRow: readonly MessagesByRow[];
  logger: Logger;
};

const LEASE_SECONDS = 5;
const BATCH = 256;
/** A node that does not hold the lease asks for it so often; a leader without work looks so often should a signal get lost. */
const LOOK_AGAIN_MS = 500;

/**
 * Publishes the outbox in its order. One node of all does, the holder of a lease: marking needs the lease's epoch, so
 * one that lost it without knowing publishes the same messages under the same ids again, and marks nothing.
 */
export function startRelay({ database, bus, signals, messagesByRow, logger }: RelayOptions) {
  const holder = newId();
  let followsUntil = 0;
  return everyTime(LOOK_AGAIN_MS, { signals, topic: topics.outbox, logger, name: 'relay' }, async () => {
    // Every signal of every node would have each that follows lock the leader's lease.
    if (performance.now() < followsUntil) return 'WAIT';
    // Before anything is committed as handed out, and the lease is left to a node whose bus answers.
    if (bus.unreadyReason() !== null) return 'WAIT';
    const epoch = await takeLease(database, holder);
    if (epoch === null) {
      followsUntil = performance.now() + LOOK_AGAIN_MS;
      return 'WAIT';
    }
    const unpublished = await nextRows(database);
    const rows = unpublished.filter(({ is_settled }) => is_settled);
    // Nobody signals when the transaction ends that holds the others back.
    if (rows.length === 0) return unpublished.length > 0 ? 'SOON' : 'WAIT';
    await bus.publish(await messagesOf(rows, messagesByRow));
    await markPublished(database, rows, { holder, epoch });
    return 'AGAIN';
  });
}

/** In the order of the rows, whoever knows their kind. */
async function messagesOf(rows: readonly OutboxRow[], messagesByRow: readonly MessagesByRow[]): Promise<Message[]> {
  const known = await Promise.all(messagesByRow.map((messages) => messages(rows)));
  return rows.flatMap((_row, index) => known.flatMap((messages) => messages[index] ?? []));
}

async function takeLease(database: Database, holder: string): Promise<string | null> {
  const [lease] = await asSystem<{ epoch: string }>(
    database,
    (sql) => sql<{ epoch: string }[]>`
      insert into relay_lease (name, holder, epoch, expires_at)
      values ('outbox', ${holder}, 1, now() + make_interval(secs => ${LEASE_SECONDS}))
      on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at,
        epoch = relay_lease.epoch + case when relay_lease.holder = excluded.holder then 0 else 1 end
      where relay_lease.holder = excluded.holder or relay_lease.expires_at < now()
      returning epoch::text`,
  );
  return lease?.epoch ?? null;
}

type NextRow = OutboxRow & { is_settled: boolean };

/**
 * Settled is what is below the oldest transaction under way: what commits late comes in its place, not behind what
 * passed it.
 */
const nextRows = (database: Database) =>
  asSystem<NextRow>(
    database,
    (sql) => sql<NextRow[]>`
      select tenant_id, fact_id, kind, tx < pg_snapshot_xmin(pg_current_snapshot()) as is_settled from outbox
      where published_at is null
      order by tx, fact_id, kind
      limit ${BATCH}`,
  );

const markPublished = (
  database: Database,
  rows: readonly OutboxRow[],
  { holder, epoch }: { holder: string; epoch: string },
) =>
  asSystem(
    database,
    (sql) => sql`
      update outbox set published_at = now()
      from json_to_recordset(${JSON.stringify(rows)}::text::json) as given (tenant_id text, fact_id uuid, kind text)
      where outbox.tenant_id = given.tenant_id and outbox.fact_id = given.fact_id and outbox.kind = given.kind
        and exists (select from relay_lease where name = 'outbox' and holder = ${holder} and epoch = ${epoch}::bigint)`,
  );
