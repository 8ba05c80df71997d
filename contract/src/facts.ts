/**
 * Facts that clients need at run time, without zod: SDK, command line and console bundle those that they import, as long
 * as nothing here is computed.
 */

/** The most items of a page. */
export const MAX_PAGE = 500;

/** A page of a filtered list reads at most this many rows, even if its filters match none of them. */
export const MAX_ROWS_READ = 5_000;

/** The most commands of one request, and the most bytes of its body. */
export const MAX_BATCH = 500;
export const MAX_BATCH_BYTES = 1_048_576;

/** The most seconds from the acceptance of a command to its deadline. */
export const MAX_TIMEOUT_SECONDS = 300;

/** The most seconds that a credential may allow between X-Api-Timestamp and the server clock. */
export const MAX_CLOCK_SKEW_SECONDS = 900;

/** The deepest levels of objects and arrays in the body of a request, and in that of a batch of commands. */
export const MAX_DEPTH = 32;
export const MAX_BATCH_DEPTH = 34;

export const openStatuses = ['ACCEPTED', 'DISPATCHED'] as const;

export const finalStatuses = [
  'SUCCEEDED',
  'FAILED',
  'REJECTED',
  'UNSUPPORTED',
  'TIMED_OUT',
  'EXPIRED',
  'CANCELED',
] as const;

export const countOpen = (counts: { ACCEPTED: number; DISPATCHED: number }): number =>
  counts.ACCEPTED + counts.DISPATCHED;

/** The same request may succeed later. */
export const isTransient = (status: number): boolean => status >= 500 || status === 408 || status === 429;

/**
 * Whether an error leaves open what the platform did. A 2xx with an unreadable body may have taken effect. After
 * NONCE_REUSED the nonce was new: a proxy sent the request twice, and the first copy may have been executed.
 */
export const isUndecided = (status: number, code?: string): boolean =>
  isTransient(status) || (status >= 200 && status < 300) || code === 'NONCE_REUSED';

/**
 * Whether no device has seen a command. That is so if the platform never sent it (EXPIRED), if no adapter has ever read
 * commands of the vendor (NO_ADAPTER), or if every report of the adapter says UNREACHABLE. Late reports count too.
 */
export function isSafeToRepeat(command: {
  status: string;
  status_reason: { code: string } | null;
  history: readonly { source: string; adapter_status: string }[];
}): boolean {
  const { status, status_reason, history } = command;
  const reports = history.filter(({ source }) => source !== 'PLATFORM');
  if (reports.some(({ source, adapter_status }) => source !== 'ADAPTER' || adapter_status !== 'UNREACHABLE'))
    return false;
  if (status === 'TIMED_OUT' && status_reason?.code === 'NO_ADAPTER') return true;
  return status === 'EXPIRED' || ((status === 'FAILED' || status === 'TIMED_OUT') && reports.length > 0);
}
