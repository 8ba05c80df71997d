import { ApiError } from '../errors.js';
import { type ApiPromise, apiPromise, type WithResponse } from './api-promise.js';

/** One page of a list. */
export interface Page<Item> {
  /**
   * At most `limit` items, newest first; events oldest first. A page may be shorter or empty although more items
   * follow: only `next_cursor` shows whether there are more.
   */
  items: Item[];
  /**
   * Pass as `cursor`, with the same filters, to get the next page; null on the last page; never null for events, nor
   * for device requests with `order: 'asc'`.
   */
  next_cursor: string | null;
  /** Of events: when the database of the platform was restored, if that was after the cursor was given out. */
  restored_at?: string | null;
  /** Correlation id of the call. */
  request_id: string;
}

/**
 * Awaited: the first page. Iterated: every item of every page, fetched as needed.
 * `for await (const command of client.commands.list({ status: 'FAILED' })) …`
 */
export interface PagePromise<Item> extends ApiPromise<Page<Item>>, AsyncIterable<Item> {
  /** Collects the items of all pages into an array, at most `max` of them. Fetches only the pages that it needs. */
  toArray(options?: { max?: number }): Promise<Item[]>;
}

/** Whether an iteration ends with this page; `cursor` is the one that was sent, if it was not the first page. */
export type IsLast = (page: Page<unknown>, cursor?: string | null) => boolean;

/** Of a list whose `next_cursor` is never null: an empty page that repeats the cursor, unless the list waits. */
export const isEndOfLog =
  (query: { cursor?: string | null; wait_seconds?: number; order?: string } | undefined): IsLast =>
  ({ items, next_cursor }, cursor = query?.cursor) =>
    items.length === 0 && next_cursor === cursor && !(query?.wait_seconds && query.order !== 'desc');

interface PagingOptions {
  isLast?: IsLast | undefined;
  /** Whether the list waits for items. It then repeats its cursor while nothing is new. */
  waits?: boolean;
}

/** Pages share one set of filters; `fetchPage` gets the cursor of the page, undefined for the first. */
export function pagePromise<Item>(
  fetchPage: (cursor?: string | null) => Promise<WithResponse<Page<Item>>>,
  { isLast = ({ next_cursor }) => next_cursor === null, waits = false }: PagingOptions = {},
): PagePromise<Item> {
  const first = apiPromise(fetchPage());

  async function* iterate(): AsyncGenerator<Item, void, undefined> {
    let page = await first;
    let cursor: string | null | undefined;
    // Brent's algorithm finds a cycle of any length and remembers only one cursor.
    let remembered: string | null | undefined;
    let steps = 0;
    while (true) {
      yield* page.items;
      if (isLast(page, cursor)) return;
      cursor = page.next_cursor;
      if (!isCursor(cursor)) throw lostCursor();
      if (page.items.length > 0 || !waits) {
        if (cursor === remembered) throw repeatedCursor();
        steps += 1;
        if ((steps & (steps - 1)) === 0) remembered = cursor;
      }
      page = (await fetchPage(cursor)).data;
    }
  }

  async function toArray({ max = Number.POSITIVE_INFINITY }: { max?: number } = {}): Promise<Item[]> {
    const items: Item[] = [];
    if (max <= 0) {
      // The first page was requested already: await it, so that its rejection is handled.
      await first;
      return items;
    }
    for await (const item of iterate()) if (items.push(item) >= max) break;
    return items;
  }

  return Object.assign(first, { toArray, [Symbol.asyncIterator]: iterate });
}

const isCursor = (value: unknown) => typeof value === 'string' && value !== '';

/** Without it, an iteration would begin again at the first page, or end as if the list were complete. */
export const lostCursor = () =>
  new ApiError(200, {
    code: 'UNEXPECTED_ANSWER',
    message: 'The list is incomplete: an answer has lost the cursor of the next page. Check the proxies.',
  });

/** Without it, an iteration would read the same pages for ever. */
export const repeatedCursor = () =>
  new ApiError(200, { code: 'UNEXPECTED_ANSWER', message: 'The list has no end: its answers repeat a cursor.' });
