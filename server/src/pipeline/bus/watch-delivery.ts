import type { ConsumerInfo, JetStreamManager, MsgRequest } from '@nats-io/jetstream';
import type { Logger } from 'pino';
import type { Durable } from './bus.js';

const LOOK_EVERY_MS = 1_000;
/** NATS delivers a message to a reader that waits within milliseconds. */
const STALLED_AFTER_MS = 3_000;
/** NATS removes a message from a work queue within milliseconds of its acknowledgement. */
const LEFT_AFTER_MS = 10_000;

/**
 * Deletes the durable, so that the reader creates it again, in two cases that nats-server 2.9 reaches after a kill -9 and
 * never leaves by itself. It delivers nothing although messages and a reader wait: 429 of 2,251 results in time were taken
 * for missing. Or it keeps handled messages in the work queue, below all that it still delivers. A new durable delivers
 * every message of the queue again. A message that was handled before changes nothing.
 */
export function watchDelivery(manager: JetStreamManager, logger: Logger, { stream, durable, subjects }: Durable) {
  let deliveries = -1;
  let deliveredAt = 0;
  let left = { seq: 0, since: 0 };
  let isLooking = false;
  let problem: string | null = null;

  /** The first message of the durable's queue, if NATS will never deliver it: 0 if there is none. */
  async function leftBehind({ ack_floor }: ConsumerInfo): Promise<number> {
    // The client's types lack this query of nats-server 2.9.
    const query = { next_by_subj: subjects?.[0] ?? '>' } as unknown as MsgRequest;
    const seq = (await manager.streams.getMessage(stream, query))?.seq ?? 0;
    return seq <= ack_floor.stream_seq ? seq : 0;
  }

  function problemOf(info: ConsumerInfo, seq: number): string | null {
    const now = performance.now();
    const { consumer_seq } = info.delivered;
    if (info.num_pending === 0 || info.num_waiting === 0 || consumer_seq !== deliveries) deliveredAt = now;
    deliveries = consumer_seq;
    if (seq === 0 || seq !== left.seq) left = { seq, since: now };
    if (now - deliveredAt > STALLED_AFTER_MS) return `NATS delivers none of ${info.num_pending} messages to ${durable}`;
    return now - left.since > LEFT_AFTER_MS ? `NATS never delivers message ${seq} of ${stream} to ${durable}` : null;
  }

  async function look(): Promise<void> {
    const info = await manager.consumers.info(stream, durable);
    problem = problemOf(info, stream === 'TOP_UPDATES' ? await leftBehind(info) : 0);
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
