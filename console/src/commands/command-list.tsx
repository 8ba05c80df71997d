import { getRouteApi, Link } from '@tanstack/react-router';
import type { Command } from '@tenant-open-platform/sdk';
import { type ReactNode, useMemo } from 'react';
import { texts } from '../app/texts';
import { Liveness } from '../live/liveness';
import { eventLog } from '../live/use-follow';
import { useLiveList } from '../live/use-live-list';
import { useSession } from '../session/session';
import { Foreign } from '../ui/foreign';
import { type Column, Rows } from '../ui/rows';
import { Status } from '../ui/status';
import { durationBetween, Time } from '../ui/time';
import { FilterBar } from './filter-bar';

const route = getRouteApi('/commands');
const PAGE = 100;

const columns: Column<Command>[] = [
  {
    name: texts.commands.accepted,
    width: 9,
    // For the mouse: the keyboard has the device.
    cell: ({ command_id, accepted_at }) => (
      <ToCommand commandId={command_id} tabIndex={-1}>
        <Time at={accepted_at} />
      </ToCommand>
    ),
  },
  { name: texts.commands.status, width: 9, cell: ({ status }) => <Status status={status} /> },
  {
    name: texts.commands.device,
    cell: ({ command_id, device_id }) => (
      <ToCommand commandId={command_id}>
        <Foreign text={device_id} />
      </ToCommand>
    ),
  },
  { name: texts.commands.vendor, cell: ({ vendor }) => <Foreign text={vendor} /> },
  { name: texts.commands.type, cell: ({ command_type }) => <Foreign text={command_type} /> },
  {
    name: texts.commands.took,
    width: 6,
    cell: ({ accepted_at, completed_at }) => completed_at && durationBetween(accepted_at, completed_at),
  },
  { name: texts.commands.reason, cell: ({ status_reason }) => status_reason && <Foreign text={status_reason.code} /> },
];

/** The command's page then leads back to this list with its filters. */
function ToCommand({ commandId, ...props }: { commandId: string; tabIndex?: number; children: ReactNode }) {
  const filters = route.useSearch();
  return <Link to="/commands/$commandId" params={{ commandId }} state={(old) => ({ ...old, filters })} {...props} />;
}

export function CommandList() {
  const { client } = useSession();
  const filters = route.useSearch();
  const list = useLiveList(
    ['commands', filters],
    (cursor, signal) => client.commands.list({ ...filters, cursor, limit: PAGE }, { signal }),
    useMemo(() => eventLog(client), [client]),
  );
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <div className="title">
        <h1>{texts.commands.title}</h1>
        <Liveness list={list} />
      </div>
      <FilterBar filters={filters} />
      <Rows
        label={texts.commands.title}
        list={list}
        columns={columns}
        empty={isFiltered ? texts.commands.empty : texts.commands.emptyAll}
      />
    </>
  );
}
