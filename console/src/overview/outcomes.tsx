import { Link } from '@tanstack/react-router';
import type { CommandFigures } from '@tenant-open-platform/sdk';
import { texts } from '../app/texts';
import { kindOf } from '../ui/status';
import { clockText } from '../ui/time';
import { Axis } from './axis';
import { type Interval, intervalsOf, listBehind, type Point } from './hours';

/** The order of the parts of a bar, from below. */
const statuses = ['SUCCEEDED', 'CANCELED', 'TIMED_OUT', 'EXPIRED', 'FAILED', 'REJECTED', 'UNSUPPORTED'] as const;

const counted = (point: Point) =>
  statuses.flatMap((status) =>
    point.counts[status] > 0 ? [`${point.counts[status].toLocaleString()} ${status}`] : [],
  );

/** A bar for each interval. Each leads to the commands behind it. */
export function Outcomes({ figures }: { figures: CommandFigures }) {
  const intervals = intervalsOf(figures, figures.points);
  const most = Math.max(1, ...intervals.map(({ point }) => point?.total ?? 0));
  return (
    <>
      <ol className="bars" aria-label={texts.overview.outcomes}>
        {intervals.map((interval) => (
          <li key={interval.from.getTime()}>
            <Bar interval={interval} most={most} />
          </li>
        ))}
      </ol>
      <Axis intervals={intervals} />
      <p className="legend">
        {statuses
          .filter((status) => figures.counts[status] > 0)
          .map((status) => (
            <Link key={status} to="/commands" search={{ status: [status], completed_after: figures.from }}>
              <span className="mark" data-kind={kindOf(status)} /> {figures.counts[status].toLocaleString()} {status}
            </Link>
          ))}
      </p>
      <small>
        {texts.overview.most(most)} {texts.overview.countedAbout}
      </small>
      {figures.total === 0 && <p>{texts.overview.nothing}</p>}
    </>
  );
}

function Bar({ interval, most }: { interval: Interval; most: number }) {
  const { point, from } = interval;
  if (!point) return <span className="hidden">{texts.overview.none(clockText(from))}</span>;
  const label = `${clockText(from)}: ${counted(point).join(', ')}`;
  return (
    <Link to="/commands" search={listBehind(interval)} aria-label={label} title={label}>
      {statuses.map((status) => (
        <span key={status} data-kind={kindOf(status)} style={{ height: `${(100 * point.counts[status]) / most}%` }} />
      ))}
    </Link>
  );
}
