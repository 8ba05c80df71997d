import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import type { Link } from './connect.js';
import { type AdapterLog, seldom } from './events.js';
import { pause } from './pause.js';

export interface ReadOptions {
  stream: 'TOP_COMMANDS' | 'TOP_REPLIES';
  durable: string;
  /** Resolves to the number of messages that may be fetched now. */
  room(): Promise<number>;
  /** `createdAt`: no durable that was created earlier has delivered the message. */
  take(message: JsMsg, createdAt: number): void;
  log: AdapterLog;
}

/** The shortest time for which NATS keeps a request for messages. A stop waits for it. */
const FETCH_MS = 1_000;
const RETRY_MS = 1_000;
/** A busy adapter does not ask for every message when the durable was created. */
const CREATED_FOR_MS = 250;

/**
 * Reads until it is stopped: through restarts of NATS, elections of a leader, and a durable that is missing or was
 * deleted and created again. It fetches only what can start at once: messages that wait here would not reach another
 * process.
 */
export function startReading(link: Link, { stream, durable, room, take, log }: ReadOptions) {
  const stopping = new AbortController();
  let messages: ConsumerMessages | undefined;
  let begin = () => {};
  const serving = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let complain: AdapterLog | undefined;

  async function read(consumer: Consumer): Promise<void> {
    let createdAt = 0;
    let askedAt = 0;
    let last = Number.POSITIVE_INFINITY;
    while (!stopping.signal.aborted) {
      const max_messages = await room();
      if (stopping.signal.aborted) return;
      messages = await consumer.fetch({ max_messages, expires: FETCH_MS });
      // To the end: NATS may still send what was requested, and would not deliver it again for 30 seconds.
      for await (const message of messages) {
        // While there was no room, the durable can have been deleted and created again. A new one counts from 1.
        const { deliverySequence } = message.info;
        if (deliverySequence <= last || performance.now() - askedAt > CREATED_FOR_MS) {
          askedAt = performance.now();
          const info = await consumer.info().catch(() => undefined);
          createdAt = info ? Date.parse(info.created) : Number.POSITIVE_INFINITY;
        }
        last = deliverySequence;
        take(message, createdAt);
      }
    }
  }

  async function readOn(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await link.connected(stopping.signal);
        if (stopping.signal.aborted) return;
        const consumer = await link.client.consumers.get(stream, durable);
        if (complain) log({ level: 'info', event: 'serving', message: `Reads ${durable} on ${stream}.` });
        complain = undefined;
        begin();
        await read(consumer);
      } catch (error) {
        if (stopping.signal.aborted) return;
        const text = error instanceof Error ? error.message : String(error);
        complain ??= seldom(log);
        complain({
          level: 'warn',
          event: 'not-readable',
          message: `Cannot read ${durable} on ${stream}: ${text}. The platform creates it within a minute after the principal was registered for this tenant and vendor, and NATS must have the configuration of topctl bus render-config.`,
        });
        await pause(RETRY_MS, stopping.signal);
      }
    }
  }

  const reading = readOn();
  return {
    /** Resolves when the durable was found. */
    serving,
    async stop(): Promise<void> {
      stopping.abort();
      // While NATS is away, no end of the request arrives.
      const giveUp = setTimeout(() => messages?.stop(), 2 * FETCH_MS);
      await reading;
      clearTimeout(giveUp);
    },
  };
}
