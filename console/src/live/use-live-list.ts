import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
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
  const pages = query.data?.pages;
  return { ...query, items: useMemo(() => pages?.flatMap(({ items }) => items) ?? [], [pages]) };
}

export type List<Item> = ReturnType<typeof useList<Item>>;

export type LiveList<Item> = List<Item> & {
  state: FollowState;
  /** There is something new that is not shown. */
  hasChanged: boolean;
  showFirst: () => Promise<unknown>;
  onScroll: (isAtTop: boolean) => void;
};

/**
 * A list that is read again when `growing` has grown. Rows do not move under a reader who has scrolled: `hasChanged` is
 * true then.
 */
export function useLiveList<Item>(queryKey: QueryKey, readPage: ReadPage<Item>, growing: Growing): LiveList<Item> {
  const list = useList(queryKey, readPage);
  const [isAtTop, setIsAtTop] = useState(true);
  const [hasChanged, setHasChanged] = useState(false);
  const state = useFollow(growing, async () => {
    if (isAtTop && (list.data?.pages.length ?? 0) <= 1) await list.refetch();
    else setHasChanged(true);
  });
  const showFirst = () => {
    setHasChanged(false);
    return list.refetch();
  };
  return { ...list, state, hasChanged, showFirst, onScroll: setIsAtTop };
}
