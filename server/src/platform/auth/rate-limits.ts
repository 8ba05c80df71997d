import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { ApiError } from '../http/api-error.js';

const WINDOW_SECONDS = 60;
const REMEMBER_VERIFIED_MS = 10 * 60_000;

/** Counters of this process. Nodes do not share them. */
export function rateLimits(limits: { requestsPerMinute: number; failedAuthenticationsPerMinute: number }) {
  const requests = new RateLimiterMemory({ points: limits.requestsPerMinute, duration: WINDOW_SECONDS });
  const failures = new RateLimiterMemory({ points: limits.failedAuthenticationsPerMinute, duration: WINDOW_SECONDS });
  const reserved = new Map<string, number>();
  const verified = new LRUCache<string, true>({ max: 100_000, ttl: REMEMBER_VERIFIED_MS });

  return {
    /**
     * Refuses an address that guesses. A client that verified from it lately stays unharmed: whoever shares its
     * address must not be able to lock it out.
     */
    async refuseGuessing(address: string, clientId: string): Promise<void> {
      const failed = await failures.get(address);
      if (failed && failed.remainingPoints <= 0 && !verified.has(`${address} ${clientId}`)) {
        throw rateLimited(failed, limits.failedAuthenticationsPerMinute);
      }
    },

    async countFailure(address: string): Promise<void> {
      await failures.consume(address).catch(ignoreExhausted);
    },

    rememberVerified(address: string, clientId: string): void {
      verified.set(`${address} ${clientId}`, true);
    },

    /**
     * Keeps a place in the quota for a request that takes effect before it is counted; answers how to give it back, or
     * null where none is left. Whoever replays requests holds places for a moment, and nobody is refused for want of one.
     */
    async reserve(clientId: string): Promise<(() => void) | null> {
      const counted = await requests.get(clientId);
      const held = reserved.get(clientId) ?? 0;
      if ((counted?.remainingPoints ?? limits.requestsPerMinute) <= held) return null;
      reserved.set(clientId, held + 1);
      return () => {
        const left = (reserved.get(clientId) ?? 1) - 1;
        if (left === 0) reserved.delete(clientId);
        else reserved.set(clientId, left);
      };
    },

    /** Counts a request of the credential itself, live and fresh, and refuses it over the limit. */
    async countRequest(clientId: string, { refuse }: { refuse: boolean }): Promise<void> {
      try {
        await requests.consume(clientId);
      } catch (exhausted) {
        if (!(exhausted instanceof RateLimiterRes)) throw exhausted;
        if (!refuse) return;
        throw rateLimited(exhausted, limits.requestsPerMinute);
      }
    },
  };
}

function ignoreExhausted(reason: unknown): void {
  if (!(reason instanceof RateLimiterRes)) throw reason;
}

function rateLimited(state: RateLimiterRes, quota: number): ApiError {
  const seconds = Math.max(1, Math.ceil(state.msBeforeNext / 1000));
  return new ApiError('RATE_LIMITED', {
    headers: {
      'Retry-After': String(seconds),
      RateLimit: `"default";r=${Math.max(0, state.remainingPoints)};t=${seconds}`,
      'RateLimit-Policy': `"default";q=${quota};w=${WINDOW_SECONDS}`,
    },
  });
}
