import { isUndecided } from '@tenant-open-platform/contract/facts';
import { isApiError, isConnectionError, isTimeoutError } from '../errors.js';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 8_000;

/**
 * Whether the platform has decided the request, so that it would be refused again. After every other failure a call is
 * retried, even if it may have taken effect: every operation is safe to repeat, by itself or by its idempotency key.
 */
export function isDecided(error: unknown): boolean {
  if (isApiError(error)) return !isUndecided(error.status, error.code);
  return !isTimeoutError(error) && !isConnectionError(error);
}

/** Full jitter: clients that failed together do not retry together. `retry` counts from 0. */
export function backOffMs(retry: number, retryAfterMs = 0): number {
  return retryAfterMs + Math.random() * Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** retry);
}

/** Retry-After in seconds or as a date, read on the server's clock. Date.parse would read 5.5 as a day in May 2001. */
export function parseRetryAfterMs(value: string | null, serverNowMs: number): number | undefined {
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1000);
  const ms = / GMT$/.test(value) ? Date.parse(value) - serverNowMs : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
