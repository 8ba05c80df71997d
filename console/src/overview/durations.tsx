import { Link } from '@tanstack/react-router';
import type { CommandFigures } from '@tenant-open-platform/sdk';
import { texts } from '../app/texts';
import { Foreign } from '../ui/foreign';
import { Scrolling } from '../ui/scrolling';
import { clockText, durationText } from '../ui/time';
import { Axis } from './axis';
import { type Interval, intervalsOf, listBehind, timesSlower } from './hours';

const QUICK_MS = 50;
const SLOW_MS = 300_000;

/** 0 for 50 ms and less, 100 for 5 minutes, in equal steps for equal factors. */
const heat = (ms: number) =>
  Math.round((100 * Math.log(Math.max(QUICK_MS, ms) / QUICK_MS)) / Math.log(SLOW_MS / QUICK_MS));

const colourOf = (ms: number) => ({ '--heat': `${heat(ms)}%` }) as object;

/** A row for each vendor, a cell for each interval: the darker, the longer 95 % of the commands took. */
export function DurationsOfVendors({ figures }: { figures: CommandFigures }) {
  const groups = figures.groups ?? [];
  if (groups.length === 0) return <p>{texts.overview.nothing}</p>;
  return (
    <Scrolling label={texts.overview.durations}>
      <table className="heat">
        <thead>
          <tr>
            <th scope="col">{texts.commands.vendor}</th>
            <th scope="col">{texts.overview.lastDay}</th>
            <th scope="col">{texts.overview.latest}</th>
            <th scope="col">p50</th>
            <th scope="col">p95</th>
            <th scope="col">p99</th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ vendor, is_other, duration_ms, points }) => {
            const intervals = intervalsOf(figures, points);
            return (
              <tr key={vendor ?? 'other'}>
                <th scope="row">{is_other ? texts.overview.other : <Foreign text={vendor ?? ''} />}</th>
                <td>
                  <div className="cells">
                    {intervals.map((interval) => (
                      <Cell key={interval.from.getTime()} interval={interval} vendor={vendor} isOther={is_other} />
                    ))}
                  </div>
                </td>
                <td className="number">
                  <Latest latest={intervals.at(-1)?.point?.duration_ms} day={duration_ms} />
                </td>
                {(['p50', 'p95', 'p99'] as const).map((share) => (
                  <td key={share} className="number">
                    {duration_ms && durationText(duration_ms[share])}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
        <tfoot aria-hidden="true">
          <tr>
            <td />
            <td>
              <Axis intervals={intervalsOf(figures, [])} />
            </td>
            <td colSpan={4} />
          </tr>
        </tfoot>
      </table>
      <p className="legend">
        {texts.overview.darker}
        {shownMs.map((ms) => (
          <span key={ms}>
            <Mark ms={ms} /> {durationText(ms)}
          </span>
        ))}
        <span>
          <span className="mark none" /> {texts.overview.noneEnded}
        </span>
      </p>
    </Scrolling>
  );
}

type Took = CommandFigures['points'][number]['duration_ms'];

/** The median of the last interval, beside the one of the whole day: an hour that is slow is lost among 24. */
function Latest({ latest, day }: { latest: Took | undefined; day: Took | undefined }) {
  if (!latest) return texts.overview.noneEnded;
  const times = day && timesSlower(latest.p50, day.p50);
  return (
    <>
      {durationText(latest.p50)} {times && <strong className="slower">{texts.overview.slower(times)}</strong>}
    </>
  );
}

const shownMs = [50, 500, 5_000, 50_000, SLOW_MS];

const Mark = ({ ms }: { ms: number }) => <span className="mark heated" style={colourOf(ms)} />;

type CellProps = { interval: Interval; vendor: string | undefined; isOther: boolean | undefined };

function Cell({ interval, vendor, isOther }: CellProps) {
  const took = interval.point?.duration_ms;
  if (!took) return <span />;
  const label = texts.overview.took(clockText(interval.from), durationText(took.p50), durationText(took.p95));
  // No filter finds the other vendors.
  if (isOther)
    return <span role="img" aria-label={label} title={label} className="heated" style={colourOf(took.p95)} />;
  return (
    <Link
      to="/commands"
      search={listBehind(interval, vendor)}
      aria-label={label}
      title={label}
      className="heated"
      style={colourOf(took.p95)}
    />
  );
}
