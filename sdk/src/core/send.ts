import { EMPTY_BODY_SHA256 } from '@tenant-open-platform/contract/signature';
import { type Operations, operations } from '../api.gen.js';
import { type CallSettings, type Configuration, MAX_TIMER_MS } from '../configuration.js';
import { type ErrorContext, isApiError, isTenantOpenPlatformError, type TenantOpenPlatformError } from '../errors.js';
import { readAnswer } from './answer.js';
import { type ApiPromise, apiPromise, type WithResponse } from './api-promise.js';
import { attempt } from './attempt.js';
import { Clock, type ClockReading } from './clock.js';
import type { RequestEvent } from './observe.js';
import { outlast } from './outlast.js';
import { type IsLast, lostCursor, type Page, type PagePromise, pagePromise } from './page.js';
import { Quota } from './quota.js';
import type { KeyedRequestOptions, RequestOptions } from './request-options.js';
import { backOffMs, isDecided } from './retry.js';
import { RetryBudget } from './retry-budget.js';
import { serializeBody } from './serialize-body.js';
import { hashBody, importKey, type Key, signParts } from './signature.js';
import { sleep } from './sleep.js';
import { buildTarget } from './target.js';

type Name = keyof Operations;
/** The operations whose query has a cursor. */
type ListName = {
  [N in Name]: Operations[N]['request'] extends { query?: infer Query }
    ? 'cursor' extends keyof NonNullable<Query>
      ? N
      : never
    : never;
}[Name];

/** The common part of the types of all operations. */
interface AnyRequest {
  /** The values of the path's parameters, in the order of the path. */
  path?: readonly string[];
  query?: (object & { cursor?: string | null; wait_seconds?: number }) | undefined;
  body?: object;
}

/** The common data of all attempts of a call. */
interface Call {
  name: Name;
  idempotencyKey: string | undefined;
  /** Whether the key is sent as a header; otherwise the body has it. */
  isKeyed: boolean;
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

/** Sends all requests: signs every attempt, retries safe ones, and turns answers into results and errors. */
export class Sender {
  readonly #configuration: Configuration;
  readonly #retryBudget = new RetryBudget();
  readonly #quota = new Quota();
  readonly #clock = new Clock();
  #key: Promise<Key> | Key | undefined;

  constructor(configuration: Configuration) {
    this.#configuration = configuration;
  }

  /** The page that explains errors: each platform serves its own. */
  get docUrl(): string {
    return this.#configuration.docUrl;
  }

  /** The time limit of a call with these options, in milliseconds. */
  deadlineMs(options: RequestOptions): number {
    return this.#configuration.settle(options).deadlineMs;
  }

  /** Whether the budget of the client allowed one more retry. */
  spendRetry(): boolean {
    return this.#retryBudget.spend();
  }

  call<N extends Name>(
    name: N,
    request: Operations[N]['request'],
    options?: RequestOptions,
  ): ApiPromise<Operations[N]['answer']> {
    return apiPromise(this.#send<Operations[N]['answer']>(name, request, options));
  }

  list<N extends ListName>(
    name: N,
    request: Operations[N]['request'],
    options?: RequestOptions,
    isLast?: IsLast,
  ): PagePromise<Operations[N]['answer']> {
    type Item = Operations[N]['answer'];
    const fetchPage = async (cursor?: string | null) => {
      // The cursor says where to continue: the platform refuses from=now with it.
      const query = cursor === undefined ? request.query : { ...request.query, from: undefined, cursor };
      const readPage = () => this.#send<Page<Item> | Item[]>(name, { ...request, query }, options);
      const { data, ...answer } = await (cursor === undefined ? readPage() : this.#outlast(readPage, options));
      return { ...answer, data: Array.isArray(data) ? toPage(data, answer) : data };
    };
    const { query }: AnyRequest = request;
    return pagePromise<Item>(fetchPage, { isLast, waits: Boolean(query?.wait_seconds) });
  }

  /** An iteration has no caller who could repeat the call for its next page. */
  #outlast<T>(readPage: () => Promise<T>, options: RequestOptions = {}): Promise<T> {
    const { deadlineMs, maxRetries, signal } = this.#configuration.settle(options);
    return outlast(readPage, { endsAt: maxRetries > 0 ? performance.now() + deadlineMs : 0, signal });
  }

  async #send<T>(name: Name, request: AnyRequest, options: RequestOptions = {}): Promise<WithResponse<T>> {
    const call = await this.#prepare(name, request, options);
    const { observer } = this.#configuration;
    const { signal, maxRetries } = call.settings;
    const fail = (attempt: number, error: TenantOpenPlatformError) => {
      observer.error({ ...describe(call, attempt), error });
      return error;
    };
    let retries = 0;
    let clockCorrected = false;
    for (let attempts = 1; ; attempts += 1) {
      await this.#awaitQuota(call);
      const signed = this.#clock.read();
      try {
        const result = await this.#attempt<T>(call, attempts, signed);
        this.#retryBudget.earn();
        return result;
      } catch (error) {
        if (!isTenantOpenPlatformError(error)) throw error;
        // Not counted as a retry: the refusal had no effect and contains the correct time.
        if (!clockCorrected && this.#correctClock(error, signed)) {
          clockCorrected = true;
          continue;
        }
        const delayMs = backOffMs(retries, isApiError(error) ? error.retryAfterMs : undefined);
        const isInTime = performance.now() + delayMs < call.endsAt;
        const mayRetry = !isDecided(error) && retries < maxRetries && isInTime && this.#retryBudget.spend();
        if (!mayRetry) throw fail(attempts, error);
        retries += 1;
        observer.retry({ ...describe(call, attempts), error, delayMs });
        await sleep(delayMs, signal);
      }
    }
  }

  async #prepare(name: Name, request: AnyRequest, options: KeyedRequestOptions): Promise<Call> {
    const settings = this.#configuration.settle(options);
    if (settings.signal?.aborted) throw settings.signal.reason;
    const [method, path, takes] = operations[name];
    const isKeyed = takes === 'keyed body';
    const fields: { idempotency_key?: string; [field: string]: unknown } = { ...request.body };
    const body = request.body && serializeBody(request.body);
    const waitMs = (request.query?.wait_seconds ?? 0) * 1000;
    return {
      name,
      idempotencyKey: isKeyed ? (options.idempotencyKey ?? crypto.randomUUID()) : fields.idempotency_key,
      isKeyed,
      method,
      settings,
      target: buildTarget(path, request.path, request.query),
      body,
      waitMs,
      endsAt: performance.now() + settings.deadlineMs + waitMs,
      requestId: settings.requestId ?? crypto.randomUUID(),
      // To hash nothing would cost each request without a body as much as to sign.
      bodySha256: body ? await hashBody(body) : EMPTY_BODY_SHA256,
    };
  }

  async #attempt<T>(call: Call, attempts: number, signed: ClockReading): Promise<WithResponse<T>> {
    const { baseUrl, fetch, observer } = this.#configuration;
    const { settings, target, body } = call;
    const event = describe(call, attempts);
    const context: ErrorContext = {
      operation: call.name,
      requestId: call.requestId,
      attempts,
      idempotencyKey: call.idempotencyKey,
      docUrl: this.docUrl,
    };
    const startedAt = performance.now();
    const headers = { ...(await this.#headers(call, signed)), ...settings.headers, ...observer.request(event) };
    const leftMs = Math.min(settings.timeoutMs + call.waitMs, call.endsAt - startedAt, MAX_TIMER_MS);
    const timeoutMs = Math.max(0, leftMs);
    const init = { method: call.method, headers, ...(body !== undefined && { body }) };
    const answer = await attempt(fetch, `${baseUrl}${target}`, init, { timeoutMs, signal: settings.signal }, context);
    this.#quota.read(answer.headers);
    observer.response({ ...event, status: answer.status, durationMs: performance.now() - startedAt });
    return readAnswer<T>(answer, context, this.#clock.read().atMs);
  }

  async #headers(call: Call, signed: ClockReading): Promise<Record<string, string>> {
    const { clientId, secret, userAgent } = this.#configuration;
    this.#key ??= typeof secret === 'string' ? importKey(secret) : (secret as Key);
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
      ...(call.isKeyed && { 'Idempotency-Key': call.idempotencyKey }),
      Accept: 'application/json',
      ...(call.body !== undefined && { 'Content-Type': 'application/json' }),
      ...(userAgent && { 'User-Agent': userAgent }),
    };
  }

  /**
   * Waits until the quota is full again, if that is within the deadline of the call. Otherwise the platform decides.
   */
  async #awaitQuota({ endsAt, settings }: Call): Promise<void> {
    const { waitMs } = this.#quota;
    if (waitMs > 0 && performance.now() + waitMs < endsAt) await sleep(backOffMs(0, waitMs), settings.signal);
  }

  #correctClock(error: unknown, signed: ClockReading): boolean {
    if (!isApiError(error, 'CLOCK_SKEW')) return false;
    const serverTimeMs = Date.parse(String(error.metadata.server_time));
    if (Number.isNaN(serverTimeMs)) return false;
    this.#clock.correct(signed, serverTimeMs);
    return true;
  }
}

function describe({ name, method, target, requestId }: Call, attempts: number): RequestEvent {
  return { operation: name, attempt: attempts, method, target, requestId };
}

/** The credential list is a bare array whose cursor is in a header. */
function toPage<Item>(items: Item[], { headers, requestId }: Omit<WithResponse<unknown>, 'data'>): Page<Item> {
  const cursor = headers.get('x-next-cursor');
  if (cursor === null && headers.get('link')?.includes('rel="next"')) throw lostCursor();
  return { items, next_cursor: cursor, request_id: requestId };
}
