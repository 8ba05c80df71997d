import type { Context } from '../context.js';
import { pickFields, valueAt } from './pick-fields.js';
import { printable, toJson } from './printable.js';
import { columnOf, renderDetails, renderRows } from './table.js';

export const outputFormats = ['table', 'json', 'yaml', 'ndjson', 'id'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** How output looks: its format, and the fields that --fields names. */
export type Look = { format: OutputFormat; fields: readonly string[] | undefined };

/** How much of a list to print. */
export type Page = { limit: number; all: boolean };

/** How a resource is printed if only a part of it is shown. */
export type View<Item> = {
  /** The output of `-o id`: the arguments that other commands take for the item. */
  id: (item: Item) => string;
  /** The columns of a list: few enough to be readable on 80 columns. A single item shows all its fields. */
  columns: readonly (keyof Item & string)[];
  /** The fields of an item in a list, if they differ from the fields of the answer. */
  row?: (item: Item) => object;
  /** Whether long cells of a list are wrapped. By default they are cut. */
  wraps?: true;
  /** The fields of a single item, if they differ from the fields of the answer. */
  details?: (item: Item) => object;
};

export async function renderItem<Item extends object>(
  context: Context,
  { format, fields }: Look,
  item: Item,
  view: View<Item>,
): Promise<string> {
  switch (format) {
    case 'id':
      return `${printable(view.id(item))}\n`;
    case 'json':
    case 'yaml':
      return renderWhole({ format, fields }, item);
    case 'ndjson':
      return jsonLine(item, fields);
    case 'table': {
      const { request_id: _, ...shown } = (view.details?.(item) ?? item) as Record<string, unknown>;
      const named = fields && Object.fromEntries(fields.map((path) => [path, valueAt(item, path)]));
      return renderDetails(context, named ?? shown);
    }
  }
}

export async function renderItems<Item extends object>(
  context: Context,
  { format, fields }: Look,
  items: Item[],
  { columns, row, wraps }: View<Item>,
): Promise<string> {
  if (format !== 'table') return renderWhole({ format, fields }, items);
  if (items.length === 0) return '';
  if (!fields)
    return renderRows(context, columns.map(columnOf), row ? items.map(row) : items, { wraps: wraps === true });
  const shown = fields.map((path) => ({ name: path, read: (item: object) => valueAt(item, path) }));
  return renderRows(context, shown, items, { wraps: wraps === true });
}

/** An item as a line of NDJSON. */
export const jsonLine = (item: object, fields: readonly string[] | undefined) => `${toJson(picked(item, fields))}\n`;

export async function renderWhole({ format, fields }: Look, value: object): Promise<string> {
  const shown = picked(value, fields);
  if (format !== 'yaml') return `${toJson(shown, 2)}\n`;
  const { toYaml } = await import('./yaml.js');
  return toYaml(shown);
}

const picked = (value: object, fields: readonly string[] | undefined) =>
  fields ? (pickFields(value, fields) as object) : value;
