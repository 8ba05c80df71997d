import type { Context } from '../context.js';
import { colorsFor } from './colors.js';

const borderless = Object.fromEntries(
  ['top', 'bottom', 'left', 'right', 'mid', 'middle']
    .flatMap((edge) => [edge, `${edge}-mid`, `${edge}-left`, `${edge}-right`, `mid-${edge}`])
    .map((edge) => [edge, '']),
);

export function renderRows<Item extends object>(
  context: Context,
  columns: readonly (keyof Item & string)[],
  items: Item[],
): Promise<string> {
  const { bold } = colorsFor(context, context.stdout);
  return render([
    columns.map((column) => bold(column.toUpperCase())),
    ...items.map((item) => columns.map((column) => cell(item[column]))),
  ]);
}

export function renderDetails(context: Context, fields: Record<string, unknown>): Promise<string> {
  const { bold } = colorsFor(context, context.stdout);
  return render(Object.entries(fields).map(([name, value]) => [bold(name), cell(value)]));
}

async function render(rows: string[][]): Promise<string> {
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    chars: borderless,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
  });
  table.push(...rows);
  return `${table.toString().replace(/ +$/gm, '')}\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return printable(value.join(', '));
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

/**
 * Shows control and format characters as escapes: text from devices and other people must not control the terminal.
 * Joiners belong to the spelling of words and to emoji.
 */
export function printable(text: string): string {
  return text.replace(/(?![\u200C\u200D])\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}
