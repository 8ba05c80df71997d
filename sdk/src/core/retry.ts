import { isApiError, isConnectionError, isTimeoutError } from '../errors.js';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;

/**
 * The possible effect of a failed attempt. `none`: no effect, so every operation may be retried. `unknown`: perhaps the
 * full effect, so only safe operations are retried. `decided`: the request was refused, and would be refused again.
 */
export type Effect = 'none' | 'unknown' | 'decided';

export function effectOf(error: unknown): Effect {
  if (isTimeoutError(error)) return 'unknown';
  if (isConnectionError(error)) return wasNeverSent(error.cause) ? 'none' : 'unknown';
  if (!isApiError(error)) return 'decided';
  const { status, code } = error;
  // The platform answers both before it changes anything. A proxy may have forwarded the request before it gave up.
  if (status === 429 || status === 503) return code === 'UNEXPECTED_ANSWER' ? 'unknown' : 'none';
  // A 2xx with an unreadable body may have taken effect.
  if (status === 408 || status >= 500 || (status >= 200 && status < 300)) return 'unknown';
  // The nonce was new, so a proxy sent the request twice, and the first copy may have been executed.
  if (code === 'NONCE_REUSED') return 'unknown';
  return 'decided';
}

/** Full jitter: clients that failed together do not retry together. `retry` counts from 0. */
export function backOffMs(retry: number, retryAfterMs = 0): number {
  return retryAfterMs + Math.random() * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** retry);
}

/** Retry-After in seconds or as a date, read on the server's clock. */
export function parseRetryAfterMs(value: string | null, serverNowMs: number): number | undefined {
  if (!value) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - serverNowMs;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Failures of name lookup, connecting and certificates, by the codes of Node and Bun. */
const BEFORE_SENDING =
  /^(ECONNREFUSED|ENOTFOUND|EAI_\w+|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused|FailedToOpenSocket|DNS\w+|\w*CERT\w*)$/;

/** Deno gives no codes. No runtime gives one for ports that the Fetch standard blocks. */
const REFUSED_BY_FETCH = /client error \(Connect\)|bad port|Requests to port \d+ are blocked/;

/** `fetch` hides the reason in a chain of causes. If the reason is unknown, the request counts as sent. */
function wasNeverSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, syscall, errors } = error as { code?: unknown; syscall?: unknown; errors?: unknown };
  return (
    BEFORE_SENDING.test(String(code)) ||
    syscall === 'connect' ||
    REFUSED_BY_FETCH.test(error.message) ||
    (Array.isArray(errors) && errors.length > 0 && errors.every(wasNeverSent)) ||
    wasNeverSent(error.cause)
  );
}
