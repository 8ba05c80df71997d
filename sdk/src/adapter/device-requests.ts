import { DEFAULT_EXPIRES_IN_SECONDS } from '@tenant-open-platform/contract/bus-access';
import type { AdapterLog } from './events.js';
import type { DeviceReplyMessage, DeviceRequestMessage } from './messages.gen.js';
import { problemOfObject } from './outcome.js';

export interface DeviceRequest extends DeviceRequestMessage {
  /** The tenant of the device; by default the tenant of the adapter. An adapter of the tenant `platform` needs it. */
  tenant_id?: string;
  /** The name of the bus of the tenant. An adapter of several `buses` needs it. */
  bus?: string | undefined;
}

interface ReplyContext {
  readonly tenant_id: string;
  /** The name of the bus of the reply, if the adapter has several `buses`. */
  readonly bus?: string | undefined;
}

/**
 * Delivers a reply to its device. If it throws, NATS delivers the reply again, to any process of the adapter, until the
 * request expires.
 */
export type ReplyHandler = (reply: DeviceReplyMessage, context: ReplyContext) => Promise<void> | void;

/** A message of a reply: from NATS, or from a test. */
export interface ReplyDelivery {
  readonly tenantId: string;
  readonly reply: DeviceReplyMessage;
  /** Counts from 1. */
  readonly attempt: number;
  acknowledge(): void;
  /** Restarts the time after which the reply is delivered again. */
  stillWorking(): void;
  retry(delayMs: number): void;
}

type Answer = DeviceReplyMessage | null;

interface Options {
  /** Publishes a request until it is acknowledged. */
  publish(tenantId: string, request: DeviceRequestMessage, signal: AbortSignal): Promise<void>;
  onReply: ReplyHandler | undefined;
  /** Called before each request: its reply must be read. */
  readReplies(): void;
  log: AdapterLog;
}

/** A reply that the platform sent at the last moment is still on its way. */
const ON_ITS_WAY_MS = 1_000;
const RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;
const REPLIES_AT_ONCE = 16;
/** Well within the 30 seconds after which NATS delivers an unacknowledged reply again. */
const STILL_WORKING_MS = 10_000;

/** Requests of devices, and the replies to them. */
export class DeviceRequests {
  readonly #awaited = new Map<string, { answer: Promise<Answer>; end(answer: Answer): void }>();
  /** By tenant and dedupe_id. */
  readonly #inWork = new Map<string, Promise<void>>();
  #wake = () => {};
  readonly #stopping = new AbortController();

  constructor(private readonly options: Options) {}

  /** The same tenant and dedupe_id is the same request: it is sent once. */
  async send(tenantId: string, request: DeviceRequestMessage): Promise<Answer> {
    const problem = problemOf(request);
    if (problem) throw new TypeError(`request: ${problem}`);
    if (this.#stopping.signal.aborted) throw new Error('The adapter was stopped.');
    this.options.readReplies();
    const key = keyOf(tenantId, request);
    const earlier = this.#awaited.get(key);
    if (earlier) return earlier.answer;
    let end = (_: Answer) => {};
    const replied = new Promise<Answer>((resolve) => {
      end = resolve;
    });
    const answer = this.#sendAndWait(tenantId, request, replied, end).finally(() => this.#awaited.delete(key));
    this.#awaited.set(key, { answer, end });
    return answer;
  }

  async #sendAndWait(
    tenantId: string,
    request: DeviceRequestMessage,
    replied: Promise<Answer>,
    end: (answer: Answer) => void,
  ): Promise<Answer> {
    const expiresInMs = (request.expires_in_seconds ?? DEFAULT_EXPIRES_IN_SECONDS) * 1_000;
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

  /** Resolves when replies may be fetched, to their number. */
  async room(): Promise<number> {
    while (this.#inWork.size >= REPLIES_AT_ONCE && !this.#stopping.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return REPLIES_AT_ONCE - this.#inWork.size;
  }

  take(delivery: ReplyDelivery): void {
    const { tenantId, reply, attempt, acknowledge, retry } = delivery;
    const key = keyOf(tenantId, reply);
    // The delivery in work acknowledges it.
    if (this.#inWork.has(key)) return;
    const retryMs = Math.min(LONGEST_RETRY_MS, RETRY_MS * attempt);
    // What began now could not be acknowledged before the connection closes.
    if (this.#stopping.signal.aborted) return retry(retryMs);
    const awaited = this.#awaited.get(key);
    if (awaited) {
      awaited.end(reply);
      return acknowledge();
    }
    if (Date.parse(reply.expires_at) <= Date.now()) return acknowledge();
    const { onReply } = this.options;
    // Another process may wait for it.
    if (!onReply) return retry(retryMs);
    const delivered = this.#deliver(delivery, onReply, retryMs).finally(() => {
      this.#inWork.delete(key);
      this.#wake();
    });
    this.#inWork.set(key, delivered);
  }

  /** For a test, which does not wait until a request expires. */
  expire(tenantId: string, request: { dedupe_id: string }): void {
    this.#awaited.get(keyOf(tenantId, request))?.end(null);
  }

  async #deliver(
    { tenantId, reply, acknowledge, stillWorking, retry }: ReplyDelivery,
    onReply: ReplyHandler,
    retryMs: number,
  ): Promise<void> {
    const ticking = setInterval(stillWorking, STILL_WORKING_MS);
    try {
      await onReply(reply, { tenant_id: tenantId });
      acknowledge();
    } catch (error) {
      const { device_id, request_type, dedupe_id } = reply;
      const message = `The reply to ${request_type} of ${device_id} (${dedupe_id}) was not delivered; it is tried again.`;
      this.options.log({ level: 'error', event: 'failed', message, tenant_id: tenantId, device_id, dedupe_id, error });
      retry(retryMs);
    } finally {
      clearInterval(ticking);
    }
  }

  /** No request waits any longer, and no reply is begun. Resolves when the replies in work are delivered. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    for (const { end } of this.#awaited.values()) end(null);
    this.#wake();
    await Promise.all(this.#inWork.values());
  }
}

const keyOf = (tenantId: string, { dedupe_id }: { dedupe_id: string }) => `${tenantId} ${dedupe_id}`;

/** The platform parks what is not valid, and the adapter would wait in vain. */
function problemOf({ dedupe_id, payload, expires_in_seconds = DEFAULT_EXPIRES_IN_SECONDS }: DeviceRequestMessage) {
  if (!/^[\x21-\x7E]{1,128}$/.test(dedupe_id)) return 'dedupe_id must be 1 to 128 visible ASCII characters.';
  const isWithin = expires_in_seconds >= 5 && expires_in_seconds <= 86_400;
  if (!Number.isInteger(expires_in_seconds) || !isWithin) return 'expires_in_seconds must be 5 to 86400.';
  const problem = problemOfObject(payload);
  return problem && `payload is ${problem}.`;
}
