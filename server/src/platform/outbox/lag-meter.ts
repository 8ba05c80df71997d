/** An older measurement is ignored: since then messages arrived without delay, or none arrived. */
const VALID_MS = 2_000;

/** The tolerated difference between this clock and the bus's clock, so that clock skew causes no refusals. */
const CLOCKS_DIFFER_MS = 1_000;

/** Measures how long current messages have waited on the bus, and how many wait behind them. */
export function createLagMeter() {
  let lagMs = 0;
  let waiting = 0;
  let notedAt = Number.NEGATIVE_INFINITY;
  const ifValid = (value: number) => (performance.now() - notedAt < VALID_MS ? value : 0);
  return {
    note({ sentAt, waitingBehind }: { sentAt: Date; waitingBehind: number }): void {
      lagMs = Math.max(Date.now() - sentAt.getTime() - CLOCKS_DIFFER_MS, 0);
      waiting = waitingBehind;
      notedAt = performance.now();
    },
    milliseconds: () => ifValid(lagMs),
    waiting: () => ifValid(waiting),
  };
}

export type LagMeter = ReturnType<typeof createLagMeter>;
