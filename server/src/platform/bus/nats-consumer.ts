import {
  AckPolicy,
  type ConsumerInfo,
  type ConsumerMessages,
  DeliverPolicy,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
} from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import type { Logger } from 'pino';
import { type Consumer, type Durable, MAX_IN_FLIGHT, type Outcome } from './bus.js';

export type JetStream = {
  client: JetStreamClient;
  manager: JetStreamManager;
  /** Makes the streams anew, should they be gone. */
  restoreStreams: () => Promise<void>;
  logger: Logger;
};

/** After this silence a message goes to another reader. */
const ACK_WAIT_MS = 30_000;
const STILL_WORKING_MS = 10_000;
/** What waits to be tried again counts: many of those must not keep the others from coming. */
const MAX_ACK_PENDING = 10_000;
/** One request for messages waits so long at the server; a lost one is noticed after as much. */
const PULL_MS = 5_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 30_000;

/** Creates the durable, or puts right what may be changed of it. */
export const ensureDurable = (manager: JetStreamManager, { stream, durable, subjects }: Durable) =>
  manager.consumers.add(stream, {
    durable_name: durable,
    ...(subjects?.length === 1
      ? { filter_subject: String(subjects[0]) }
      : subjects && { filter_subjects: [...subjects] }),
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ACK_WAIT_MS),
    max_ack_pending: MAX_ACK_PENDING,
    max_deliver: -1,
  });

/** Reads until it is stopped, whatever happens to connection, stream and durable meanwhile. */
export async function startReading({ client, manager, restoreStreams, logger }: JetStream, consumer: Consumer) {
  let isStopping = false;
  let stopNow = () => {};
  const stopped = new Promise<void>((resolve) => {
    stopNow = resolve;
  });
  const underWay = new Set<Promise<void>>();
  let messages: ConsumerMessages | undefined;

  /** Asks for no more than it can start at once: what lay here unstarted would be missed by other readers. */
  async function read(info: ConsumerInfo): Promise<void> {
    const from = client.consumers.getConsumerFromInfo(info);
    while (!isStopping) {
      while (underWay.size > MAX_IN_FLIGHT / 2) await Promise.race(underWay);
      messages = await from.fetch({ max_messages: MAX_IN_FLIGHT - underWay.size, expires: PULL_MS });
      if (isStopping) messages.stop();
      for await (const message of messages) start(message);
    }
  }

  function start(message: JsMsg): void {
    const handled = handle(message)
      .catch((err: unknown) => logger.warn({ err, subject: message.subject }, 'a message will come again'))
      .finally(() => underWay.delete(handled));
    underWay.add(handled);
  }

  async function handle(message: JsMsg): Promise<void> {
    const { subject, data } = message;
    const attempt = message.info.deliveryCount;
    const working = setInterval(() => message.working(), STILL_WORKING_MS);
    let outcome: Outcome = 'RETRY';
    try {
      outcome = await consumer.handle({
        subject,
        body: Buffer.from(data.buffer, data.byteOffset, data.length),
        attempt,
        sentAt: message.time,
      });
    } finally {
      clearInterval(working);
      if (outcome === 'DONE') message.ack();
      else message.nak(Math.min(FIRST_RETRY_MS * 2 ** (attempt - 1), LAST_RETRY_MS));
    }
  }

  async function readOn(first: ConsumerInfo): Promise<void> {
    let info: ConsumerInfo | null = first;
    while (!isStopping) {
      try {
        await read(info ?? (await ensureDurable(manager, consumer)));
      } catch (err) {
        if (isStopping) return;
        logger.warn({ err, stream: consumer.stream, durable: consumer.durable }, 'the bus is read again');
        await Promise.race([restoreStreams().catch(() => {}), stopped]);
      }
      info = null;
    }
  }

  const reading = readOn(await ensureDurable(manager, consumer));
  return {
    /** Resolves once what is under way is done. */
    async stop(): Promise<void> {
      isStopping = true;
      stopNow();
      messages?.stop();
      await reading;
      await Promise.all(underWay);
    },
  };
}
