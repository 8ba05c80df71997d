/** Limits how much of the same kind is under way: at most `most` at a time for each key. */
export function createPlaces(most = Number.POSITIVE_INFINITY) {
  const taken = new Map<string, number>();
  const countOf = (key: string) => taken.get(key) ?? 0;
  return {
    countOf,
    /** Returns the function that gives the places back, or null if all are taken. */
    take(key: string, places = 1): (() => void) | null {
      if (countOf(key) >= most) return null;
      taken.set(key, countOf(key) + places);
      return () => {
        const left = countOf(key) - places;
        if (left > 0) taken.set(key, left);
        else taken.delete(key);
      };
    },
  };
}

/** An attacker with many keys must not exhaust memory: a key is forgotten once this many others have followed. */
const MAX_KEYS = 50_000;

type Window = {
  used: number;
  endsAt: number;
  /** The last known limit of the key. */
  limit?: number | undefined;
};

/** Counts per key in windows of this length. A window begins with its first count. */
export function createWindows(ms: number) {
  // Two generations: an LRUCache would allocate all its places at once, 2.8 MB for each counter.
  let recent = new Map<string, Window>();
  let earlier = new Map<string, Window>();
  function of(key: string): Window {
    const now = performance.now();
    const known = recent.get(key) ?? earlier.get(key);
    const window = known && known.endsAt > now ? known : { used: 0, endsAt: now + ms, limit: known?.limit };
    recent.set(key, window);
    if (recent.size >= MAX_KEYS) [earlier, recent] = [recent, new Map()];
    return window;
  }
  return {
    of,
    add(key: string, units = 1): Window {
      const window = of(key);
      // What is given back may belong to the window before.
      window.used = Math.max(0, window.used + units);
      return window;
    },
  };
}
