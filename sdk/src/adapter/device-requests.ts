import { DEFAULT_EXPIRES_IN_SECONDS } from '@tenant-open-platform/contract/bus-access';
import type { AdapterLog } from './events.js';
import type { DeviceReplyMessage, DeviceRequestMessage } from './messages.gen.js';
import { problemOfObject } from './outcome.js';
import { keyOf, type ReplyDelivery, type ReplyOptions, ReplyRunner } from './reply-runner.js';

export interface DeviceRequest extends DeviceRequestMessage {
  /** The tenant of the device; by default the tenant of the adapter. An adapter of the tenant `platform` needs it. */
  tenant_id?: string;
  /** The name of the bus of the tenant. An adapter of several `buses` needs it. */
  bus?: string | undefined;
}

type Answer = DeviceReplyMessage | null;

interface Options extends ReplyOptions {
  /** Publishes a request until it is acknowledged. */
  publish(tenantId: string, request: DeviceRequestMessage, signal: AbortSignal): Promise<void>;
  /** Called before each request: its reply must be read. */
  readReplies(): void;
  log: AdapterLog;
}

interface Awaited {
  /** What the request says. */
  content: string;
  answer: Promise<Answer>;
  end(answer: Answer): void;
}

/** A reply that the platform sent at the last moment is still on its way. */
const ON_ITS_WAY_MS = 1_000;

/** Requests of devices, and the replies to them. */
export class DeviceRequests {
  readonly #awaited = new Map<string, Awaited>();
  readonly #replies: ReplyRunner;
  readonly #stopping = new AbortController();

  constructor(private readonly options: Options) {
    this.#replies = new ReplyRunner(options);
  }

  /** The same device and dedupe_id is the same request: it is sent once. */
  async send(tenantId: string, request: DeviceRequestMessage): Promise<Answer> {
    const problem = problemOf(request);
    if (problem) throw new TypeError(`request: ${problem}`);
    if (this.#stopping.signal.aborted) throw new Error('The adapter was stopped.');
    const key = keyOf(tenantId, request);
    const content = JSON.stringify([request.request_type, request.payload]);
    const earlier = this.#awaited.get(key);
    if (earlier && earlier.content !== content) {
      throw new TypeError(
        `request: ${request.device_id} already waits for a reply to another request with this dedupe_id.`,
      );
    }
    if (earlier) return earlier.answer;
    this.options.readReplies();
    let end = (_: Answer) => {};
    const replied = new Promise<Answer>((resolve) => {
      end = resolve;
    });
    const answer = this.#sendAndWait(tenantId, request, replied, end).finally(() => this.#awaited.delete(key));
    this.#awaited.set(key, { content, answer, end });
    this.#replies.wake();
    return answer;
  }

  async #sendAndWait(
    tenantId: string,
    request: DeviceRequestMessage,
    replied: Promise<Answer>,
    end: (answer: Answer) => void,
  ): Promise<Answer> {
    const expiresInMs = expiresInMsOf(request);
    const unsent = new AbortController();
    let timer = setTimeout(() => unsent.abort(), expiresInMs);
    try {
      await this.options.publish(tenantId, request, AbortSignal.any([unsent.signal, this.#stopping.signal]));
      clearTimeout(timer);
      if (unsent.signal.aborted || this.#stopping.signal.aborted) return null;
      // The time of the request starts when NATS has stored it.
      timer = setTimeout(() => end(null), expiresInMs + ON_ITS_WAY_MS);
      return await replied;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Resolves when replies may be fetched, to their number. A reply that a request awaits needs no place. */
  room(): Promise<number> {
    return this.#replies.room(() => this.#awaited.size);
  }

  take(delivery: ReplyDelivery): void {
    const awaited = this.#awaited.get(keyOf(delivery.tenantId, delivery.reply));
    if (!awaited || this.#stopping.signal.aborted) return this.#replies.take(delivery);
    awaited.end(delivery.reply);
    delivery.acknowledge();
  }

  /** For a test, which does not wait until a request expires. */
  expire(tenantId: string, request: { device_id: string; dedupe_id: string }): void {
    this.#awaited.get(keyOf(tenantId, request))?.end(null);
  }

  /** No reply is begun any more. Requests still get theirs. */
  giveBack(): Promise<void> {
    return this.#replies.stop();
  }

  /** No request waits any longer. Resolves when the replies in work are delivered, or given back. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const { end } of this.#awaited.values()) end(null);
    await this.#replies.stop();
  }
}

export const expiresInMsOf = ({ expires_in_seconds = DEFAULT_EXPIRES_IN_SECONDS }: DeviceRequestMessage) =>
  expires_in_seconds * 1_000;

/** The platform parks what is not valid, and the adapter would wait in vain. */
export function problemOf({
  dedupe_id,
  payload,
  expires_in_seconds = DEFAULT_EXPIRES_IN_SECONDS,
}: DeviceRequestMessage): string | undefined {
  if (!/^[\x21-\x7E]{1,128}$/.test(dedupe_id)) return 'dedupe_id must be 1 to 128 visible ASCII characters.';
  const isWithin = expires_in_seconds >= 5 && expires_in_seconds <= 86_400;
  if (!Number.isInteger(expires_in_seconds) || !isWithin) return 'expires_in_seconds must be 5 to 86400.';
  const problem = problemOfObject(payload);
  return problem && `payload is ${problem}.`;
}
