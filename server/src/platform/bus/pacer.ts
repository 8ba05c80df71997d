/**
 * Messages of one tenant that a process handles per second while many wait. Measured: a process handles 5,000 to 10,000
 * per second in all, so one tenant leaves room for other tenants.
 */
const PER_SECOND = 2_000;
/** The time of unused slots that a silent tenant may use at once. */
const BURST_MS = 250;
/** Delays are multiples of this: nats-server 2.9 scans all waiting messages whenever a delay ends. */
const STEP_MS = 250;
/** Bounds memory: above this number of tenants, all tenants start again with free slots. */
const MAX_TENANTS = 10_000;

/**
 * Keeps one tenant from delaying the messages of other tenants. Each tenant has a queue of time slots, and every
 * message books one slot, once.
 */
export function createPacer() {
  const nextSlots = new Map<string, number>();
  return {
    /** Returns the milliseconds until the message's slot begins; 0 is now. */
    book(tenantId: string): number {
      const now = performance.now();
      if (nextSlots.size > MAX_TENANTS) nextSlots.clear();
      const slot = Math.max(nextSlots.get(tenantId) ?? 0, now - BURST_MS);
      nextSlots.set(tenantId, slot + 1_000 / PER_SECOND);
      return slot <= now ? 0 : Math.ceil((slot - now) / STEP_MS) * STEP_MS;
    },
    /** Releases the slot of a message. */
    release(tenantId: string): void {
      const next = nextSlots.get(tenantId);
      if (next !== undefined) nextSlots.set(tenantId, next - 1_000 / PER_SECOND);
    },
  };
}
