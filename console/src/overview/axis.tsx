import { texts } from '../app/texts';
import { clockText } from '../ui/time';
import type { Interval } from './hours';

/** The clock below a row of intervals, at each quarter. */
export function Axis({ intervals }: { intervals: readonly Interval[] }) {
  const quarters = [0, 1, 2, 3].flatMap((quarter) => intervals[Math.round((quarter * intervals.length) / 4)] ?? []);
  return (
    <p className="axis soft" aria-hidden="true">
      {quarters.map(({ from }) => (
        <span key={from.getTime()}>{clockText(from)}</span>
      ))}
      <span>{texts.overview.now}</span>
    </p>
  );
}
