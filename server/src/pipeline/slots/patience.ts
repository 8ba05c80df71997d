import { errorCodeOf } from '../../foundation/database/database-error.js';

const LOCK_NOT_AVAILABLE = '55P03';
/** How long a slot that was busy is left out, before it is tried alone. */
const ASIDE_MS = 2_000;

/**
 * A process that freezes in a transaction keeps the lock of a slot's log, for up to ten seconds. Work on several slots
 * shares a transaction, which waits a second for such a lock. Then each slot is tried alone, and those that are still
 * busy are left out: the other slots go on.
 */
export function createPatience() {
  /** When to try each busy slot again. */
  const aside = new Map<number, number>();

  async function attempt<Result>(
    slots: readonly number[],
    work: (slots: readonly number[]) => Promise<Result>,
  ): Promise<Result[]> {
    if (slots.length === 0) return [];
    try {
      const result = await work(slots);
      for (const slot of slots) aside.delete(slot);
      return [result];
    } catch (error) {
      if (errorCodeOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      const [first, ...others] = slots;
      if (first !== undefined && others.length === 0) aside.set(first, performance.now() + ASIDE_MS);
      if (others.length === 0) return [];
      const results: Result[] = [];
      for (const slot of slots) results.push(...(await attempt([slot], work)));
      return results;
    }
  }

  return {
    /** The results of the work on all slots together, or on each alone; without those of busy slots. */
    async each<Result>(
      slots: readonly number[],
      work: (slots: readonly number[]) => Promise<Result>,
    ): Promise<Result[]> {
      const now = performance.now();
      const together = slots.filter((slot) => !aside.has(slot));
      const alone = slots.filter((slot) => (aside.get(slot) ?? Number.POSITIVE_INFINITY) <= now);
      const groups = [together, ...alone.map((slot) => [slot])];
      return (await Promise.all(groups.map((group) => attempt(group, work)))).flat();
    },
    /** Whether some of the slots are busy. */
    isWaiting: (slots: readonly number[]) => slots.some((slot) => aside.has(slot)),
  };
}
