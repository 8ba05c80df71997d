/** An attacker with many keys must not exhaust memory: the least recently used key is forgotten. */
const MAX_KEYS = 100_000;

type Window = { used: number; endsAt: number };

/** Counts per key in windows of this length. A window begins with its first count. */
export function createWindows(ms: number) {
  // In the order of their last use. Not an LRUCache, which allocates all its places at once: 2.8 MB for each of five kinds.
  const windows = new Map<string, Window>();
  function of(key: string): Window {
    const now = performance.now();
    let window = windows.get(key);
    windows.delete(key);
    if (!window || window.endsAt <= now) window = { used: 0, endsAt: now + ms };
    windows.set(key, window);
    const [oldest] = windows.size > MAX_KEYS ? windows.keys() : [];
    if (oldest !== undefined) windows.delete(oldest);
    return window;
  }
  return {
    of,
    add(key: string, units = 1): Window {
      const window = of(key);
      window.used += units;
      return window;
    },
  };
}
