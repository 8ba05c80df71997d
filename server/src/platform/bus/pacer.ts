/**
 * One tenant gets at most this share of the messages that the process receives while many wait. The rest of its time is
 * left for other tenants: a message that is delayed costs a fraction of one that is handled.
 */
const SHARE = 1 / 4;
/** Messages of one tenant that a process handles per second while many wait, on any machine. */
const MOST_PER_SECOND = 2_000;
const LEAST_PER_SECOND = 500;
/** A tenant may have this many messages in its queue before any is delayed: more than a process handles at a time. */
const UNDELAYED = 500;
/** Delays are multiples of this: nats-server 2.9 scans all waiting messages whenever a delay ends. */
const STEP_MS = 250;
/** How long the process counts its messages for an estimate of its pace. */
const INTERVAL_MS = 250;
/** Bounds memory: above this number of tenants, all tenants start again with empty queues. */
const MAX_TENANTS = 10_000;

/**
 * Keeps one tenant from delaying the messages of other tenants. Each tenant has a queue, in which every message has one
 * place. The queue gets shorter at a pace that depends on how fast this process is: on a slow machine a fixed pace left
 * nothing for others.
 */
export function createPacer(now = () => performance.now()) {
  const queues = new Map<string, { length: number; at: number }>();
  let perSecond = MOST_PER_SECOND;
  let interval = { from: now(), messages: 0 };

  function count(at: number): void {
    interval.messages += 1;
    const ms = at - interval.from;
    if (ms < INTERVAL_MS) return;
    // A longer interval contains a rest, so it says nothing about the pace.
    if (ms < 2 * INTERVAL_MS) {
      const received = (1_000 * interval.messages) / ms;
      perSecond = Math.min(MOST_PER_SECOND, Math.max(LEAST_PER_SECOND, SHARE * received));
    }
    interval = { from: at, messages: 0 };
  }

  return {
    /** Gives the message a place, and returns the milliseconds until its turn; 0 is now. */
    book(tenantId: string): number {
      const at = now();
      count(at);
      if (queues.size > MAX_TENANTS) queues.clear();
      const before = queues.get(tenantId) ?? { length: 0, at };
      const length = Math.max(0, before.length - (perSecond * (at - before.at)) / 1_000);
      queues.set(tenantId, { length: length + 1, at });
      if (length < UNDELAYED) return 0;
      return Math.ceil(((length - UNDELAYED + 1) * 1_000) / perSecond / STEP_MS) * STEP_MS;
    },
    /** Takes a message out of the queue. */
    release(tenantId: string): void {
      const queue = queues.get(tenantId);
      if (queue) queue.length -= 1;
    },
  };
}
