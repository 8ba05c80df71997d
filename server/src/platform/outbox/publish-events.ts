import { sql } from 'drizzle-orm';
import { asLeader, type Lease } from './lease.js';
import type { EventLog } from './outbox-kind.js';
import { type Publisher, publish } from './publish.js';

const BATCH = 256;

/**
 * Publishes the next events of the log. Returns whether there may be more. The lease row stores how far the bus has
 * acknowledged the log, so the next leader continues there.
 */
export async function publishEvents(publisher: Publisher, eventLog: EventLog, lease: Lease): Promise<boolean> {
  const events = await eventLog.read(lease.publishedSeq, BATCH);
  const last = events.at(-1);
  if (!last) return false;
  await publish(
    publisher,
    events.map(({ message }) => message),
  );
  await asLeader(publisher.database, lease, (tx) =>
    tx.execute(sql`update relay_lease set published_seq = ${last.seq}::bigint where name = 'outbox'`),
  );
  lease.publishedSeq = last.seq;
  return events.length === BATCH;
}
