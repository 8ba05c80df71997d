import type { ResponseHeaders } from '../runtime.js';

/** A result together with the answer it came in. */
export interface WithResponse<T> {
  data: T;
  /** Correlation id of the call. */
  requestId: string;
  /** The HTTP status. */
  status: number;
  headers: ResponseHeaders;
}

/** A promise of the result; `.withResponse()` promises it together with status, headers and request id. */
export interface ApiPromise<T> extends Promise<T> {
  withResponse(): Promise<WithResponse<T>>;
}

export function apiPromise<T>(answer: Promise<WithResponse<T>>): ApiPromise<T> {
  const data = dataOf(answer);
  return Object.assign(data, {
    withResponse() {
      // The caller now handles a failure on the other promise; on this one it must not count as unhandled.
      data.catch(() => {});
      return answer;
    },
  });
}

/** Awaits instead of chaining, so that stack traces include the line of the caller. */
async function dataOf<T>(answer: Promise<WithResponse<T>>): Promise<T> {
  return (await answer).data;
}
