import { type ApiPromise, apiPromise, type WithResponse } from './api-promise.js';

/** One page of a list. */
export interface Page<Item> {
  /** At most `limit` items, newest first. */
  items: Item[];
  /** Pass as `cursor`, with the same filters, to get the next page; null on the last page. */
  next_cursor: string | null;
  /** Correlation id of the call. */
  request_id: string;
}

/**
 * Awaited, the first page; iterated, every item of every page, fetched as needed:
 * `for await (const command of client.commands.list({ status: 'FAILED' })) …`
 */
export interface PagePromise<Item> extends ApiPromise<Page<Item>>, AsyncIterable<Item> {
  /** Collects the items of all pages into an array, at most `max` of them. Fetches no page beyond those it needs. */
  toArray(options?: { max?: number }): Promise<Item[]>;
}

/** Pages share one set of filters; `fetchPage` gets the cursor of the page, undefined for the first. */
export function pagePromise<Item>(
  fetchPage: (cursor?: string) => Promise<WithResponse<Page<Item>>>,
): PagePromise<Item> {
  const first = apiPromise(fetchPage());

  async function* iterate(): AsyncGenerator<Item, void, undefined> {
    let page = await first;
    while (true) {
      yield* page.items;
      if (page.next_cursor === null) return;
      page = (await fetchPage(page.next_cursor)).data;
    }
  }

  async function toArray({ max = Number.POSITIVE_INFINITY }: { max?: number } = {}): Promise<Item[]> {
    const items: Item[] = [];
    let page = await first;
    while (true) {
      items.push(...page.items.slice(0, max - items.length));
      if (page.next_cursor === null || items.length >= max) return items;
      page = (await fetchPage(page.next_cursor)).data;
    }
  }

  return Object.assign(first, { toArray, [Symbol.asyncIterator]: iterate });
}
