import type { Logger } from 'pino';
import type { Transaction } from '../../foundation/database/database.js';
import type { Metrics } from '../../foundation/telemetry/metrics.js';
import { inSpans, traceIdOf } from '../../foundation/telemetry/spans.js';
import type { Bus, Message } from '../bus/bus.js';
import { parkMessage } from '../bus/parked-messages.js';
import type { EventPage } from '../event-log.js';
import type { SlotOwner, SlotPosition } from '../slots/slot-owner.js';
import type { Step } from '../slots/steps.js';

export type Publisher = { bus: Bus; logger: Logger; metrics: Metrics };

type InTransaction = (work: (tx: Transaction) => Promise<unknown>) => Promise<unknown>;

/** Publishes messages. A message that the bus refuses for good is parked, so it blocks no other message. */
export async function publish(
  { bus, logger, metrics }: Publisher,
  messages: readonly Message[],
  inTransaction: InTransaction,
) {
  const undeliverable = await inSpans('publish', messages, () => bus.publish(messages)).catch((error: unknown) => {
    metrics.countPublishFailure('REPEATED');
    throw error;
  });
  for (const { message, reason } of undeliverable) {
    metrics.countPublishFailure('PARKED');
    const trace_id = traceIdOf(message.traceparent);
    logger.error({ subject: message.subject, id: message.id, reason, trace_id }, 'the bus refuses a message');
    await inTransaction((tx) => parkMessage(tx, message, `The bus refuses it: ${reason}.`));
  }
  return undeliverable;
}

type EventsOptions = Publisher & {
  owner: Pick<SlotOwner, 'mayPublish' | 'acknowledge'>;
  readEvents: (positions: readonly SlotPosition[], limit: number) => Promise<EventPage | null>;
};

const EVENTS_OF_A_BATCH = 256;

/**
 * Publishes the next events of the log. A later renewal of the slots stores how far the bus has acknowledged it: who
 * takes a slot after a crash publishes up to two seconds of events again, and the bus drops them.
 */
export const createEventPublisher =
  ({ owner, readEvents, ...publisher }: EventsOptions): Step['round'] =>
  async ({ slots, transaction }) => {
    if (!owner.mayPublish()) return 'WAIT';
    const page = await readEvents(slots, EVENTS_OF_A_BATCH);
    if (!page) return 'QUIET';
    await publish(publisher, page.messages, transaction);
    owner.acknowledge(slots, page.positions);
    return page.isFull ? 'AGAIN' : 'WAIT';
  };
