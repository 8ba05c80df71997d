import type { Logger } from 'pino';
import type { Database } from '../../foundation/database/database.js';
import type { Metrics } from '../../foundation/telemetry/metrics.js';
import { inSpans, traceIdOf } from '../../foundation/telemetry/spans.js';
import type { Bus, Message, Undeliverable } from './bus.js';
import { parkMessage } from './parked-messages.js';

export type Publisher = { database: Database; bus: Bus; logger: Logger; metrics: Metrics };

/** Publishes messages. A message that the bus refuses for good is parked, so it blocks no other message. */
export async function publish(
  { database, bus, logger, metrics }: Publisher,
  messages: readonly Message[],
): Promise<Undeliverable[]> {
  const undeliverable = await inSpans('publish', messages, () => bus.publish(messages)).catch((error: unknown) => {
    metrics.countPublishFailure('REPEATED');
    throw error;
  });
  for (const { message, reason } of undeliverable) {
    metrics.countPublishFailure('PARKED');
    const trace_id = traceIdOf(message.traceparent);
    logger.error({ subject: message.subject, id: message.id, reason, trace_id }, 'the bus refuses a message');
    await parkMessage(database, message, `The bus refuses it: ${reason}.`);
  }
  return undeliverable;
}

/** What `outbox republish` publishes again: its start, its end, and optionally one tenant. */
export type RepublishedRange = { since: string; until: string; tenantId?: string | undefined };
