/** A message for the bus. The same id is the same message: the bus keeps one. */
export type Message = { subject: string; id: string; body: Buffer };

/** A message that came from the bus, maybe not for the first time. */
export type Delivery = {
  subject: string;
  body: Buffer;
  /** 1 the first time. */
  attempt: number;
  /** When it came to the bus. */
  sentAt: Date;
};

/** A message that the bus can never take, such as one that is too large, and why. */
export type Refusal = { message: Message; reason: string };

/** DONE: never again. RETRY: deliver it again later, without holding up those behind it. */
export type Outcome = 'DONE' | 'RETRY';

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

/** So many messages a consumer handles at a time. */
export const MAX_IN_FLIGHT = 64;

/** What carries messages between the platform and its adapters: in this process, or NATS JetStream. */
export type Bus = {
  /** In this order. Resolves once every one is acknowledged or refused for good; rejects where another may be missing. */
  publish(messages: readonly Message[]): Promise<Refusal[]>;
  /** Makes a durable for others to read: adapters may read what the platform made for them, and make none. */
  provide(durable: Durable): Promise<void>;
  /** Resolves once the consumer is there. */
  consume(consumer: Consumer): Promise<{ stop(): Promise<void> }>;
  /** Calls when streams had to be made anew: what was provided on them is gone. */
  onRestored(tell: () => void): void;
  /** Why the bus does not carry messages at the moment; null where it does. */
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
