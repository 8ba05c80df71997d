/** A message for the bus. The same id is the same message: the bus keeps one. */
export type Message = { subject: string; id: string; body: Buffer };

/** A message from the bus. It may be a repeated delivery. */
export type Delivery = {
  /** The same at every delivery of the message. */
  id: string;
  subject: string;
  body: Buffer;
  /** 1 at the first delivery. */
  attempt: number;
  /** How many messages wait behind it for their first delivery. */
  waitingBehind: number;
  /** When the bus stored it, by the clock of the bus. */
  sentAt: Date;
};

/** A message that the bus can never take, for example because it is too large, and the reason. */
export type Refusal = { message: Message; reason: string };

/** DONE: never deliver it again. Otherwise deliver it again after this time, without holding up those behind it. */
export type Outcome = 'DONE' | { retryInMs: number };

/** The delay after which a message comes again whose handler threw. */
export const RETRY_AFTER_AN_ERROR_MS = 1_000;

export type StreamName = 'TOP_COMMANDS' | 'TOP_REPLIES' | 'TOP_UPDATES' | 'TOP_EVENTS';

/** What each stream keeps. */
export const streamSubjects: Record<StreamName, readonly string[]> = {
  TOP_COMMANDS: ['tenants.*.commands.*'],
  TOP_REPLIES: ['tenants.*.device-replies.*'],
  TOP_UPDATES: ['tenants.*.command-updates.*', 'tenants.*.device-requests.*'],
  TOP_EVENTS: ['tenants.*.events.>'],
};

/** A place in a stream that outlives its readers: of several that read under one name, one gets each message. */
export type Durable = {
  stream: StreamName;
  /** Letters, digits, `_`, `-` and `+`. */
  durable: string;
  /** Some of the stream's subjects; absent: all. */
  subjects?: readonly string[];
};

export type Consumer = Durable & {
  handle: (delivery: Delivery) => Promise<Outcome>;
};

/** How many messages a consumer handles at a time. */
export const MAX_IN_FLIGHT = 256;

/** What carries messages between the platform and its adapters: in this process, or NATS JetStream. */
export type Bus = {
  /** Sends in this order. Resolves once each is acknowledged or refused for good; rejects where one may be missing. */
  publish(messages: readonly Message[]): Promise<Refusal[]>;
  /** Makes a durable for others to read: adapters may read what the platform made for them, and make none. */
  provide(durable: Durable): Promise<void>;
  /**
   * When the oldest message of this subject came to TOP_UPDATES that no consumer has taken yet; null where there is none.
   * Rejects where the bus does not answer.
   */
  oldestUntaken(subject: string): Promise<Date | null>;
  /** Resolves once the consumer is there. */
  consume(consumer: Consumer): Promise<{ stop(): Promise<void> }>;
  /** Calls back after streams had to be created again: the durables on them are gone. */
  onRestored(tell: () => void): void;
  /** Why the bus carries no messages at the moment; null while it does. */
  unreadyReason(): string | null;
  close(): Promise<void>;
};

/** Matches subjects as NATS does: `*` is one token, `>` at the end one or more. */
export function subjectMatches(pattern: string, subject: string): boolean {
  const wanted = pattern.split('.');
  const given = subject.split('.');
  for (const [index, token] of wanted.entries()) {
    if (token === '>') return given.length > index;
    if (given[index] === undefined || (token !== '*' && token !== given[index])) return false;
  }
  return wanted.length === given.length;
}
