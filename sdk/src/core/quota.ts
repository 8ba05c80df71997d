import type { ResponseHeaders } from '../runtime.js';

/** One used-up quota of a RateLimit header: `"credential";r=0;t=12`. `t` is in seconds. */
const USED_UP = /^\s*"?[\w-]+"?\s*;(?=(?:.*;)?\s*r=0\b)(?:.*;)?\s*t=(\d{1,6})\b/;

/** The time until which the platform refuses requests because a quota is used up, by its RateLimit headers. */
export class Quota {
  #refusedUntil = 0;

  /** How long to wait before the next request, in milliseconds. */
  get waitMs(): number {
    return Math.max(0, this.#refusedUntil - performance.now());
  }

  read(headers: ResponseHeaders): void {
    for (const quota of headers.get('ratelimit')?.split(',') ?? []) {
      const [, seconds] = USED_UP.exec(quota) ?? [];
      if (seconds) this.#refusedUntil = Math.max(this.#refusedUntil, performance.now() + Number(seconds) * 1000);
    }
  }
}
