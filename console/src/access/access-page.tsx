import { useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { Credential } from '@tenant-open-platform/sdk';
import { texts } from '../app/texts';
import { Liveness } from '../live/liveness';
import { useList } from '../live/use-live-list';
import { useSession } from '../session/session';
import { Foreign } from '../ui/foreign';
import { type Column, Rows } from '../ui/rows';
import { Status } from '../ui/status';
import { Time } from '../ui/time';
import { Explain } from './explain';
import { TenantChoice } from './tenant-choice';

const route = getRouteApi('/access');
const PAGE = 100;

const timeOr = (at: string | null, otherwise: string) => (at ? <Time at={at} /> : otherwise);

const columns: Column<Credential>[] = [
  {
    name: texts.access.clientId,
    cell: ({ tenant_id, client_id }) => (
      <Link to="/access" search={{ tenant: tenant_id, client_id }}>
        <Foreign text={client_id} />
      </Link>
    ),
  },
  { name: texts.access.name, cell: ({ name }) => <Foreign text={name} /> },
  { name: texts.commands.status, width: 8, cell: ({ status }) => <Status status={status} /> },
  { name: texts.access.used, width: 12, cell: ({ last_used_at }) => timeOr(last_used_at, texts.access.never) },
  { name: texts.access.expires, width: 12, cell: ({ expires_at }) => timeOr(expires_at, texts.access.never) },
];

export function AccessPage() {
  const { client, me } = useSession();
  const { tenant = me.tenant_id, ...question } = route.useSearch();
  const navigate = useNavigate();
  const list = useList(['credentials', tenant], (cursor, signal) =>
    client.credentials.list(tenant, { cursor, limit: PAGE }, { signal }),
  );
  const queries = useQueryClient();
  const readAgain = () => {
    const shown = ['rights', 'maker', 'access'].map((of) =>
      queries.refetchQueries({ queryKey: [of, tenant], type: 'active' }),
    );
    return Promise.all([list.refetch(), ...shown]);
  };
  return (
    <>
      <div className="title">
        <h1>{texts.access.title}</h1>
        <Liveness list={{ ...list, refetch: readAgain }} />
      </div>
      <TenantChoice tenant={tenant} onChoose={(next) => void navigate({ to: '/access', search: { tenant: next } })} />
      <Explain tenant={tenant} question={question} onAgain={readAgain} />
      <h2>{texts.access.credentials}</h2>
      <p className="soft">{texts.access.usedAbout}</p>
      <Rows label={texts.access.credentials} list={list} columns={columns} empty={texts.access.empty} />
    </>
  );
}
