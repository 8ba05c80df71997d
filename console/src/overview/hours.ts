import type { CommandFigures } from '@tenant-open-platform/sdk';

export type Point = CommandFigures['points'][number];
/** An interval with its figures, or without if no command ended in it. */
export type Interval = { from: Date; to: Date; point?: Point };

const lengths: Record<string, number> = { MINUTE: 60_000, HOUR: 3_600_000, DAY: 86_400_000 };

/** All intervals of the answer, also those in which nothing ended. */
export function intervalsOf({ from, to, interval }: CommandFigures, points: readonly Point[]): Interval[] {
  const length = lengths[interval] ?? 3_600_000;
  const known = new Map(points.map((point) => [Date.parse(point.at), point]));
  const starts: number[] = [];
  for (let at = Date.parse(from); at < Date.parse(to); at += length) starts.push(at);
  return starts.map((at) => {
    const point = known.get(at);
    return { from: new Date(at), to: new Date(at + length), ...(point && { point }) };
  });
}

/** The last hour is slow from this multiple of the day's median on, unless it is too short to notice. */
const SLOWER = 3;
const NOTICED_MS = 1_000;

/** How many times as long as over the day a command takes in the last hour; null if that is not slow. */
export function timesSlower(latestMs: number, dayMs: number): number | null {
  const isSlow = latestMs >= Math.max(NOTICED_MS, SLOWER * dayMs);
  return isSlow ? Math.round(latestMs / Math.max(1, dayMs)) : null;
}

/** The commands that ended in the interval. */
export const listBehind = ({ from, to }: Interval, vendor?: string) => ({
  completed_after: from.toISOString(),
  completed_before: to.toISOString(),
  ...(vendor && { vendor }),
});
