import {
  type Bus,
  type Consumer,
  countByTenant,
  type Delivery,
  type Durable,
  isDurableOfTenant,
  MAX_IN_FLIGHT,
  type Message,
  RETRY_AFTER_AN_ERROR_MS,
  type StreamName,
  streamSubjects,
  subjectMatches,
  subjectsOfTenant,
  UPDATES_OF_ALL_TENANTS,
} from './bus.js';
import { witnessFile } from './witness-file.js';

/** As JetStream's duplicate window: long enough for a relay that restarts. */
const REMEMBERED_IDS = 100_000;
/** Bounds the messages of a stream that has no durable yet, and of a durable without a reader. */
const MAX_KEPT = 10_000;

/**
 * The bus of a single process. Its messages are lost with the process. The outbox is the source of truth. A command
 * that was under way then times out with an unknown outcome, as it does when its adapter dies.
 * `folder`: of the file with the witness.
 */
export function inProcessBus(folder?: string): Bus {
  const seen = new Set<string>();
  const queues = new Map<string, Queue>();
  let lastSeq = 0;
  /** Messages that were published before their first durable existed, as a stream would keep them. They get number 0. */
  const kept: Record<StreamName, Message[]> = { TOP_COMMANDS: [], TOP_REPLIES: [], TOP_UPDATES: [], TOP_EVENTS: [] };

  function provide(durable: Durable): Queue {
    const key = `${durable.stream} ${durable.durable}`;
    const existing = queues.get(key);
    if (existing) return existing;
    const queue = startQueue(durable);
    queues.set(key, queue);
    for (const message of kept[durable.stream].splice(0)) if (reads(durable, message)) queue.push(message, 0);
    return queue;
  }

  return {
    async publish(messages) {
      for (const message of messages) {
        const stream = streamOf(message.subject);
        if (!stream) throw new Error(`No stream keeps ${message.subject}.`);
        if (!remember(seen, message.id)) continue;
        const ofStream = [...queues.values()].filter(({ durable }) => durable.stream === stream);
        if (ofStream.length === 0 && kept[stream].push(message) > MAX_KEPT) kept[stream].shift();
        lastSeq += 1;
        for (const queue of ofStream) if (reads(queue.durable, message)) queue.push(message, lastSeq);
      }
      return [];
    },
    async provide(durables) {
      for (const durable of durables) provide(durable);
      return [];
    },
    countCopiedDurables: async () => 0,
    async oldestUntaken(pattern) {
      const all = [...queues.values()].flatMap((queue) => queue.oldestUntaken(pattern) ?? []);
      return all.sort((one, other) => one.seq - other.seq)[0] ?? null;
    },
    lastUpdate: async () => lastSeq,
    async commandReads(only) {
      const reads = [...queues.values()].flatMap(({ durable: { stream, durable }, lastReadAt }) => {
        const readAt = stream === 'TOP_COMMANDS' && (only?.includes(durable) ?? true) ? lastReadAt() : null;
        return readAt ? [[durable, readAt] as const] : [];
      });
      return new Map(reads);
    },
    fullness: async () => 0,
    async untakenUpdates() {
      return countByTenant([...queues.values()].flatMap((queue) => queue.untakenSubjects(UPDATES_OF_ALL_TENANTS)));
    },
    async forgetTenant(tenantId, { isDue, only = streams } = {}) {
      if (isDue && !(await isDue())) return;
      const isOfTenant = ({ subject }: { subject: string }) => subjectMatches(subjectsOfTenant(tenantId), subject);
      for (const stream of only) kept[stream] = kept[stream].filter((message) => !isOfTenant(message));
      for (const [key, queue] of queues) {
        if (!only.includes(queue.durable.stream)) continue;
        queue.drop(isOfTenant);
        if (isDurableOfTenant(queue.durable.durable, tenantId)) queues.delete(key);
      }
    },
    consume: async (consumer) => provide(consumer).read(consumer.handle),
    witness: witnessFile(folder),
    ownPublicKey: null,
    onRestored() {},
    keepStreams: async () => {},
    countSingleCopies: async () => 0,
    deliveryProblem: () => null,
    unreadyReason: () => null,
    streamProblem: async () => null,
    async close() {
      await Promise.all([...queues.values()].map((queue) => queue.close()));
      queues.clear();
    },
  };
}

const streams = Object.keys(streamSubjects) as StreamName[];

const streamOf = (subject: string) =>
  streams.find((stream) => streamSubjects[stream].some((pattern) => subjectMatches(pattern, subject)));

function remember(seen: Set<string>, id: string): boolean {
  if (seen.has(id)) return false;
  seen.add(id);
  if (seen.size > REMEMBERED_IDS) seen.delete(seen.values().next().value as string);
  return true;
}

const reads = ({ subjects }: Durable, { subject }: Message) =>
  subjects === undefined || subjects.some((pattern) => subjectMatches(pattern, subject));

type Reader = { handle: Consumer['handle']; underWay: Set<Promise<void>> };

type Queue = ReturnType<typeof startQueue>;

type Queued = Omit<Delivery, 'waitingBehind' | 'age'> & { seq: number };

/** Delivers messages in order, several at a time. Messages that wait for another try block no others. */
function startQueue(durable: Durable) {
  /** Wait for their delivery. */
  let queued: Queued[] = [];
  /** By id, in the order of their arrival. */
  const untaken = new Map<string, Queued>();
  const readers = new Set<Reader>();
  let stoppedAt: Date | null = null;

  /** Each message goes to the reader with the fewest messages in progress. */
  function next(): void {
    for (;;) {
      const [reader] = [...readers].sort((one, other) => one.underWay.size - other.underWay.size);
      const delivery = reader && reader.underWay.size < MAX_IN_FLIGHT && queued.shift();
      if (!delivery) return;
      start(reader, delivery);
    }
  }

  function start({ handle, underWay }: Reader, delivery: Queued): void {
    const age = async () => Date.now() - delivery.sentAt.getTime();
    const handled = handle({ ...delivery, waitingBehind: queued.length, age })
      .catch(() => ({ retryInMs: RETRY_AFTER_AN_ERROR_MS }))
      .then((outcome) => {
        underWay.delete(handled);
        if (outcome === 'DONE') untaken.delete(delivery.id);
        else setTimeout(retry, outcome.retryInMs, delivery).unref();
        next();
      });
    underWay.add(handled);
  }

  function retry(delivery: Queued): void {
    // Else it was dropped meanwhile.
    if (untaken.has(delivery.id)) queued.push({ ...delivery, attempt: delivery.attempt + 1 });
    next();
  }

  async function stop(reader: Reader): Promise<void> {
    readers.delete(reader);
    stoppedAt = new Date();
    await Promise.all(reader.underWay);
  }

  return {
    durable,
    lastReadAt: () => (readers.size > 0 ? new Date() : stoppedAt),
    push({ id, subject, body, traceparent }: Message, seq: number): void {
      const message = { id, messageId: id, subject, body, traceparent, attempt: 1, sentAt: new Date(), seq };
      queued.push(message);
      untaken.set(id, message);
      if (readers.size === 0 && queued.length > MAX_KEPT) untaken.delete(queued.shift()?.id as string);
      setImmediate(next);
    },
    drop(isDropped: (message: Queued) => boolean): void {
      queued = queued.filter((message) => !isDropped(message));
      for (const message of [...untaken.values()].filter(isDropped)) untaken.delete(message.id);
    },
    oldestUntaken(pattern: string): Queued | undefined {
      for (const message of untaken.values()) if (subjectMatches(pattern, message.subject)) return message;
      return undefined;
    },
    untakenSubjects(pattern: string) {
      const all = [...untaken.values()].filter(({ subject }) => subjectMatches(pattern, subject));
      return all.map(({ subject }) => [subject, 1] as const);
    },
    read(handle: Consumer['handle']) {
      const reader = { handle, underWay: new Set<Promise<void>>() };
      readers.add(reader);
      setImmediate(next);
      return { stop: () => stop(reader) };
    },
    close: () => Promise.all([...readers].map(stop)),
  };
}
