import { Link } from '@tanstack/react-router';
import type { CommandFigures } from '@tenant-open-platform/sdk';
import { texts } from '../app/texts';
import { Foreign } from '../ui/foreign';
import { clockText, durationText } from '../ui/time';
import { type Interval, intervalsOf, listBehind } from './hours';

const QUICK_MS = 50;
const SLOW_MS = 300_000;

/** 0 for 50 ms and less, 100 for 5 minutes, in equal steps for equal factors. */
const heat = (ms: number) =>
  Math.round((100 * Math.log(Math.max(QUICK_MS, ms) / QUICK_MS)) / Math.log(SLOW_MS / QUICK_MS));

/** A row for each vendor, a cell for each interval: the darker, the longer 95 % of the commands took. */
export function DurationsOfVendors({ figures }: { figures: CommandFigures }) {
  const groups = figures.groups ?? [];
  if (groups.length === 0) return <p>{texts.overview.nothing}</p>;
  return (
    <section
      className="wide"
      aria-label={texts.overview.durations}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach it.
      tabIndex={0}
    >
      <table className="heat">
        <thead>
          <tr>
            <th scope="col">{texts.commands.vendor}</th>
            <th scope="col">{texts.overview.lastDay}</th>
            <th scope="col">p50</th>
            <th scope="col">p95</th>
            <th scope="col">p99</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ vendor, is_other, duration_ms, points }) => (
            <tr key={vendor ?? 'other'}>
              <th scope="row">{is_other ? texts.overview.other : <Foreign text={vendor ?? ''} />}</th>
              <td>
                <div className="cells">
                  {intervalsOf(figures, points).map((interval) => (
                    <Cell key={interval.from.getTime()} interval={interval} vendor={vendor} />
                  ))}
                </div>
              </td>
              {(['p50', 'p95', 'p99'] as const).map((share) => (
                <td key={share} className="number">
                  {duration_ms && durationText(duration_ms[share])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Cell({ interval, vendor }: { interval: Interval; vendor: string | undefined }) {
  const took = interval.point?.duration_ms;
  if (!took) return <span />;
  const label = texts.overview.took(clockText(interval.from), durationText(took.p50), durationText(took.p95));
  return (
    <Link
      to="/commands"
      search={listBehind(interval, vendor)}
      aria-label={label}
      title={label}
      style={{ '--heat': `${heat(took.p95)}%` } as object}
    />
  );
}
