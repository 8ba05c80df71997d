const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const today = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** For example Europe/Berlin: of every time that the console shows. */
export const timeZone = local.resolvedOptions().timeZone;

/** In the reader's zone; UTC on hover. Times of today are without the date, unless `full`. */
export function Time({ at, full = false }: { at: string; full?: boolean }) {
  const time = new Date(at);
  const isToday = !full && time.toDateString() === new Date().toDateString();
  return (
    <time dateTime={at} title={at}>
      {(isToday ? today : local).format(time)}
    </time>
  );
}

const clock = new Intl.DateTimeFormat(undefined, { weekday: 'short', hour: '2-digit', minute: '2-digit' });

/** For example Tue 14:00. */
export const clockText = (time: Date) => clock.format(time);

const UNITS = [
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** For example 42 ms, 3.5 s, 12 min. */
export function durationText(ms: number): string {
  const [unitMs, unit] = UNITS.find(([size]) => ms >= size) ?? [1, 'ms'];
  const value = ms / unitMs;
  return `${value.toLocaleString(undefined, { maximumFractionDigits: unit === 'ms' || value >= 10 ? 0 : 1 })} ${unit}`;
}

export const durationBetween = (from: string, to: string) =>
  durationText(Math.max(0, Date.parse(to) - Date.parse(from)));

/** A time in the reader's zone, as the browser's field wants it; empty if it is no time. */
export function toInput(at = ''): string {
  const time = new Date(at);
  return isoOf(new Date(time.getTime() - time.getTimezoneOffset() * 60_000)).slice(0, 19);
}

/** Empty if it is no time: the field takes years that a date cannot have. */
export const fromInput = (text = '') => isoOf(new Date(text));

const isoOf = (time: Date) => (Number.isNaN(time.getTime()) ? '' : time.toISOString());
