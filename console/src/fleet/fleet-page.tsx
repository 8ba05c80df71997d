import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { countOpen } from '@tenant-open-platform/contract/facts';
import type { CommandSummary } from '@tenant-open-platform/sdk';
import { lazy, Suspense, useMemo, useRef, useState } from 'react';
import { texts } from '../app/texts';
import { failed, statuses } from '../commands/filters';
import { Liveness } from '../live/liveness';
import { eventLog, useFollow } from '../live/use-follow';
import { useShownList } from '../live/use-live-list';
import { useSession } from '../session/session';
import { Problem } from '../ui/problem';
import { Status } from '../ui/status';
import { BatchFacts, BatchTitle } from './batch-title';
import { burnUpOf } from './burn-up-data';
import { Failures, failedIn } from './failures';
import { type Batch, pagesToRead, readBatch } from './read-batch';
import './fleet.css';

const BurnUp = lazy(() => import('./burn-up').then(({ BurnUp }) => ({ default: BurnUp })));
const route = getRouteApi('/fleet/$batchId');

/** With more requests for a reading, a batch of which many commands are open is not read again by itself. */
const MOST_LIVE_PAGES = 4;

const FAILED_PAGE = 100;

export function FleetPage() {
  const { batchId } = route.useParams();
  return <BatchPage key={batchId} batchId={batchId} />;
}

function BatchPage({ batchId }: { batchId: string }) {
  const { client } = useSession();
  const queries = useQueryClient();
  const [readCount, setReadCount] = useState(0);
  const summary = useQuery({
    queryKey: ['batch', batchId, 'summary'],
    queryFn: ({ signal }) => client.commands.summary({ batch_id: batchId, group_by: ['reason'] }, { signal }),
  });
  const key = ['batch', batchId, 'commands'];
  const batch = useQuery({
    queryKey: key,
    queryFn: ({ signal }) =>
      readBatch(client, batchId, { known: queries.getQueryData<Batch>(key), signal, onRead: setReadCount }),
  });
  const isCheap = !batch.data || pagesToRead(batch.data) <= MOST_LIVE_PAGES;

  const failures = useShownList(['batch', batchId, 'failed'], (cursor, signal) =>
    client.commands.list(
      { batch_id: batchId, status: [...failed], order: 'asc', limit: FAILED_PAGE, cursor },
      { signal },
    ),
  );
  const failedCount = useRef(-1);

  const growing = useMemo(() => eventLog(client), [client]);
  const state = useFollow(growing, async () => {
    const { data } = await summary.refetch();
    if (data && (failedIn(data) !== failedCount.current || failures.error)) {
      failedCount.current = failedIn(data);
      await failures.change();
    }
    if (isCheap || (data && countOpen(data.counts) === 0)) await batch.refetch();
  });
  const read = () => Promise.all([summary.refetch(), failures.showFirst(), batch.refetch()]);

  const commands = useMemo(() => batch.data?.pages.flatMap((page) => page.commands) ?? [], [batch.data]);
  const data = useMemo(() => burnUpOf(commands), [commands]);
  const isWhole = batch.data?.hasMore === false && commands.length === summary.data?.total;
  const error = summary.error ?? batch.error;
  return (
    <>
      <div className="title">
        <h1>
          <BatchTitle total={summary.data?.total ?? 0} commands={commands} isWhole={isWhole} />
        </h1>
        <Liveness list={{ ...summary, state, refetch: read }} />
      </div>
      <BatchFacts batchId={batchId} commands={commands} isWhole={isWhole} />
      {error && <Problem error={error} onAgain={() => void read()} />}
      {summary.isPending && !error && <p role="status">{texts.loading}</p>}
      {summary.data?.total === 0 && <p>{texts.fleet.empty}</p>}
      {summary.data && summary.data.total > 0 && (
        <>
          <ByStatus batchId={batchId} summary={summary.data} />
          <Failures batchId={batchId} summary={summary.data} list={failures} />
          <h2>{texts.fleet.overTime}</h2>
          {!batch.data && !batch.error && <p role="status">{texts.fleet.reading(readCount)}</p>}
          {commands.length > 0 && (
            <Suspense fallback={<p role="status">{texts.loading}</p>}>
              <BurnUp data={data} />
            </Suspense>
          )}
          {batch.data?.hasMore && <p>{texts.fleet.newest(commands.length)}</p>}
          {!isCheap && (
            <p className="actions">
              {texts.fleet.notLive}
              <button type="button" disabled={batch.isFetching} onClick={() => void batch.refetch()}>
                {texts.live.readAgain}
              </button>
            </p>
          )}
        </>
      )}
    </>
  );
}

function ByStatus({ batchId, summary }: { batchId: string; summary: CommandSummary }) {
  const { counts, total } = summary;
  const ended = total - countOpen(counts);
  return (
    <>
      <p>
        <progress max={total} value={ended} aria-label={texts.fleet.done(ended, total)} />{' '}
        {texts.fleet.done(ended, total)}.{' '}
        <Link to="/commands" search={{ batch_id: batchId }}>
          {texts.fleet.list}
        </Link>
      </p>
      <dl className="by-status" aria-label={texts.fleet.byStatus}>
        {statuses
          .filter((status) => counts[status] > 0)
          .map((status) => (
            <div key={status}>
              <dt>
                <Status status={status} />
              </dt>
              <dd className="number">
                <Link to="/commands" search={{ batch_id: batchId, status: [status] }}>
                  {counts[status].toLocaleString()}
                </Link>{' '}
                <small>{share(counts[status], total)}</small>
              </dd>
            </div>
          ))}
      </dl>
    </>
  );
}

const share = (count: number, of: number) =>
  (count / of).toLocaleString(undefined, { style: 'percent', maximumFractionDigits: 1 });
