import { getRouteApi, Link } from '@tanstack/react-router';
import type { ListedDeviceRequest } from '@tenant-open-platform/sdk';
import { useMemo } from 'react';
import { texts } from '../app/texts';
import { Liveness } from '../live/liveness';
import { changedDeviceRequests } from '../live/use-follow';
import { useLiveList } from '../live/use-live-list';
import { useSession } from '../session/session';
import { Foreign } from '../ui/foreign';
import { type Column, Rows } from '../ui/rows';
import { Status } from '../ui/status';
import { Time } from '../ui/time';
import { choices } from './filters';

const route = getRouteApi('/device-requests');
const PAGE = 100;

const columns: Column<ListedDeviceRequest>[] = [
  {
    name: texts.deviceRequests.received,
    width: 9,
    cell: ({ device_request_id, received_at }) => (
      <Link to="/device-requests/$requestId" params={{ requestId: device_request_id }}>
        <Time at={received_at} />
      </Link>
    ),
  },
  { name: texts.commands.status, width: 9, cell: ({ status }) => <Status status={status} /> },
  { name: texts.commands.device, cell: ({ device_id }) => <Foreign text={device_id} /> },
  { name: texts.commands.vendor, cell: ({ vendor }) => <Foreign text={vendor} /> },
  { name: texts.deviceRequests.type, cell: ({ request_type }) => <Foreign text={request_type} /> },
  { name: texts.deviceRequests.expires, cell: ({ expires_at }) => <Time at={expires_at} /> },
];

export function DeviceRequestList() {
  const { client } = useSession();
  const { status: chosen = 'PENDING' } = route.useSearch();
  const status = chosen === 'ALL' ? undefined : chosen;
  const list = useLiveList(
    ['device-requests', chosen],
    (cursor, signal) => client.deviceRequests.list({ status, cursor, limit: PAGE }, { signal }),
    useMemo(() => changedDeviceRequests(client), [client]),
  );
  return (
    <>
      <div className="title">
        <h1>{texts.deviceRequests.title}</h1>
        <Liveness list={list} />
      </div>
      <nav aria-label={texts.deviceRequests.only} className="actions">
        {choices.map((one) => (
          <Link
            key={one}
            to="/device-requests"
            search={{ status: one }}
            aria-current={one === chosen ? 'true' : undefined}
          >
            {one}
          </Link>
        ))}
      </nav>
      <Rows label={texts.deviceRequests.title} list={list} columns={columns} empty={texts.deviceRequests.empty} />
    </>
  );
}
