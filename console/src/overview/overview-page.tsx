import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { openStatuses } from '@tenant-open-platform/contract/facts';
import { useMemo } from 'react';
import { texts } from '../app/texts';
import { Liveness } from '../live/liveness';
import { eventLog, useFollow } from '../live/use-follow';
import { useSession } from '../session/session';
import { Missing, Part } from '../ui/part';
import { Time } from '../ui/time';
import { DurationsOfVendors } from './durations';
import { Outcomes } from './outcomes';
import { PlatformParts, READ_STATE } from './platform-parts';
import { READ_CATALOG, Vendors } from './vendors';
import './overview.css';

const DAY_MS = 86_400_000;
const COUNTED = 100;
/** Figures of a day change slowly. */
const BETWEEN_READS_MS = 10_000;

const READ_COMMANDS = 'open:command:read';
const READ_PARKED = 'platform:parked-message:read';

const partsOfTenant = [
  [texts.overview.outcomes, READ_COMMANDS],
  [texts.overview.durations, READ_COMMANDS],
  [texts.overview.open, READ_COMMANDS],
  [texts.parked.title, READ_PARKED],
  [texts.overview.vendors, READ_CATALOG],
] as const;

export function OverviewPage() {
  const { client, me } = useSession();
  const isOfPlatform = me.tenant_id === 'platform';
  const parts = [...partsOfTenant, ...(isOfPlatform ? [[texts.overview.platform, READ_STATE] as const] : [])];
  const mayReadCommands = me.scopes.includes(READ_COMMANDS);
  const mayReadParked = me.scopes.includes(READ_PARKED);
  const figures = useQuery({
    queryKey: ['figures'],
    enabled: mayReadCommands,
    queryFn: async ({ signal }) => {
      const completed_after = new Date(Date.now() - DAY_MS).toISOString();
      return client.commands.figures({ completed_after, group_by: 'vendor' }, { signal });
    },
  });
  const open = useQuery({
    queryKey: ['open-commands'],
    enabled: mayReadCommands,
    queryFn: async ({ signal }) => client.commands.list({ is_final: false, order: 'asc', limit: COUNTED }, { signal }),
  });
  const parked = useQuery({
    queryKey: ['parked-count'],
    enabled: mayReadParked,
    queryFn: async ({ signal }) => client.parkedMessages.list(me.tenant_id, { limit: COUNTED }, { signal }),
  });
  const queries = useQueryClient();
  const readAgain = () => queries.refetchQueries({ type: 'active' });
  const state = useFollow(
    useMemo(() => eventLog(client), [client]),
    readAgain,
    BETWEEN_READS_MS,
  );
  const newest = figures.dataUpdatedAt >= parked.dataUpdatedAt ? figures : parked;
  return (
    <>
      <div className="title">
        <h1>{texts.overview.title}</h1>
        <Liveness list={{ ...newest, state, refetch: readAgain }} />
      </div>
      <Missing parts={parts} />
      <div className="parts">
        <Part title={texts.overview.outcomes} scope={READ_COMMANDS} query={figures} isWhole>
          {(data) => <Outcomes figures={data} />}
        </Part>
        <Part title={texts.overview.durations} scope={READ_COMMANDS} query={figures} isWhole>
          {(data) => <DurationsOfVendors figures={data} />}
        </Part>
        <Part title={texts.overview.open} scope={READ_COMMANDS} query={open}>
          {({ items, next_cursor }) => (
            <p>
              <Link to="/commands" search={{ status: [...openStatuses] }}>
                {texts.overview.openCount(items.length, next_cursor !== null)}
              </Link>{' '}
              {items[0] && (
                <small>
                  {texts.overview.oldest} <Time at={items[0].accepted_at} />
                </small>
              )}
            </p>
          )}
        </Part>
        <Part title={texts.parked.title} scope={READ_PARKED} query={parked}>
          {({ items, next_cursor }) => (
            <p>
              <Link to="/parked-messages">{texts.overview.parkedCount(items.length, next_cursor !== null)}</Link>
            </p>
          )}
        </Part>
        <Vendors />
        {isOfPlatform && <PlatformParts />}
      </div>
    </>
  );
}
