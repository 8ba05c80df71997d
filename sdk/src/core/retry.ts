import { isApiError, isConnectionError, isTimeoutError } from '../errors.js';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;

/**
 * Whether the platform has decided the request, so that it would be refused again. After every other failure a call is
 * retried, even if it may have taken effect: every operation is safe to repeat, by itself or by its idempotency key.
 */
export function isDecided(error: unknown): boolean {
  if (isTimeoutError(error) || isConnectionError(error)) return false;
  if (!isApiError(error)) return true;
  const { status, code } = error;
  // A 2xx with an unreadable body may have taken effect.
  if (status === 408 || status === 429 || status >= 500 || (status >= 200 && status < 300)) return false;
  // The nonce was new, so a proxy sent the request twice, and the first copy may have been executed.
  return code !== 'NONCE_REUSED';
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
