/** A message counts one unit per started 4 KiB: a large one takes as long to handle as many small ones. */
const UNIT_BYTES = 4_096;
/**
 * One tenant gets at most this share of what the process receives while many messages wait. The rest of its time is left
 * for other tenants. A fixed pace left nothing for them on a slow machine.
 */
const SHARE = 1 / 4;
/** Bounds of the share, in units per second. */
const MOST = 2_000;
const LEAST = 200;
/** How long the process counts what it receives. A longer interval contains a rest and is ignored. */
const INTERVAL_MS = 250;
/** The first units of a tenant are not delayed: they are more than a process handles at a time. */
const UNDELAYED_UNITS = 500;
/** Delays are multiples of this: nats-server 2.9 scans all delayed messages whenever a delay ends. */
const STEP_MS = 250;
/** 352 MiB: more than NATS keeps of one subject (see streams.ts). Only a tenant with several subjects can reach it. */
const MANY_UNITS = (352 * 1_024 * 1_024) / UNIT_BYTES;
/** Bounds memory: above this number of tenants, all tenants start again with empty queues. */
const MAX_TENANTS = 10_000;

/** The units of a message of this size. */
export const unitsOf = (bytes: number) => Math.ceil(bytes / UNIT_BYTES) || 1;

/**
 * Keeps one tenant from delaying the messages of other tenants: a leaky bucket per tenant. A message that finds its
 * tenant's bucket full is not handled now. It is returned to the bus until its turn, which costs a fraction of handling
 * it, so the process soon reaches the messages of other tenants.
 */
export function createPacer(now = () => performance.now()) {
  const buckets = new Map<string, { units: number; at: number }>();
  let perSecond = MOST;
  let interval = { from: now(), units: 0 };

  function count(units: number, at: number): void {
    interval.units += units;
    const ms = at - interval.from;
    if (ms < INTERVAL_MS) return;
    if (ms < 2 * INTERVAL_MS) perSecond = Math.min(MOST, Math.max(LEAST, (SHARE * 1_000 * interval.units) / ms));
    interval = { from: at, units: 0 };
  }

  return {
    /** Returns the milliseconds until the message's turn; 0 is now. */
    book(tenantId: string, units: number): number {
      const at = now();
      count(units, at);
      if (buckets.size > MAX_TENANTS) buckets.clear();
      const before = buckets.get(tenantId) ?? { units: 0, at };
      const waiting = Math.max(0, before.units - (perSecond * (at - before.at)) / 1_000);
      buckets.set(tenantId, { units: waiting + units, at });
      const excess = waiting + units - UNDELAYED_UNITS;
      return excess <= 0 ? 0 : Math.ceil((excess * 1_000) / perSecond / STEP_MS) * STEP_MS;
    },
    /** Whether more units of the tenant wait than one adapter can have on the bus. */
    hasMany: (tenantId: string): boolean => (buckets.get(tenantId)?.units ?? 0) > MANY_UNITS,
    /** Takes a message out of the bucket. */
    release(tenantId: string, units: number): void {
      const bucket = buckets.get(tenantId);
      if (bucket) bucket.units -= units;
    },
  };
}

export type Pacer = ReturnType<typeof createPacer>;
