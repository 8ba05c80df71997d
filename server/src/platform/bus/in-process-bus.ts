import { setTimeout as delay } from 'node:timers/promises';
import {
  type Bus,
  type Consumer,
  type Delivery,
  type Message,
  type StreamName,
  streamSubjects,
  subjectMatches,
} from './bus.js';

const RETRY_AFTER_MS = 1_000;
/** As JetStream's duplicate window: long enough for a relay that starts again. */
const REMEMBERED_IDS = 100_000;
const MAX_UNDER_WAY = 64;

/**
 * The bus of a single process. What it holds dies with the process: the outbox is the source of truth, and a command
 * that was under way then times out with an unknown outcome, as it would with an adapter that died.
 */
export function inProcessBus(): Bus {
  const seen = new Set<string>();
  const queues = new Map<string, Queue>();
  /** What was published before its first consumer came, as a stream would keep it. */
  const kept = new Map<StreamName, Message[]>();

  const streamOf = (subject: string) =>
    (Object.keys(streamSubjects) as StreamName[]).find((stream) =>
      streamSubjects[stream].some((pattern) => subjectMatches(pattern, subject)),
    );

  return {
    async publish(messages) {
      for (const message of messages) {
        const stream = streamOf(message.subject);
        if (!stream) throw new Error(`No stream keeps ${message.subject}.`);
        if (!remember(seen, message.id)) continue;
        const readers = [...queues.values()].filter(({ consumer }) => consumer.stream === stream);
        if (readers.length === 0) keep(kept, stream, message);
        for (const reader of readers) if (reads(reader.consumer, message)) reader.push(message);
      }
    },
    async consume(consumer) {
      const key = `${consumer.stream} ${consumer.durable}`;
      if (queues.has(key)) throw new Error(`${key} is consumed already.`);
      const queue = startQueue(consumer);
      queues.set(key, queue);
      for (const message of kept.get(consumer.stream) ?? []) if (reads(consumer, message)) queue.push(message);
      kept.delete(consumer.stream);
      return {
        stop() {
          queues.delete(key);
          return queue.stop();
        },
      };
    },
    unreadyReason: () => null,
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.stop()));
      queues.clear();
    },
  };
}

const MAX_KEPT = 10_000;

function keep(kept: Map<StreamName, Message[]>, stream: StreamName, message: Message): void {
  const messages = kept.get(stream) ?? [];
  messages.push(message);
  if (messages.length > MAX_KEPT) messages.shift();
  kept.set(stream, messages);
}

function remember(seen: Set<string>, id: string): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  if (seen.size > REMEMBERED_IDS) seen.delete(seen.values().next().value as string);
  return true;
}

const reads = ({ subjects }: Consumer, { subject }: Message) =>
  subjects === undefined || subjects.some((pattern) => subjectMatches(pattern, subject));

type Queue = { consumer: Consumer; push(message: Message): void; stop(): Promise<void> };

/** Hands messages over in their order, several at a time; one that is to be tried again waits beside the others. */
function startQueue(consumer: Consumer): Queue {
  const waiting: Delivery[] = [];
  const underWay = new Set<Promise<void>>();
  const stopping = new AbortController();

  function next(): void {
    while (!stopping.signal.aborted && underWay.size < MAX_UNDER_WAY) {
      const delivery = waiting.shift();
      if (!delivery) return;
      const handled = handle(delivery).finally(() => {
        underWay.delete(handled);
        next();
      });
      underWay.add(handled);
    }
  }

  async function handle(delivery: Delivery): Promise<void> {
    const outcome = await consumer.handle(delivery).catch(() => 'RETRY' as const);
    if (outcome === 'DONE') return;
    void delay(RETRY_AFTER_MS, undefined, { signal: stopping.signal, ref: false }).then(
      () => {
        waiting.push({ ...delivery, attempt: delivery.attempt + 1 });
        next();
      },
      () => {},
    );
  }

  return {
    consumer,
    push({ subject, body }) {
      waiting.push({ subject, body, attempt: 1 });
      setImmediate(next);
    },
    async stop() {
      stopping.abort();
      await Promise.all(underWay);
    },
  };
}
