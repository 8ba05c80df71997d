/**
 * How many messages of one tenant a process takes per second while many wait. Measured: a process takes 5,000 to 10,000
 * per second in all, so one tenant leaves room for the others.
 */
const PER_SECOND = 2_000;
/** A tenant that sent nothing for this long may have as many slots at once. */
const BURST_MS = 250;
/** Delays are multiples of this, because nats-server 2.9 looks through all waiting messages whenever a delay ends. */
const STEP_MS = 250;
/** Bounds the memory: beyond this many tenants all start again with free slots. */
const MAX_TENANTS = 10_000;

/**
 * Keeps one tenant from delaying the messages of the others. Each tenant has a queue of time slots, and every message
 * books one, once.
 */
export function createPacer() {
  const nextSlots = new Map<string, number>();
  return {
    /** Answers in how many milliseconds the slot of the message begins; 0 is now. */
    book(tenantId: string): number {
      const now = performance.now();
      if (nextSlots.size > MAX_TENANTS) nextSlots.clear();
      const slot = Math.max(nextSlots.get(tenantId) ?? 0, now - BURST_MS);
      nextSlots.set(tenantId, slot + 1_000 / PER_SECOND);
      return slot <= now ? 0 : Math.ceil((slot - now) / STEP_MS) * STEP_MS;
    },
    /** Gives the slot of a message back. */
    release(tenantId: string): void {
      const next = nextSlots.get(tenantId);
      if (next !== undefined) nextSlots.set(tenantId, next - 1_000 / PER_SECOND);
    },
  };
}
