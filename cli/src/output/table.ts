import type { Context } from '../context.js';
import { colorsFor } from './colors.js';
import { printable, toJson } from './printable.js';
import { cut, pad, widthOf, wrap } from './text-width.js';

const GAP = '  ';
const NARROWEST_COLUMN = 6;
const UUID = /(?<=^|\/)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-([0-9a-f]{12})$/;
const PATH_OF_TENANT = /^platform\/tenants(?=\/[^/]+\/)/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

type Row = readonly string[];
type Screen = { context: Context; width: number; isTerminal: boolean };

/** A terminal gets lines that fit and values for people. A pipe gets whole values, however wide. */
function screenOf(context: Context): Screen {
  const { isTTY, columns } = context.stdout;
  return { context, width: isTTY ? columns || 80 : Number.POSITIVE_INFINITY, isTerminal: isTTY === true };
}

export type Column = { name: string; read: (item: object) => unknown };

/** A line for each item. Cells that do not fit are cut, or wrapped with `wraps`. */
export function renderRows(
  context: Context,
  columns: readonly Column[],
  items: readonly object[],
  { wraps = false }: { wraps?: boolean } = {},
): string {
  return rowsOn(screenOf(context), columns, items, wraps).join('');
}

/** A line for each field; lists of records as small tables. */
export function renderDetails(context: Context, fields: Record<string, unknown>): string {
  const screen = screenOf(context);
  const { bold } = colorsFor(context, context.stdout);
  const isTable = (value: unknown): value is object[] =>
    Array.isArray(value) && value.length > 0 && value.every((item) => isRecord(item));
  const names = Object.keys(fields).filter((name) => !isTable(fields[name]));
  const nameWidth = Math.max(0, ...names.map(widthOf));
  return Object.entries(fields)
    .flatMap(([name, value]) => {
      if (isTable(value)) {
        const columns = [...new Set(value.flatMap(Object.keys))].map(columnOf);
        const indented = { ...screen, width: screen.width - GAP.length };
        return [`${bold(name)}\n`, ...rowsOn(indented, columns, value, false).map((line) => `${GAP}${line}`)];
      }
      const lines = linesOf(value, { ...screen, width: screen.width - nameWidth - GAP.length });
      const indent = ' '.repeat(nameWidth) + GAP;
      return lines.map((line, index) => `${index === 0 ? bold(pad(name, nameWidth)) + GAP : indent}${line}\n`);
    })
    .join('');
}

export const columnOf = (name: string): Column => ({
  name,
  read: (item) => (item as Record<string, unknown>)[name],
});

/** The values of one line, cut to the width of the terminal. */
export function renderLine(context: Context, values: readonly unknown[]): string {
  const { width, isTerminal } = screenOf(context);
  const cells = values.map((value) => cellOf(value)).map((cell) => (isTerminal ? shortened(cell) : cell));
  return cut(cells.join(GAP), width);
}

function rowsOn(screen: Screen, columns: readonly Column[], items: readonly object[], wraps: boolean): string[] {
  const { context, width, isTerminal } = screen;
  const { bold } = colorsFor(context, context.stdout);
  const whole = [
    columns.map(({ name }) => name.toUpperCase()),
    ...items.map((item) =>
      columns.map(({ read }) => {
        const value = read(item);
        return isTerminal && isInstant(value) ? relative(value) : cellOf(value);
      }),
    ),
  ];
  const table = totalOf(widthsOf(whole)) <= width ? whole : whole.map((row) => row.map(shortened));
  const widths = fit(widthsOf(table), width);
  return table.flatMap((row, index) => {
    const cells = widths.map((columnWidth, column) => {
      const cell = row[column] ?? '';
      return wraps ? wrap(cell, columnWidth, { breakWords: true }) : [cut(cell, columnWidth)];
    });
    const height = Math.max(...cells.map(({ length }) => length));
    return Array.from({ length: height }, (_, line) => {
      const text = cells.map((lines, column) => pad(lines[line] ?? '', widths[column] ?? 0)).join(GAP);
      return `${index === 0 ? bold(text.trimEnd()) : text.trimEnd()}\n`;
    });
  });
}

const widthsOf = (table: readonly Row[]) =>
  (table[0] ?? []).map((_, column) => table.reduce((width, row) => Math.max(width, widthOf(row[column] ?? '')), 0));

const totalOf = (widths: readonly number[]) =>
  widths.reduce((total, width) => total + width, 0) + GAP.length * (widths.length - 1);

/** The widest columns give way first. A terminal that is too narrow even then loses the last columns. */
function fit(widths: readonly number[], width: number): number[] {
  const capped = (cap: number) => widths.map((natural) => Math.min(natural, cap));
  let cap = Math.max(...widths);
  while (cap > NARROWEST_COLUMN && totalOf(capped(cap)) > width) cap -= 1;
  const fitting = capped(cap);
  while (fitting.length > 1 && totalOf(fitting) > width) fitting.pop();
  return fitting;
}

function linesOf(value: unknown, { width, isTerminal }: Screen): string[] {
  if (isTerminal && isInstant(value)) return [`${value} (${relative(value)})`];
  const cell = cellOf(value);
  if (isRecord(value) && widthOf(cell) > width) return toJson(value, 2).split('\n');
  return Number.isFinite(width) ? wrap(cell, Math.max(width, NARROWEST_COLUMN)) : [cell];
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return printable(value.join(', '));
  return typeof value === 'string' ? printable(value) : toJson(value);
}

/** The end of an id: UUIDs of the same time have the same beginning. The end of a path: it names the resource. */
const shortened = (cell: string) => cell.replace(PATH_OF_TENANT, '…').replace(UUID, '…$1');

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isInstant = (value: unknown): value is string => typeof value === 'string' && INSTANT.test(value);

/** `5 min ago`, `in 3 d` */
function relative(instant: string): string {
  const seconds = Math.round((Date.parse(instant) - Date.now()) / 1000);
  const size = Math.abs(seconds);
  if (size < 1) return 'now';
  const [count, unit] =
    size < 60
      ? [size, 's']
      : size < 3600
        ? [size / 60, 'min']
        : size < 86_400
          ? [size / 3600, 'h']
          : [size / 86_400, 'd'];
  return seconds < 0 ? `${Math.floor(count)} ${unit} ago` : `in ${Math.floor(count)} ${unit}`;
}
