import type { Context } from '../context.js';
import { renderDetails, renderRows } from './table.js';

export const outputFormats = ['table', 'json', 'yaml', 'ndjson', 'id'] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** How much of a list to print. */
export type Page = { limit: number; all: boolean };

/** How a resource is printed if only a part of it is shown. */
export type View<Item> = {
  /** The output of `-o id`: the arguments that other commands take for the item. */
  id: (item: Item) => string;
  /** The columns of a list. A single item shows all its fields. */
  columns: readonly (keyof Item & string)[];
  /** The fields of a single item, if they differ from the fields of the answer. */
  details?: (item: Item) => object;
};

export async function renderItem<Item extends object>(
  context: Context,
  format: OutputFormat,
  item: Item,
  view: View<Item>,
): Promise<string> {
  switch (format) {
    case 'id':
      return `${view.id(item)}\n`;
    case 'json':
    case 'yaml':
      return renderWhole(format, item);
    case 'ndjson':
      return `${JSON.stringify(item)}\n`;
    case 'table': {
      const { request_id: _, ...fields } = (view.details?.(item) ?? item) as Record<string, unknown>;
      return renderDetails(context, fields);
    }
  }
}

export async function renderItems<Item extends object>(
  context: Context,
  format: Exclude<OutputFormat, 'ndjson' | 'id'>,
  items: Item[],
  view: View<Item>,
): Promise<string> {
  if (format !== 'table') return renderWhole(format, items);
  return items.length === 0 ? '' : renderRows(context, view.columns, items);
}

export async function renderWhole(format: 'json' | 'yaml', value: object): Promise<string> {
  if (format === 'json') return `${JSON.stringify(value, null, 2)}\n`;
  const { stringify } = await import('yaml');
  return stringify(value);
}
