import {
  type ConsumerInfo,
  type ConsumerMessages,
  type JetStreamClient,
  type JetStreamManager,
  type JsMsg,
  PubHeaders,
} from '@nats-io/jetstream';
import { headerOf } from '@tenant-open-platform/contract/bus-access';
import type { Logger } from 'pino';
import { shared } from '../../foundation/concurrency/shared-reads.js';
import { type Consumer, MAX_IN_FLIGHT, type Outcome, RETRY_AFTER_AN_ERROR_MS } from './bus.js';
import { ensureDurable } from './nats-durables.js';
import { watchDelivery } from './watch-delivery.js';

type JetStream = {
  client: JetStreamClient;
  manager: JetStreamManager;
  /** With a short timeout. */
  probing: JetStreamManager;
  restoreStreams: () => Promise<void>;
  logger: Logger;
};

/**
 * How long a reader may be silent before another gets its message. Our own readers send a sign of life every 2 seconds,
 * so messages of a killed node are redelivered before most commands time out.
 */
const ACK_WAIT_MS = 5_000;
const STILL_WORKING_MS = 2_000;
/** A pull request waits this long on the server. It also bounds how long a lost request stays unnoticed. */
const PULL_MS = 5_000;

/** Reads until it is stopped. It survives the loss of the connection, the stream or the durable. */
export async function startReading(jetStream: JetStream, consumer: Consumer) {
  const { client, manager, probing, restoreStreams, logger } = jetStream;
  const { turn } = consumer;
  let isStopping = false;
  let stopNow = () => {};
  const stopped = new Promise<void>((resolve) => {
    stopNow = resolve;
  });
  const underWay = new Set<Promise<void>>();
  let messages: ConsumerMessages | undefined;
  const isOurs = () => !isStopping && (turn?.isOurs() ?? true);
  let changed = () => {};
  turn?.onChange(() => {
    if (!isOurs()) messages?.stop();
    changed();
  });

  /** Requests no more messages than it can start at once: messages that wait here would not reach other readers. */
  async function read(info: ConsumerInfo): Promise<void> {
    const from = client.consumers.getConsumerFromInfo(info);
    while (!isStopping) {
      if (!isOurs()) await Promise.race([stopped, new Promise<void>((resolve) => (changed = resolve))]);
      if (!isOurs()) continue;
      while (underWay.size > MAX_IN_FLIGHT / 2) await Promise.race(underWay);
      messages = await from.fetch({ max_messages: MAX_IN_FLIGHT - underWay.size, expires: PULL_MS });
      if (!isOurs()) messages.stop();
      for await (const message of messages) start(message);
    }
  }

  /** The clock of NATS less the monotonic one of this process. nats-server 2.9 tells only its last delivery: it was now. */
  async function readClock(): Promise<number> {
    const info: ConsumerInfo & { ts?: string } = await probing.consumers.info(consumer.stream, consumer.durable);
    return Date.parse(info.ts ?? String(info.delivered.last_active)) - performance.now();
  }
  const ahead = shared(readClock, { forMs: 1_000 });

  function start(message: JsMsg): void {
    const handled = handle(message)
      .catch((err: unknown) => logger.warn({ err, subject: message.subject }, 'a message will be redelivered'))
      .finally(() => underWay.delete(handled));
    underWay.add(handled);
  }

  async function handle(message: JsMsg): Promise<void> {
    const { subject, data, info } = message;
    const working = setInterval(() => message.working(), STILL_WORKING_MS);
    let outcome: Outcome = { retryInMs: RETRY_AFTER_AN_ERROR_MS };
    try {
      outcome = await consumer.handle({
        id: `${info.streamSequence} ${info.timestampNanos}`,
        messageId: headerOf(message, PubHeaders.MsgIdHdr),
        traceparent: headerOf(message, 'traceparent') || undefined,
        subject,
        body: Buffer.from(data.buffer, data.byteOffset, data.length),
        attempt: info.deliveryCount,
        waitingBehind: info.pending,
        sentAt: message.time,
        age: async () => Math.max(0, (await ahead()) + performance.now() - message.time.getTime()) || 0,
      });
    } finally {
      clearInterval(working);
      if (outcome === 'DONE') message.ack();
      else message.nak(outcome.retryInMs);
    }
  }

  async function readOn(first: ConsumerInfo): Promise<void> {
    let info: ConsumerInfo | null = first;
    while (!isStopping) {
      try {
        await read(info ?? (await ensureDurable(manager, consumer, ACK_WAIT_MS)));
      } catch (err) {
        if (isStopping) return;
        logger.warn({ err, stream: consumer.stream, durable: consumer.durable }, 'reading from the bus is retried');
        await Promise.race([restoreStreams().catch(() => {}), stopped]);
      }
      info = null;
    }
  }

  const reading = readOn(await ensureDurable(manager, consumer, ACK_WAIT_MS));
  const delivery = watchDelivery(probing, logger, consumer);
  return {
    deliveryProblem: delivery.problem,
    /** Resolves once the messages in progress are handled. */
    async stop(): Promise<void> {
      isStopping = true;
      stopNow();
      delivery.stop();
      messages?.stop();
      await reading;
      await Promise.all(underWay);
    },
  };
}
