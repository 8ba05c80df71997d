import type { Shown } from './read-batch';

const SHORT_MS = 10_000;
const DAY_MS = 86_400_000;

type Span = { start: number; min: number; max: number };
const isShort = ({ min, max }: Span) => max - min <= SHORT_MS;

/** Where the axis has a mark: every `step` since the start, or since midnight if the plot is longer than 10 seconds. */
export function marksOf(span: Span, step: number): number[] {
  const from = isShort(span) ? span.start : new Date(span.start).setHours(0, 0, 0, 0);
  const marks: number[] = [];
  for (let at = from + Math.ceil((span.min - from) / step) * step; at <= span.max; at += step) marks.push(at);
  return marks;
}

/** How long after the start, which no clock resembles, or the time of day. */
export function markTexts(span: Span, marks: readonly number[]): string[] {
  if (isShort(span)) {
    const seconds = (at: number) => ((at - span.start) / 1_000).toLocaleString(undefined, { maximumFractionDigits: 3 });
    return marks.map((at) => `+${seconds(at)} s`);
  }
  const isLong = span.max - span.min > DAY_MS;
  const { format } = new Intl.DateTimeFormat(undefined, {
    timeStyle: isLong ? 'short' : 'medium',
    ...(isLong && { dateStyle: 'short' }),
  });
  return marks.map((at) => format(at));
}

/** How many commands were accepted, had ended and had succeeded at each time, in Unix milliseconds. */
export type BurnUpData = [times: number[], accepted: number[], ended: number[], succeeded: number[]];

export function burnUpOf(commands: readonly Pick<Shown, 'accepted_at' | 'completed_at' | 'status'>[]): BurnUpData {
  const steps = commands.flatMap(({ accepted_at, completed_at, status }) => [
    { at: Date.parse(accepted_at), curve: 0 },
    ...(completed_at === null ? [] : [{ at: Date.parse(completed_at), curve: 1 }]),
    ...(completed_at === null || status !== 'SUCCEEDED' ? [] : [{ at: Date.parse(completed_at), curve: 2 }]),
  ]);
  steps.sort((one, other) => one.at - other.at);
  const data: BurnUpData = [[], [], [], []];
  const counts: [number, number, number] = [0, 0, 0];
  const [times, ...curves] = data;
  // It begins at nothing.
  if (steps[0]) push(steps[0].at - 1);
  for (const { at, curve } of steps) {
    counts[curve as 0 | 1 | 2] += 1;
    if (times.at(-1) === at) for (const index of [0, 1, 2] as const) curves[index][times.length - 1] = counts[index];
    else push(at);
  }
  return data;

  function push(at: number) {
    times.push(at);
    for (const index of [0, 1, 2] as const) curves[index].push(counts[index]);
  }
}
