import { ApiError } from '../../foundation/api-error.js';
import { createPlaces, createWindows } from '../../foundation/concurrency/limits-per-key.js';
import { createPeers, type Peers } from '../../foundation/peers.js';

const WINDOW_SECONDS = 60;
/** A list of this size costs the platform about as much as a small read. A larger answer counts as several requests. */
const BYTES_OF_A_REQUEST = 65_536;

/** The processes share one counter: a client with one connection meets one process, so a split quota would be wrong. */
const TELL_AFTER_MS = 100;

type Caller = { tenantId: string; clientId: string };

type Limits = {
  REQUESTS_PER_MINUTE: number;
  REQUESTS_PER_MINUTE_PER_TENANT: number;
  FAILED_AUTHENTICATIONS_PER_MINUTE: number;
};

/** Null: as configured. */
export type Quotas = { requests_per_minute: number | null; requests_per_minute_of_tenant: number | null };

export type RateLimits = ReturnType<typeof createRateLimits>;

/** Counters of this node. Its processes exchange their counts; nodes do not. */
export function createRateLimits(limits: Limits, peers: Peers = createPeers()) {
  const credentials = quota('credential', limits.REQUESTS_PER_MINUTE, peers);
  const tenants = quota('tenant', limits.REQUESTS_PER_MINUTE_PER_TENANT, peers);
  const moved = quota('credential', limits.REQUESTS_PER_MINUTE, peers, 'moved');
  const networks = quota('address', limits.FAILED_AUTHENTICATIONS_PER_MINUTE, peers);
  return {
    /** Counts a failed authentication. Returns the refusal once the network is above its limit. */
    countFailure: (network: string): ApiError | null => networks.count(network),

    /** A place in both quotas for a request that takes effect before it is counted; null if one is used up. */
    reserve({ tenantId, clientId }: Caller): (() => void) | null {
      if (!credentials.hasRoom(clientId) || !tenants.hasRoom(tenantId)) return null;
      const releases = [credentials.reserve(clientId), tenants.reserve(tenantId)];
      return () => {
        for (const release of releases) release?.();
      };
    },

    /** Counts a live, fresh request. Above the credential's quota it does not count towards the tenant's. */
    countRequest: ({ tenantId, clientId }: Caller, own: Quotas): ApiError | null =>
      credentials.count(clientId, own.requests_per_minute) ??
      tenants.count(tenantId, own.requests_per_minute_of_tenant),

    /** Counts a live request of a tenant that has moved away. No nonce is used: a replay counts as well. */
    countMoved: ({ clientId }: Caller, own: Quotas): ApiError | null => moved.count(clientId, own.requests_per_minute),

    /**
     * Counts a request more for each full 64 KiB of a body that was read, or of an answer; less what was `counted` before.
     * Returns the refusal above a quota.
     */
    countBytes({ tenantId, clientId }: Caller, bytes: number, counted = 0): ApiError | null {
      const more = Math.floor(bytes / BYTES_OF_A_REQUEST) - Math.floor(counted / BYTES_OF_A_REQUEST);
      if (more === 0) return null;
      const refusals = [credentials.countMore(clientId, more), tenants.countMore(tenantId, more)];
      return refusals.find((refusal) => refusal !== null) ?? null;
    },
  };
}

const reasons = {
  credential: 'The credential sent more requests than its quota',
  tenant: 'The credentials of the tenant together sent more requests than its quota',
  address: 'More requests from this address failed to authenticate than the limit',
};

/** Counts per key in windows of one minute. A key may have its own limit, which `count` learns. */
function quota(name: keyof typeof reasons, configured: number, peers: Peers, counter: string = name) {
  const windows = createWindows(WINDOW_SECONDS * 1_000);
  const reserved = createPlaces();
  const topic = `counts by ${counter}`;
  /** Counts of this process that the other processes do not know yet. */
  let untold = new Map<string, number>();

  peers.hear(topic, (counts) => {
    for (const [key, count] of counts as typeof untold) windows.add(key, count);
  });

  function tell(): void {
    peers.tell(topic, untold);
    untold = new Map();
  }

  function add(key: string, requests: number) {
    if (peers.name) {
      if (untold.size === 0) setTimeout(tell, TELL_AFTER_MS).unref();
      untold.set(key, (untold.get(key) ?? 0) + requests);
    }
    return windows.add(key, requests);
  }

  return {
    count(key: string, own: number | null = null): ApiError | null {
      const limit = own ?? configured;
      windows.of(key).limit = limit;
      return countMore(key, 1);
    },
    countMore,
    /** Until the limit of a key is known, it has room for one request at a time. */
    hasRoom(key: string): boolean {
      const { used, limit = used + 1 } = windows.of(key);
      return used + reserved.countOf(key) < limit;
    },
    /** It never makes `count` refuse: a replayed request holds a place, and must not use up the quota of its victim. */
    reserve: (key: string) => reserved.take(key),
  };

  function countMore(key: string, requests: number): ApiError | null {
    const { used, limit = used, endsAt } = add(key, requests);
    return used > limit ? rateLimited(limit, endsAt - performance.now()) : null;
  }

  function rateLimited(limit: number, milliseconds: number): ApiError {
    const seconds = Math.max(1, Math.ceil(milliseconds / 1000));
    return new ApiError('RATE_LIMITED', {
      message: `${reasons[name]} of ${limit} a minute. Wait for the time in Retry-After.`,
      metadata: { quota: name, limit },
      headers: {
        'Retry-After': String(seconds),
        RateLimit: `"${name}";r=0;t=${seconds}`,
        'RateLimit-Policy': `"${name}";q=${limit};w=${WINDOW_SECONDS}`,
      },
    });
  }
}
