import { readSubject } from '@tenant-open-platform/contract/bus';

/** A message for the bus. Messages with the same id are the same message: the bus keeps one. */
export type Message = {
  subject: string;
  id: string;
  body: Buffer;
  traceparent?: string | undefined;
  /** Of an event: the history that has it. */
  history?: string | undefined;
  /** Of a command: whether it may have been published before. */
  isSentAgain?: boolean | undefined;
};

/** The time that is left until a moment of this process is written as the message leaves, so that it is never too much. */
export const timedMessage = (message: Omit<Message, 'body'>, content: object, until: number): Message => ({
  ...message,
  get body() {
    const remaining_ms = Math.max(0, Math.floor(until - performance.now()));
    return Buffer.from(JSON.stringify({ ...content, remaining_ms }));
  },
});

/** A message from the bus. It may be a redelivery. */
export type Delivery = {
  /** The same at every delivery of the message. */
  id: string;
  /** The id that its sender gave the message; '' if none. An adapter may choose any id. */
  messageId: string;
  subject: string;
  body: Buffer;
  traceparent?: string | undefined;
  /** 1 for the first delivery. */
  attempt: number;
  /** How many later messages wait for their first delivery. */
  waitingBehind: number;
  /** When the bus stored it, by the bus's clock, and how many milliseconds ago. That may reject. */
  sentAt: Date;
  age: () => Promise<number>;
};

/** A message that the bus can never accept, for example because it is too large, with the reason. */
export type Undeliverable = { message: Message; reason: string };

/** DONE: never deliver it again. Otherwise redeliver it after this delay, without blocking the messages behind it. */
export type Outcome = 'DONE' | { retryInMs: number };

/** The delay before a message whose handler threw is redelivered. */
export const RETRY_AFTER_AN_ERROR_MS = 1_000;

export type StreamName = 'TOP_COMMANDS' | 'TOP_REPLIES' | 'TOP_UPDATES' | 'TOP_EVENTS';

export const streamSubjects: Record<StreamName, readonly string[]> = {
  TOP_COMMANDS: ['tenants.*.commands.*'],
  TOP_REPLIES: ['tenants.*.device-replies.*'],
  TOP_UPDATES: ['tenants.*.command-updates.*', 'tenants.*.device-requests.*'],
  TOP_EVENTS: ['tenants.*.events.>'],
};

/** A position in a stream that outlives its readers. If several share it, each message goes to one of them. */
export type Durable = {
  stream: StreamName;
  /** Letters, digits, `_`, `-` and `+`. */
  durable: string;
  /** A subset of the stream's subjects; absent: all of them. */
  subjects?: readonly string[];
};

/** A durable that the bus does not create, for example because of a limit, with the reason. */
export type RefusedDurable = { durable: Durable; reason: string };

export type Consumer = Durable & {
  handle: (delivery: Delivery) => Promise<Outcome>;
  /** Absent: all processes share the durable. The in-process bus has one process. */
  turn?: ReadingTurn;
};

/** Which one of several processes reads a durable, so that its messages stay in order. */
export type ReadingTurn = { isOurs(): boolean; onChange(listener: () => void): void };

/** How many messages a consumer handles at a time. */
export const MAX_IN_FLIGHT = 256;

/** `isDue`: whether the tenant's messages are still to be deleted. */
export type Forgetting = { isDue?: () => Promise<boolean>; only?: readonly StreamName[] | undefined };

/** Carries messages between the platform and its adapters: within this process, or over NATS JetStream. */
export type Bus = {
  /** Publishes in this order. Resolves once each is acknowledged or undeliverable; rejects if one may be missing. */
  publish(messages: readonly Message[]): Promise<Undeliverable[]>;
  /**
   * Creates missing durables and corrects changed ones. Principals read durables and cannot create any. Rejects if the
   * bus does not answer.
   */
  provide(durables: readonly Durable[]): Promise<RefusedDurable[]>;
  /** Of how many durables of a stream a cluster keeps copies. Rejects if the bus does not answer. */
  countCopiedDurables(stream: StreamName): Promise<number>;
  /** The oldest unhandled message of these subjects in TOP_UPDATES; null if none. It may reject. */
  oldestUntaken(subject: string): Promise<{ seq: number; sentAt: Date } | null>;
  /** The number of the last message that reached TOP_UPDATES; later ones have greater numbers. It may reject. */
  lastUpdate(): Promise<number>;
  /** Last reads of durables of TOP_COMMANDS: now while a reader waits, null if unknown, absent if never. May reject. */
  commandReads(only?: readonly string[]): Promise<ReadonlyMap<string, Date | null>>;
  /** The share of a stream that is in use. Rejects if the bus does not answer. */
  fullness(stream: StreamName): Promise<number>;
  /** How many updates of commands are unhandled, by tenant. Rejects if the bus does not answer. */
  untakenUpdates(): Promise<ReadonlyMap<string, number>>;
  /**
   * Deletes the messages of a tenant and its durables, of all streams or of `only` these, and no message that was
   * published after `isDue` has said that they are to be deleted. Rejects if some may be left.
   */
  forgetTenant(tenantId: string, options?: Forgetting): Promise<void>;
  /** Resolves once the consumer exists. */
  consume(consumer: Consumer): Promise<{ stop(): Promise<void> }>;
  /** Creates missing streams, corrects changed settings and adds missing copies. */
  keepStreams(): Promise<void>;
  /** How many streams of a cluster have one copy: the loss of its server stops them. */
  countSingleCopies(): Promise<number>;
  /** Called after streams had to be recreated: their durables are lost. */
  onRestored(tell: () => void): void;
  /** The text that was written last, for witness.ts; null if there is none. Both may reject. */
  witness: { read(): Promise<string | null>; write(text: string): Promise<void> };
  /** The public nkey with which the platform connects; null if it uses none. */
  ownPublicKey: string | null;
  /** Why the bus carries no messages at the moment; null if it is connected. */
  unreadyReason(): string | null;
  /** Why messages wait and none is delivered to a consumer of this process; null if they are delivered. */
  deliveryProblem(): string | null;
  /** Asks the bus why one of its streams stores no messages at the moment; null if all do. */
  streamProblem(): Promise<string | null>;
  close(): Promise<void>;
};

/** The subjects of all updates of commands. */
export const UPDATES_OF_ALL_TENANTS = 'tenants.*.command-updates.*';

export function countByTenant(counts: Iterable<readonly [subject: string, count: number]>): Map<string, number> {
  const byTenant = new Map<string, number>();
  for (const [subject, count] of counts) {
    const tenantId = readSubject(subject)?.tenantId ?? '';
    byTenant.set(tenantId, (byTenant.get(tenantId) ?? 0) + count);
  }
  return byTenant;
}

export const subjectsOfTenant = (tenantId: string) => `tenants.${tenantId}.>`;

/** No tenant id contains `+`: see durables.ts of the contract. */
export const isDurableOfTenant = (durable: string, tenantId: string) => durable.startsWith(`${tenantId}+`);

/** Matches subjects as NATS does: `*` is one token, `>` at the end is one or more. */
export function subjectMatches(pattern: string, subject: string): boolean {
  const wanted = pattern.split('.');
  const given = subject.split('.');
  for (const [index, token] of wanted.entries()) {
    if (token === '>') return given.length > index;
    if (given[index] === undefined || (token !== '*' && token !== given[index])) return false;
  }
  return wanted.length === given.length;
}
