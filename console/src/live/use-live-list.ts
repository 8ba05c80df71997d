import { type InfiniteData, type QueryKey, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef, useState } from 'react';
import { type FollowState, type Growing, useFollow } from './use-follow';

type ReadPage<Item> = (
  cursor: string | undefined,
  signal: AbortSignal,
) => PromiseLike<{ items: Item[]; next_cursor: string | null }>;

/** A list that is read page after page. It changes only when the reader asks. */
export function useList<Item>(queryKey: QueryKey, readPage: ReadPage<Item>) {
  const query = useInfiniteQuery({
    queryKey,
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => readPage(pageParam, signal),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    // It would compare all rows with each page that comes.
    structuralSharing: false,
  });
  const queries = useQueryClient();
  /** Only the first page: the others are read again when the reader comes to them. */
  const refetch = () => {
    queries.setQueryData<InfiniteData<unknown>>(
      queryKey,
      (old) => old && { pages: old.pages.slice(0, 1), pageParams: old.pageParams.slice(0, 1) },
    );
    return query.refetch();
  };
  const pages = query.data?.pages;
  return { ...query, refetch, items: useMemo(() => pages?.flatMap(({ items }) => items) ?? [], [pages]) };
}

export type List<Item> = ReturnType<typeof useList<Item>>;

export type ShownList<Item> = List<Item> & {
  /** There is something new that is not shown. */
  hasChanged: boolean;
  showFirst: () => Promise<unknown>;
  onScroll: (isAtTop: boolean) => void;
};

export type LiveList<Item> = ShownList<Item> & { state: FollowState };

/** A list that is read again when `growing` has grown. */
export function useLiveList<Item>(queryKey: QueryKey, readPage: ReadPage<Item>, growing: Growing): LiveList<Item> {
  const list = useShownList(queryKey, readPage);
  return { ...list, state: useFollow(growing, list.change) };
}

/**
 * A list that is read again with `change`. Rows do not move under a reader who has scrolled: `hasChanged` is true then.
 */
export function useShownList<Item>(
  queryKey: QueryKey,
  readPage: ReadPage<Item>,
): ShownList<Item> & { change: () => Promise<void> } {
  const list = useList(queryKey, readPage);
  const queries = useQueryClient();
  const of = JSON.stringify(queryKey);
  const [changed, setChanged] = useState('');
  // A ref, because a change can arrive after later renders. The key tells whether it belongs to this list.
  const scrolled = useRef('');
  const change = async () => {
    const pages = queries.getQueryData<InfiniteData<unknown>>(queryKey)?.pages.length ?? 0;
    if (scrolled.current !== of && pages <= 1) await list.refetch();
    else setChanged(of);
  };
  const onScroll = (isAtTop: boolean) => {
    scrolled.current = isAtTop ? '' : of;
  };
  const showFirst = () => {
    onScroll(true);
    setChanged('');
    return list.refetch();
  };
  return { ...list, change, hasChanged: changed === of, showFirst, onScroll };
}
