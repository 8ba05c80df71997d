import { LRUCache } from 'lru-cache';

/** An attacker with many keys must not exhaust memory: the least recently used key is forgotten. */
const MAX_KEYS = 100_000;

type Window = { used: number; endsAt: number };

/** Counts per key in windows of this length. A window begins with its first count. */
export function createWindows(ms: number) {
  const windows = new LRUCache<string, Window>({ max: MAX_KEYS });
  function of(key: string): Window {
    const known = windows.get(key);
    if (known && known.endsAt > performance.now()) return known;
    const begun = { used: 0, endsAt: performance.now() + ms };
    windows.set(key, begun);
    return begun;
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
