import { type CallSettings, type Configuration, MAX_TIMER_MS } from '../configuration.js';
import {
  type ErrorContext,
  isApiError,
  isTenantOpenPlatformError,
  type TenantOpenPlatformError,
  UnknownOutcomeError,
} from '../errors.js';
import type { RuntimeAbortSignal } from '../runtime.js';
import { readAnswer } from './answer.js';
import { type ApiPromise, apiPromise, type WithResponse } from './api-promise.js';
import { attempt } from './attempt.js';
import { Clock, type ClockReading } from './clock.js';
import { type AttemptEvent, createObserver, type Observer } from './observe.js';
import { type IsLast, type Page, type PagePromise, pagePromise } from './page.js';
import { backOffMs, effectOf } from './retry.js';
import { hashBody, importKey, type Key, signParts } from './signature.js';
import { sleep } from './sleep.js';
import { buildTarget } from './target.js';

/** Settings of one call; they go before those of the client. */
export interface RequestOptions {
  /** Cancels the call, also while it waits for a retry; it rejects with the signal's reason. */
  signal?: RuntimeAbortSignal | undefined;
  /** How long one attempt may take, in milliseconds; `wait_seconds` of the query comes on top. */
  timeoutMs?: number | undefined;
  /** How long the whole call may take with all attempts, in milliseconds; `wait_seconds` of the query comes on top. */
  deadlineMs?: number | undefined;
  /** How often a failed attempt is repeated; 0 for never. */
  maxRetries?: number | undefined;
  /** Correlation id, 1 to 128 characters of `[A-Za-z0-9._~-]`; a UUID, if absent. */
  requestId?: string | undefined;
}

export interface Operation {
  name: string;
  /** Default: GET. */
  method?: 'POST' | 'PUT' | 'DELETE';
  /** As in the OpenAPI document. */
  path: string;
  /** The values of the path's parameters, in its order. */
  parameters?: readonly string[];
  query?: { cursor?: string | null | undefined; wait_seconds?: number | undefined } | undefined;
  body?: object;
  idempotencyKey?: string;
  /** What the caller should check after an unknown outcome; absent where the call may simply be repeated. */
  check?: string | undefined;
}

/** What all attempts of a call have in common. */
interface Call {
  operation: Operation;
  method: string;
  settings: CallSettings;
  target: string;
  body: string | undefined;
  bodySha256: string;
  requestId: string;
  /** How long the platform may wait before it answers. */
  waitMs: number;
  endsAt: number;
}

/** The one way out: signs every attempt anew, repeats what may be repeated, and turns answers into results and errors. */
export class Sender {
  readonly #configuration: Configuration;
  readonly #observer: Observer;
  readonly #clock = new Clock();
  #key: Promise<Key> | undefined;

  constructor(configuration: Configuration) {
    this.#configuration = configuration;
    this.#observer = createObserver(configuration.logger, configuration.hooks);
  }

  call<T>(operation: Operation, options?: RequestOptions): ApiPromise<T> {
    return apiPromise(this.#send<T>(operation, options));
  }

  list<Item>(operation: Operation, options?: RequestOptions, isLast?: IsLast): PagePromise<Item> {
    return pagePromise(async (cursor) => {
      const query = cursor === undefined ? operation.query : { ...operation.query, cursor };
      const { data, ...answer } = await this.#send<Page<Item> | Item[]>({ ...operation, query }, options);
      return { ...answer, data: Array.isArray(data) ? toPage(data, answer) : data };
    }, isLast);
  }

  async #send<T>(operation: Operation, options: RequestOptions = {}): Promise<WithResponse<T>> {
    const call = await this.#prepare(operation, options);
    const { signal, maxRetries } = call.settings;
    let retries = 0;
    let clockCorrected = false;
    for (let attempts = 1; ; attempts += 1) {
      const signed = this.#clock.read();
      try {
        return await this.#attempt<T>(call, attempts, signed);
      } catch (error) {
        if (!isTenantOpenPlatformError(error)) throw error;
        // Not among the retries: the refusal had no effect and says how to do better.
        if (!clockCorrected && this.#correctClock(error, signed)) {
          clockCorrected = true;
          continue;
        }
        const effect = effectOf(error);
        if (effect === 'unknown' && operation.check) throw unknownOutcome(error, operation.check);
        const delayMs = backOffMs(retries, isApiError(error) ? error.retryAfterMs : undefined);
        const isInTime = performance.now() + delayMs < call.endsAt;
        if (effect === 'decided' || retries >= maxRetries || !isInTime) throw error;
        retries += 1;
        this.#observer.retry({ ...describe(call, attempts), error, delayMs });
        await sleep(delayMs, signal);
      }
    }
  }

  async #prepare(operation: Operation, options: RequestOptions): Promise<Call> {
    const settings = this.#configuration.settle(options);
    if (settings.signal?.aborted) throw settings.signal.reason;
    const body = operation.body && JSON.stringify(operation.body);
    const waitMs = (operation.query?.wait_seconds ?? 0) * 1000;
    return {
      operation,
      method: operation.method ?? 'GET',
      settings,
      target: buildTarget(operation.path, operation.parameters, operation.query),
      body,
      waitMs,
      endsAt: performance.now() + settings.deadlineMs + waitMs,
      requestId: settings.requestId ?? crypto.randomUUID(),
      bodySha256: await hashBody(body),
    };
  }

  async #attempt<T>(call: Call, attempts: number, signed: ClockReading): Promise<WithResponse<T>> {
    const { baseUrl, fetch } = this.#configuration;
    const { operation, settings, target, body } = call;
    const event = describe(call, attempts);
    const context: ErrorContext = {
      operation: operation.name,
      requestId: call.requestId,
      attempts,
      idempotencyKey: operation.idempotencyKey,
    };
    const startedAt = performance.now();
    const headers = await this.#headers(call, signed);
    const leftMs = Math.min(settings.timeoutMs + call.waitMs, call.endsAt - startedAt, MAX_TIMER_MS);
    const timeoutMs = Math.max(0, leftMs);
    this.#observer.request(event);
    const init = { method: call.method, headers, ...(body !== undefined && { body }) };
    const answer = await attempt(fetch, `${baseUrl}${target}`, init, { timeoutMs, signal: settings.signal }, context);
    this.#observer.answer({ ...event, status: answer.status, durationMs: performance.now() - startedAt });
    return readAnswer<T>(answer, context, this.#clock.read().atMs);
  }

  async #headers(call: Call, signed: ClockReading): Promise<Record<string, string>> {
    const { clientId, secret, userAgent } = this.#configuration;
    this.#key ??= importKey(secret);
    return {
      ...(await signParts(await this.#key, {
        method: call.method,
        target: call.target,
        clientId,
        timestamp: String(Math.floor(signed.atMs / 1000)),
        nonce: crypto.randomUUID(),
        bodySha256: call.bodySha256,
      })),
      'X-Request-Id': call.requestId,
      Accept: 'application/json',
      ...(call.body !== undefined && { 'Content-Type': 'application/json' }),
      ...(userAgent && { 'User-Agent': userAgent }),
    };
  }

  #correctClock(error: unknown, signed: ClockReading): boolean {
    if (!isApiError(error, 'CLOCK_SKEW')) return false;
    const serverTimeMs = Date.parse(String(error.metadata.server_time));
    if (Number.isNaN(serverTimeMs)) return false;
    this.#clock.correct(signed, serverTimeMs);
    return true;
  }
}

function describe({ operation, method, target, requestId }: Call, attempts: number): AttemptEvent {
  return { operation: operation.name, attempt: attempts, method, target, requestId };
}

/** The credential list is a bare array whose cursor is in a header. */
function toPage<Item>(items: Item[], answer: Omit<WithResponse<unknown>, 'data'>): Page<Item> {
  return { items, next_cursor: answer.headers.get('x-next-cursor'), request_id: answer.requestId };
}

function unknownOutcome(cause: TenantOpenPlatformError, check: string): UnknownOutcomeError {
  const { operation, requestId, attempts } = cause;
  const message = `${cause.message} The request may have taken effect: ${check}`;
  return new UnknownOutcomeError(message, { operation, requestId, attempts, cause });
}
