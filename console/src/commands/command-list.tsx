import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import type { Command } from '@tenant-open-platform/sdk';
import { useEffect, useRef, useState } from 'react';
import { texts } from '../app/texts';
import { Liveness } from '../live/liveness';
import { useLog } from '../live/use-log';
import { useSession } from '../session/session';
import { Foreign } from '../ui/foreign';
import { Problem } from '../ui/problem';
import { Status } from '../ui/status';
import { durationBetween, Time } from '../ui/time';
import { FilterBar } from './filter-bar';

const route = getRouteApi('/commands');
const PAGE = 100;
const ROW_PX = 41;
/** The next page is read when the reader is so many rows before the end. */
const READ_AHEAD = 30;

export function CommandList() {
  const { client } = useSession();
  const filters = route.useSearch();
  const scrolled = useRef<HTMLElement>(null);
  const [hasChanged, setHasChanged] = useState(false);

  const list = useInfiniteQuery({
    queryKey: ['commands', filters],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      client.commands.list({ ...filters, cursor: pageParam, limit: PAGE }, { signal }),
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
  });
  const { data, refetch, fetchNextPage, hasNextPage, isFetching, isFetchingNextPage, dataUpdatedAt } = list;
  const commands = data?.pages.flatMap(({ items }) => items) ?? [];

  /** Rows do not move under a reader who has scrolled: a button says that there is more. */
  const state = useLog(client, async () => {
    const isAtTop = (scrolled.current?.scrollTop ?? 0) < ROW_PX && (data?.pages.length ?? 0) <= 1;
    if (isAtTop) await refetch();
    else setHasChanged(true);
  });

  async function showFirst() {
    scrolled.current?.scrollTo({ top: 0 });
    setHasChanged(false);
    await refetch();
  }

  const rows = useVirtualizer({
    count: commands.length,
    getScrollElement: () => scrolled.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const visible = rows.getVirtualItems();
  const last = visible.at(-1)?.index ?? 0;
  const isNearEnd = last >= commands.length - READ_AHEAD;
  useEffect(() => {
    if (isNearEnd && hasNextPage && !isFetchingNextPage && !list.isError) void fetchNextPage();
  }, [isNearEnd, hasNextPage, isFetchingNextPage, list.isError, fetchNextPage]);

  const isFiltered = Object.keys(filters).length > 0;
  const above = visible[0]?.start ?? 0;
  const below = rows.getTotalSize() - (visible.at(-1)?.end ?? 0);
  return (
    <>
      <div className="title">
        <h1>{texts.commands.title}</h1>
        <Liveness state={state} readAt={dataUpdatedAt} isReading={isFetching} onRead={() => void showFirst()} />
      </div>
      <FilterBar key={JSON.stringify(filters)} filters={filters} />
      {list.error && <Problem error={list.error} onAgain={() => void refetch()} />}
      {list.isPending && !list.error && <p role="status">{texts.loading}</p>}
      {data && commands.length === 0 && <p>{isFiltered ? texts.commands.empty : texts.commands.emptyAll}</p>}
      {hasChanged && (
        <button type="button" className="changed" onClick={() => void showFirst()}>
          {texts.live.changed}
        </button>
      )}
      <section
        ref={scrolled}
        className="rows"
        aria-label={texts.commands.title}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach it.
        tabIndex={0}
        hidden={commands.length === 0}
      >
        <table className="command-columns" aria-rowcount={hasNextPage ? -1 : commands.length + 1}>
          <thead>
            <tr>
              <th scope="col">{texts.commands.accepted}</th>
              <th scope="col">{texts.commands.status}</th>
              <th scope="col">{texts.commands.device}</th>
              <th scope="col">{texts.commands.vendor}</th>
              <th scope="col">{texts.commands.type}</th>
              <th scope="col">{texts.commands.took}</th>
              <th scope="col">{texts.commands.reason}</th>
            </tr>
          </thead>
          <tbody>
            {above > 0 && <tr className="space" style={{ height: above }} />}
            {visible.map(({ index, key }) => (
              <Row key={key} command={commands[index] as Command} rowIndex={index + 2} />
            ))}
            {below > 0 && <tr className="space" style={{ height: below }} />}
          </tbody>
        </table>
      </section>
      {commands.length > 0 && <small role="status">{texts.commands.rows(commands.length, hasNextPage)}</small>}
    </>
  );
}

function Row({ command, rowIndex }: { command: Command; rowIndex: number }) {
  const { command_id, accepted_at, completed_at, status, device_id, vendor, command_type, status_reason } = command;
  return (
    <tr aria-rowindex={rowIndex}>
      <td>
        <Link to="/commands/$commandId" params={{ commandId: command_id }}>
          <Time at={accepted_at} />
        </Link>
      </td>
      <td>
        <Status status={status} />
      </td>
      <td>
        <Foreign text={device_id} />
      </td>
      <td>
        <Foreign text={vendor} />
      </td>
      <td>
        <Foreign text={command_type} />
      </td>
      <td className="number">{completed_at && durationBetween(accepted_at, completed_at)}</td>
      <td>{status_reason && <Foreign text={status_reason.code} />}</td>
    </tr>
  );
}
