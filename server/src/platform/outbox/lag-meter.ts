/** A lag that is older says nothing: messages come without delay, or none come. */
const VALID_MS = 2_000;

/** How much the clock of the bus may differ from this one, so that a difference refuses nobody. */
const CLOCKS_DIFFER_MS = 1_000;

/** How long the messages that come now have waited on the bus, and how many wait behind them. */
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
