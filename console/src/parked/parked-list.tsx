import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { ParkedMessage } from '@tenant-open-platform/sdk';
import { TenantChoice } from '../access/tenant-choice';
import { texts } from '../app/texts';
import { Liveness } from '../live/liveness';
import { useList } from '../live/use-live-list';
import { useSession } from '../session/session';
import { Foreign } from '../ui/foreign';
import { type Column, Rows } from '../ui/rows';
import { Time } from '../ui/time';

const route = getRouteApi('/parked-messages');
const PAGE = 100;

const columns: Column<ParkedMessage>[] = [
  {
    name: texts.parked.at,
    width: 9,
    cell: ({ parked_message_id, parked_at, tenant_id }) => (
      <Link to="/parked-messages/$messageId" params={{ messageId: parked_message_id }} search={{ tenant: tenant_id }}>
        <Time at={parked_at} />
      </Link>
    ),
  },
  { name: texts.parked.kind, width: 11, cell: ({ kind }) => kind },
  { name: texts.commands.vendor, width: 9, cell: ({ vendor }) => vendor && <Foreign text={vendor} /> },
  { name: texts.parked.reason, cell: ({ reason }) => <Foreign text={reason} /> },
];

export function ParkedList() {
  const { client, me } = useSession();
  const { tenant = me.tenant_id } = route.useSearch();
  const navigate = useNavigate();
  const list = useList(['parked-messages', tenant], (cursor, signal) =>
    client.parkedMessages.list(tenant, { cursor, limit: PAGE }, { signal }),
  );
  return (
    <>
      <div className="title">
        <h1>{texts.parked.title}</h1>
        <Liveness list={list} />
      </div>
      <p className="soft">{texts.parked.about}</p>
      <TenantChoice
        tenant={tenant}
        onChoose={(next) => void navigate({ to: '/parked-messages', search: { tenant: next } })}
      />
      <Rows label={texts.parked.title} list={list} columns={columns} empty={texts.parked.empty} />
    </>
  );
}
