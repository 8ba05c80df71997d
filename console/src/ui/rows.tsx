import { useVirtualizer } from '@tanstack/react-virtual';
import { MAX_ROWS_READ } from '@tenant-open-platform/contract/facts';
import { type ReactNode, useEffect, useRef } from 'react';
import { texts } from '../app/texts';
import type { List, ShownList } from '../live/use-live-list';
import { Problem } from './problem';
import './rows.css';

export type Column<Item> = {
  name: string;
  /** In rem; absent: an equal share of the rest. */
  width?: number;
  cell: (item: Item) => ReactNode;
  /** The whole text is shown, on as many lines as it takes. */
  wraps?: true;
};

type Props<Item> = {
  label: string;
  list: List<Item> | ShownList<Item>;
  columns: readonly Column<Item>[];
  /** What a list without a row says. */
  empty: string;
};

const ROW_PX = 41;
/** The next page is read when the reader is this many rows before the end. */
const READ_AHEAD = 30;
/** After this many pages with few matches, the reader decides whether to go on. */
const PAGES_SEARCHED = 20;

/** A list as a table. Only the rows that can be seen are in the page. */
export function Rows<Item>({ label, list, columns, empty }: Props<Item>) {
  const { items, error, isPending, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = list;
  const live = 'showFirst' in list ? list : null;
  const scrolled = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => scrolled.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const visible = rows.getVirtualItems();
  const isNearEnd = (visible.at(-1)?.index ?? 0) >= items.length - READ_AHEAD;
  const pages = list.data?.pages ?? [];
  const found = pages.slice(-PAGES_SEARCHED).reduce((sum, page) => sum + page.items.length, 0);
  const isSearching = hasNextPage && pages.length >= PAGES_SEARCHED && found < READ_AHEAD;
  const isPaused = isSearching && pages.length % PAGES_SEARCHED === 0;
  const wantsMore = isNearEnd && hasNextPage && !isPaused && !isFetchingNextPage && error === null;
  useEffect(() => {
    if (wantsMore) void fetchNextPage();
  }, [wantsMore, fetchNextPage]);

  function showFirst() {
    scrolled.current?.scrollTo({ top: 0 });
    void live?.showFirst();
  }

  const isEven = !columns.some(({ wraps }) => wraps);
  const above = visible[0]?.start ?? 0;
  const below = rows.getTotalSize() - (visible.at(-1)?.end ?? 0);
  return (
    <>
      {error && (
        <Problem error={error} onAgain={() => void (list.isFetchNextPageError ? fetchNextPage() : refetch())} />
      )}
      {(isPending || wantsMore || isFetchingNextPage) && items.length === 0 && !error && (
        <p role="status">{texts.loading}</p>
      )}
      {list.data && items.length === 0 && !hasNextPage && <p>{empty}</p>}
      {live?.hasChanged && (
        <button type="button" className="changed" onClick={showFirst}>
          {texts.live.changed}
        </button>
      )}
      <section
        ref={scrolled}
        className={isEven ? 'rows' : 'rows wraps'}
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach it.
        tabIndex={0}
        hidden={items.length === 0}
        onScroll={({ currentTarget }) => live?.onScroll(currentTarget.scrollTop < ROW_PX)}
      >
        <table aria-rowcount={hasNextPage ? -1 : items.length + 1}>
          <colgroup>
            {columns.map(({ name, width }) => (
              <col key={name} style={width ? { width: `${width}rem` } : undefined} />
            ))}
          </colgroup>
          <thead>
            <tr>
              {columns.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {above > 0 && <tr className="space" style={{ height: above }} />}
            {visible.map(({ index, key }) => (
              <tr key={key} aria-rowindex={index + 2} data-index={index} ref={isEven ? undefined : rows.measureElement}>
                {columns.map(({ name, cell, wraps }) => (
                  <td key={name} className={wraps && 'whole'}>
                    {cell(items[index] as Item)}
                  </td>
                ))}
              </tr>
            ))}
            {below > 0 && <tr className="space" style={{ height: below }} />}
          </tbody>
        </table>
      </section>
      {items.length > 0 && <small role="status">{texts.rows(items.length, hasNextPage)}</small>}
      {isSearching && (
        <p className="actions">
          <span role="status">{isPaused ? texts.searched(PAGES_SEARCHED * MAX_ROWS_READ, found) : texts.loading}</span>
          <button type="button" aria-disabled={!isPaused} onClick={() => void (isPaused && fetchNextPage())}>
            {texts.searchOn}
          </button>
        </p>
      )}
    </>
  );
}
