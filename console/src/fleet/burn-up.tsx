import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { texts } from '../app/texts';
import { Time } from '../ui/time';
import type { BurnUpData } from './burn-up-data';

const HEIGHT_PX = 260;
/** Not by colour alone. */
const curves = [
  { name: texts.fleet.accepted, kind: 'accepted', colour: '--soft', dash: [6, 4], width: 2 },
  { name: texts.fleet.ended, kind: 'ended', colour: '--open', dash: [2, 3], width: 2 },
  { name: texts.fleet.succeeded, kind: 'succeeded', colour: '--good', dash: [], width: 3 },
];

export function BurnUp({ data }: { data: BurnUpData }) {
  const frame = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const first = useRef(data);
  useEffect(() => plot.current?.setData(data), [data]);
  first.current = data;

  useEffect(() => {
    const element = frame.current as HTMLDivElement;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    const draw = () => {
      plot.current?.destroy();
      plot.current = new uPlot(optionsFor(element), first.current, element);
    };
    const size = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    draw();
    size.observe(element);
    // A canvas does not follow the style sheet.
    dark.addEventListener('change', draw);
    return () => {
      dark.removeEventListener('change', draw);
      size.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, []);

  const [times, ...counts] = data;
  const said = curves.map(({ name }, index) => `${name} ${counts[index]?.at(-1) ?? 0}`).join(', ');
  return (
    <figure className="burn-up">
      <div ref={frame} role="img" aria-label={`${texts.fleet.overTimeAbout} ${said}.`} />
      <figcaption>
        <ul>
          {curves.map(({ name, kind }, index) => (
            <li key={kind} data-curve={kind}>
              {name} <strong>{(counts[index]?.at(-1) ?? 0).toLocaleString()}</strong>
            </li>
          ))}
        </ul>
        {times.length > 0 && (
          <small>
            <At ms={times[0]} /> – <At ms={times.at(-1)} />
          </small>
        )}
      </figcaption>
    </figure>
  );
}

const At = ({ ms = 0 }: { ms: number | undefined }) => <Time at={new Date(ms).toISOString()} />;

const SHORT_MS = 10_000;
const DAY_MS = 86_400_000;

/** As the reader's language writes them, as fine as they are far apart. */
function timesOf(at: number[]): string[] {
  const spanMs = (at.at(-1) ?? 0) - (at[0] ?? 0);
  const options: Intl.DateTimeFormatOptions =
    spanMs > DAY_MS
      ? { dateStyle: 'short', timeStyle: 'short' }
      : spanMs > SHORT_MS
        ? { timeStyle: 'medium' }
        : { minute: '2-digit', second: '2-digit', fractionalSecondDigits: 2 };
  const format = new Intl.DateTimeFormat(undefined, options);
  return at.map((time) => format.format(time));
}

function optionsFor(element: HTMLElement): uPlot.Options {
  const style = getComputedStyle(element);
  const colourOf = (name: string) => style.getPropertyValue(name);
  const { stepped } = uPlot.paths;
  const axis = {
    stroke: colourOf('--soft'),
    grid: { stroke: colourOf('--line'), width: 1 },
    ticks: { stroke: colourOf('--line'), width: 1 },
    font: `12px ${style.fontFamily}`,
  };
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    ms: 1,
    legend: { show: false },
    cursor: { show: false },
    scales: { y: { range: (_plot, _min, most) => [0, Math.max(1, most * 1.05)] } },
    axes: [{ ...axis, space: 110, values: (_plot, at) => timesOf(at) }, axis],
    series: [
      {},
      ...curves.map(({ name, colour, dash, width }) => ({
        label: name,
        stroke: colourOf(colour),
        dash,
        width,
        points: { show: false },
        ...(stepped && { paths: stepped({ align: 1 }) }),
      })),
    ],
  };
}
