import { shared } from '../foundation/concurrency/shared-reads.js';
import type { Database } from '../foundation/database/database.js';
import { errorCodeOf } from '../foundation/database/database-error.js';
import { readLockedLogs } from './event-log.js';

const LOOK_AGAIN_MS = 500;

export type BusySlots = {
  /** The slots to leave out of a transaction of several slots. */
  current(): ReadonlySet<number>;
  /** Whether the error is that of a busy slot. It then looks which slots are busy. */
  caused(error: unknown): Promise<boolean>;
};

/**
 * A process that freezes in a transaction keeps the lock of a slot's log, for up to ten seconds. Transactions of several
 * slots must not wait for it: they leave the slot out. Nothing is asked until a transaction has waited in vain.
 */
export function createBusySlots(database: Database): BusySlots {
  let busy: ReadonlySet<number> = new Set();
  let lookAgainAt = Number.POSITIVE_INFINITY;
  const look = shared(
    async () => {
      lookAgainAt = Number.POSITIVE_INFINITY;
      // If the look fails, the next transaction waits in vain again.
      busy = new Set(await readLockedLogs(database).catch(() => []));
      if (busy.size > 0) lookAgainAt = performance.now() + LOOK_AGAIN_MS;
    },
    { forMs: 0 },
  );
  return {
    current() {
      if (performance.now() >= lookAgainAt) void look();
      return busy;
    },
    async caused(error) {
      if (errorCodeOf(error) !== '55P03') return false; // lock_not_available
      await look();
      return true;
    },
  };
}
