/** Limits how much of the same kind is under way: at most `most` at a time for each key. */
export function createSlots(most = Number.POSITIVE_INFINITY) {
  const taken = new Map<string, number>();
  const countOf = (key: string) => taken.get(key) ?? 0;
  return {
    countOf,
    /** Returns the function that gives the slot back, or null if all are taken. */
    take(key: string): (() => void) | null {
      if (countOf(key) >= most) return null;
      taken.set(key, countOf(key) + 1);
      return () => {
        const left = countOf(key) - 1;
        if (left > 0) taken.set(key, left);
        else taken.delete(key);
      };
    },
  };
}
