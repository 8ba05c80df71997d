import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Bus, Message, Refusal } from '../bus/bus.js';
import { parkMessage } from '../bus/parked-messages.js';
import type { Database } from '../database/database.js';
import type { Metrics } from '../telemetry/metrics.js';
import { inSpans, traceIdOf } from '../telemetry/spans.js';
import { asLeader, type Lease } from './lease.js';
import type { EventLog } from './outbox-kind.js';

export type Publisher = { database: Database; bus: Bus; logger: Logger; metrics: Metrics };

/** Publishes messages. A message that the bus refuses for good is parked, so it blocks no other message. */
export async function publish(
  { database, bus, logger, metrics }: Publisher,
  messages: readonly Message[],
): Promise<Refusal[]> {
  const refusals = await inSpans('publish', messages, () => bus.publish(messages)).catch((error: unknown) => {
    metrics.countPublishFailure('REPEATED');
    throw error;
  });
  for (const { message, reason } of refusals) {
    metrics.countPublishFailure('PARKED');
    const trace_id = traceIdOf(message.traceparent);
    logger.error({ subject: message.subject, id: message.id, reason, trace_id }, 'the bus refuses a message');
    await parkMessage(database, message, `The bus refuses it: ${reason}.`);
  }
  return refusals;
}

const BATCH = 256;

/**
 * Publishes the next events of the log. Returns whether there may be more. The lease row stores how far the bus has
 * acknowledged the log, so the next leader continues there.
 */
export async function publishEvents(publisher: Publisher, eventLog: EventLog, lease: Lease): Promise<boolean> {
  const page = await eventLog.read(lease.publishedSeq, BATCH);
  if (!page) return false;
  const { last, isFull, messages } = page;
  await publish(publisher, messages);
  await asLeader(publisher.database, lease, (tx) =>
    tx.execute(sql`update relay_lease set published_seq = ${last}::bigint where name = 'outbox'`),
  );
  lease.publishedSeq = last;
  return isFull;
}
