import { Link } from '@tanstack/react-router';
import type { ListedEvent } from '@tenant-open-platform/sdk';
import { useMemo } from 'react';
import { texts } from '../app/texts';
import { Liveness } from '../live/liveness';
import { eventLog } from '../live/use-follow';
import { useLiveList } from '../live/use-live-list';
import { useSession } from '../session/session';
import { Foreign } from '../ui/foreign';
import { type Column, Rows } from '../ui/rows';
import { Status } from '../ui/status';
import { Time } from '../ui/time';

const PAGE = 100;

const columns: Column<ListedEvent>[] = [
  { name: texts.events.at, width: 9, cell: ({ occurred_at }) => <Time at={occurred_at} /> },
  { name: texts.events.type, width: 12, cell: ({ event_type }) => event_type },
  { name: texts.commands.status, width: 9, cell: ({ data }) => <Status status={data.status} /> },
  { name: texts.commands.device, cell: ({ data }) => <Foreign text={data.device_id} /> },
  { name: texts.commands.vendor, cell: ({ data }) => <Foreign text={data.vendor} /> },
  {
    name: texts.events.command,
    width: 22,
    cell: ({ data: { command_id } }) => (
      <Link to="/commands/$commandId" params={{ commandId: command_id }}>
        <code>{command_id}</code>
      </Link>
    ),
  },
];

export function EventsPage() {
  const { client } = useSession();
  const list = useLiveList(
    ['events'],
    (cursor, signal) => client.events.list({ order: 'desc', cursor, limit: PAGE }, { signal }),
    useMemo(() => eventLog(client), [client]),
  );
  return (
    <>
      <div className="title">
        <h1>{texts.events.title}</h1>
        <Liveness list={list} />
      </div>
      <Rows label={texts.events.title} list={list} columns={columns} empty={texts.events.empty} />
    </>
  );
}
