import { expect, test } from 'vitest';
import { createRateLimits } from './rate-limits.js';

const caller = { tenantId: 'acme', clientId: 'acme-backend' };
const neighbour = { tenantId: 'acme', clientId: 'acme-shop' };
const asConfigured = { requests_per_minute: null, requests_per_minute_of_tenant: null };
const limitsOf = (limits: object = {}) =>
  createRateLimits({
    REQUESTS_PER_MINUTE: 2,
    REQUESTS_PER_MINUTE_PER_TENANT: 3,
    FAILED_AUTHENTICATIONS_PER_MINUTE: 2,
    ...limits,
  });

test('a tenant has its own quota, and requests above the quota of a credential do not use it', () => {
  const limits = limitsOf();
  const count = (who: typeof caller) => limits.countRequest(who, asConfigured)?.extra.metadata ?? null;
  expect([count(caller), count(caller)]).toEqual([null, null]);
  for (let request = 0; request < 5; request++) expect(count(caller)).toEqual({ quota: 'credential', limit: 2 });
  expect(count(neighbour)).toBeNull();
  expect(count(neighbour)).toEqual({ quota: 'tenant', limit: 3 });
  expect(count({ tenantId: 'another', clientId: 'another-backend' })).toBeNull();
});

test('requests of a tenant that has moved have a bounded quota of their own: a replay uses up no other', () => {
  const limits = limitsOf();
  const moved = Array.from({ length: 4 }, () => limits.countMoved(caller, asConfigured)?.extra.metadata ?? null);
  const refused = { quota: 'credential', limit: 2 };
  expect(moved).toEqual([null, null, refused, refused]);
  expect(limits.countMoved(neighbour, asConfigured)).toBeNull();
  expect(limits.countRequest(caller, asConfigured)).toBeNull();
});

test('an answer counts as a request more for each full 64 KiB, in both quotas', () => {
  const limits = limitsOf({ REQUESTS_PER_MINUTE: 4, REQUESTS_PER_MINUTE_PER_TENANT: 5 });
  limits.countBytes(caller, 65_535);
  limits.countBytes(caller, 3 * 65_536 + 1);
  expect(limits.countRequest(caller, asConfigured)).toBeNull();
  expect(limits.countRequest(caller, asConfigured)?.extra.metadata).toEqual({ quota: 'credential', limit: 4 });
  expect(limits.countRequest(neighbour, asConfigured)).toBeNull();
  expect(limits.countRequest(neighbour, asConfigured)?.extra.metadata).toEqual({ quota: 'tenant', limit: 5 });
});

test('a quota below the default holds from the first burst on: until it is known, one request at a time has a slot', () => {
  const limits = limitsOf({ REQUESTS_PER_MINUTE: 100, REQUESTS_PER_MINUTE_PER_TENANT: 100 });
  const first = limits.reserve(caller);
  expect(first).not.toBeNull();
  expect(Array.from({ length: 20 }, () => limits.reserve(caller))).toEqual(Array(20).fill(null));
  const own = { requests_per_minute: 2, requests_per_minute_of_tenant: null };
  expect(limits.countRequest(caller, own)).toBeNull();
  first?.();
  expect([limits.reserve(caller), limits.reserve(caller)]).toEqual([expect.any(Function), null]);
});

test('a reservation uses a slot of both quotas until it is released, and never makes a counted request be refused', () => {
  const limits = limitsOf({ REQUESTS_PER_MINUTE: 3, REQUESTS_PER_MINUTE_PER_TENANT: 4 });
  // From its first count on the limit of a key is known.
  expect(limits.countRequest(caller, asConfigured)).toBeNull();
  const releases = [limits.reserve(caller), limits.reserve(caller)];
  expect(limits.reserve(caller)).toBeNull();
  const last = limits.reserve(neighbour);
  expect(last).not.toBeNull();
  expect(limits.reserve({ ...caller, clientId: 'acme-third' })).toBeNull();
  expect([
    limits.countRequest(caller, asConfigured),
    limits.countRequest(caller, asConfigured),
    limits.countRequest(neighbour, asConfigured),
  ]).toEqual([null, null, null]);
  for (const release of [...releases, last]) release?.();
  expect(limits.reserve({ ...caller, clientId: 'acme-third' })).toBeNull();
  expect(limits.reserve({ tenantId: 'another', clientId: 'another-backend' })).not.toBeNull();
});

test('a quota of its own replaces the configured one from the request on that brings it, also for reservations', () => {
  const limits = limitsOf();
  const count = (requests_per_minute: number | null, requests_per_minute_of_tenant: number | null = 100) =>
    limits.countRequest(caller, { requests_per_minute, requests_per_minute_of_tenant })?.extra.metadata ?? null;
  expect([count(3), count(3), count(3)]).toEqual([null, null, null]);
  expect(limits.reserve(caller)).toBeNull();
  expect(count(3)).toEqual({ quota: 'credential', limit: 3 });
  expect(count(6)).toBeNull();
  limits.reserve(caller)?.();
  expect(limits.reserve(caller)).not.toBeNull();
  expect(count(null)).toEqual({ quota: 'credential', limit: 2 });
  expect(count(50, 2)).toEqual({ quota: 'tenant', limit: 2 });
});

test('the counters evict old entries instead of growing without bound', () => {
  const limits = limitsOf();
  const fail = (network: string) => limits.countFailure(network) !== null;
  expect([fail('first'), fail('first'), fail('first')]).toEqual([false, false, true]);
  for (let network = 0; network < 49_000; network++) fail(`2001:db8:${network.toString(16)}::/64`);
  expect(fail('first')).toBe(true);
  for (let network = 0; network < 100_000; network++) fail(`2001:db9:${network.toString(16)}::/64`);
  expect(fail('first')).toBe(false);
});
