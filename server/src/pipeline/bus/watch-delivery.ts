import type { ConsumerInfo, JetStreamManager, MsgRequest } from '@nats-io/jetstream';
import type { Logger } from 'pino';
import type { Durable } from './bus.js';

const LOOK_EVERY_MS = 1_000;
/** NATS delivers a message to a reader that waits within milliseconds. */
const STALLED_AFTER_MS = 3_000;
/** NATS removes a message from a work queue within milliseconds of its acknowledgement. Until then it stays the first. */
const LEFT_AFTER_MS = 10_000;

/**
 * Deletes the durable, so that the reader creates it again, in two cases that nats-server 2.9 reaches after a kill -9 and
 * never leaves by itself. It delivers nothing although messages and a reader wait: 429 of 2,251 results in time were taken
 * for missing. Or it keeps messages in the work queue that it counts neither as waiting nor as delivered: 3,326 of them
 * held their tenant for good. A new durable delivers every message of the queue again. A message that was handled before
 * changes nothing.
 */
export function watchDelivery(manager: JetStreamManager, logger: Logger, { stream, durable, subjects }: Durable) {
  let deliveries = -1;
  let deliveredAt = 0;
  let left = { seq: 0, since: 0 };
  let isLooking = false;
  let problem: string | null = null;

  function stallOf({ num_pending, num_waiting, delivered }: ConsumerInfo): string | null {
    const now = performance.now();
    if (num_pending === 0 || num_waiting === 0 || delivered.consumer_seq !== deliveries) deliveredAt = now;
    deliveries = delivered.consumer_seq;
    return now - deliveredAt > STALLED_AFTER_MS ? `NATS delivers none of ${num_pending} messages to ${durable}` : null;
  }

  /** Looks for messages of a work queue that NATS will never deliver: more than it counts as waiting or delivered. */
  async function leftBehind({ num_pending, num_ack_pending }: ConsumerInfo): Promise<string | null> {
    const subject = subjects?.[0] ?? '>';
    // The client's types lack this query of nats-server 2.9.
    const query = { next_by_subj: subject } as unknown as MsgRequest;
    const seq = (await manager.streams.getMessage(stream, query))?.seq ?? 0;
    if (seq === 0 || seq !== left.seq) left = { seq, since: performance.now() };
    if (performance.now() - left.since <= LEFT_AFTER_MS) return null;
    const { state } = await manager.streams.info(stream, { subjects_filter: subject });
    const messages = Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0);
    if (messages <= num_pending + num_ack_pending) return null;
    return `NATS keeps ${messages} messages of ${stream}, from ${seq} on, and never delivers some of them to ${durable}`;
  }

  async function look(): Promise<void> {
    const info = await manager.consumers.info(stream, durable);
    problem = stallOf(info) ?? (stream === 'TOP_UPDATES' ? await leftBehind(info) : null);
    if (!problem) return;
    logger.error({ stream, durable }, `${problem}: the durable is made anew`);
    // The reader finds that it is gone, and creates it.
    await manager.consumers.delete(stream, durable);
    beginAgain();
  }

  function beginAgain(): void {
    deliveredAt = performance.now();
    left = { seq: 0, since: deliveredAt };
  }

  beginAgain();
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    // While NATS does not answer, it delivers nothing either: the bus itself says why.
    void look()
      .catch(beginAgain)
      .finally(() => {
        isLooking = false;
      });
  }, LOOK_EVERY_MS).unref();

  return {
    /** Why messages are not delivered at the moment; null if they are. */
    problem: () => problem,
    stop: () => clearInterval(timer),
  };
}
