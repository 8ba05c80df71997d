import type { RuntimeAbortSignal } from '../runtime.js';

/** Settings of one call. They override those of the client. */
export interface RequestOptions {
  /** Cancels the call, even while it waits for a retry. The call rejects with the signal's reason. */
  signal?: RuntimeAbortSignal | undefined;
  /** Time limit of one attempt, in milliseconds, in addition to `wait_seconds` of the query. */
  timeoutMs?: number | undefined;
  /** Time limit of the whole call with all its attempts, in milliseconds, in addition to `wait_seconds` of the query. */
  deadlineMs?: number | undefined;
  /** How often a failed attempt is repeated; 0 for never. */
  maxRetries?: number | undefined;
  /** More headers of this call, for example `traceparent`. They are sent with every attempt, and are not signed. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Correlation id, 1 to 128 characters of `[A-Za-z0-9._~-]`. Default: a random UUID. */
  requestId?: string | undefined;
}

/** Settings of a call that has an idempotency key. */
export interface KeyedRequestOptions extends RequestOptions {
  /** 1 to 128 visible ASCII characters. The same key repeats a call safely, also after a restart. Default: a random UUID. */
  idempotencyKey?: string | undefined;
}
