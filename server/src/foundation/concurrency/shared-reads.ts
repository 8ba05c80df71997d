/** Calls that arrive during a read, or less than `forMs` after it, share its result: one read at a time. */
export function shared<Result>(read: () => Promise<Result>, { forMs }: { forMs: number }): () => Promise<Result> {
  let current: Promise<Result> | null = null;
  return () => {
    if (current) return current;
    const forget = () => {
      if (forMs === 0) current = null;
      else setTimeout(() => (current = null), forMs).unref();
    };
    current = read();
    current.then(forget, forget);
    return current;
  };
}

/** Calls that arrive during a read share the next one. It starts after they arrived, so it misses no earlier change. */
export function sharedNext<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let current: Promise<unknown> = Promise.resolve();
  let next: Promise<Result> | null = null;
  return () => {
    next ??= current.then(() => {
      next = null;
      const reading = read();
      current = reading.catch(() => {});
      return reading;
    });
    return next;
  };
}

/**
 * The last value of a slow read, for callers that must not wait for it. Asking starts a read in the background, at most
 * one every `everyMs`. Reads take at most `share` of the time. Without a read in the last `validMs` the value is
 * `unknown`.
 */
export function lastKnown<Value>(
  read: () => Promise<Value>,
  { unknown, everyMs, validMs, share = 0.05 }: { unknown: Value; everyMs: number; validMs: number; share?: number },
) {
  let value = unknown;
  let readAt = Number.NEGATIVE_INFINITY;
  let readAgainAt = Number.NEGATIVE_INFINITY;
  async function refresh(): Promise<void> {
    const startedAt = performance.now();
    readAgainAt = Number.POSITIVE_INFINITY;
    let pauseMs = everyMs;
    try {
      value = await read();
      readAt = performance.now();
      // The value must not expire during the pause.
      pauseMs = Math.max(everyMs, Math.min(validMs / 2, (readAt - startedAt) * (1 / share - 1)));
    } finally {
      readAgainAt = performance.now() + pauseMs;
    }
  }
  return {
    value(): Value {
      const now = performance.now();
      // A failed read keeps the last value: the caller's own work finds out whether the source answers.
      if (now >= readAgainAt) refresh().catch(() => {});
      return now - readAt > validMs ? unknown : value;
    },
    refresh,
  };
}
