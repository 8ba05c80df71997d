/** If a vital loop completes no round for this time beyond its interval, the process is unready. */
const STUCK_AFTER_MS = 10_000;

export type Watchdog = ReturnType<typeof createWatchdog>;

/** Records when each loop of this process last completed a round. A loop that hangs does not report itself. */
export function createWatchdog() {
  const loops = new Map<string, { idleMs: () => number; limitMs: number }>();
  return {
    /** Returns a function that the loop calls after each successful round. `restMs`: it rests that much longer than usual. */
    watchRounds(name: string, { everyMs, isVital }: { everyMs: number; isVital: boolean }): (restMs?: number) => void {
      let lastRoundAt = performance.now();
      loops.set(name, {
        idleMs: () => Math.max(0, performance.now() - lastRoundAt),
        limitMs: isVital ? everyMs + STUCK_AFTER_MS : Number.POSITIVE_INFINITY,
      });
      return (restMs = 0) => {
        lastRoundAt = performance.now() + restMs;
      };
    },

    /** A consumer completes a round with each handled message, and is not overdue while it has no message. */
    watchHandler<Message, Result>(name: string, handle: (message: Message) => Promise<Result>) {
      let underWay = 0;
      let lastRoundAt = 0;
      loops.set(name, {
        idleMs: () => (underWay === 0 ? 0 : performance.now() - lastRoundAt),
        limitMs: STUCK_AFTER_MS,
      });
      return async (message: Message): Promise<Result> => {
        if (underWay++ === 0) lastRoundAt = performance.now();
        try {
          return await handle(message);
        } finally {
          underWay--;
          lastRoundAt = performance.now();
        }
      };
    },

    secondsSinceLastRound: (): [name: string, seconds: number][] =>
      [...loops].map(([name, { idleMs }]) => [name, idleMs() / 1000]),

    /** Returns which vital loop is stuck, or null. */
    stuckReason(): string | null {
      for (const [name, { idleMs, limitMs }] of loops) {
        if (idleMs() > limitMs) return `${name}: no round for ${Math.floor(idleMs() / 1000)} seconds`;
      }
      return null;
    },
  };
}
