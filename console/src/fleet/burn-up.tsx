import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { texts } from '../app/texts';
import { Time } from '../ui/time';
import { type BurnUpData, marksOf, markTexts } from './burn-up-data';

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
            <At ms={times[0]} full /> – <At ms={times.at(-1)} />
          </small>
        )}
      </figcaption>
    </figure>
  );
}

const At = ({ ms = 0, full = false }: { ms: number | undefined; full?: boolean }) => (
  <Time at={new Date(ms).toISOString()} full={full} />
);

/** The data begin a millisecond before the first acceptance. */
const spanOf = ({ data: [times], scales: { x } }: uPlot) => ({
  start: (times[0] ?? 0) + 1,
  min: x?.min ?? 0,
  max: x?.max ?? 0,
});

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
    axes: [
      {
        ...axis,
        space: 110,
        splits: (plot, _axis, _min, _max, step) => marksOf(spanOf(plot), step),
        values: (plot, marks) => markTexts(spanOf(plot), marks),
      },
      axis,
    ],
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
