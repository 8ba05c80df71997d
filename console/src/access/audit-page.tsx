import { getRouteApi, useNavigate } from '@tanstack/react-router';
import type { AuditEvent } from '@tenant-open-platform/sdk';
import { type FormEvent, useState } from 'react';
import { texts } from '../app/texts';
import { Liveness } from '../live/liveness';
import { useList } from '../live/use-live-list';
import { useSession } from '../session/session';
import { Dialog } from '../ui/dialog';
import { Foreign, Json } from '../ui/foreign';
import { type Column, Rows } from '../ui/rows';
import { Time } from '../ui/time';
import { useFormOfAddress } from '../ui/use-form-of-address';
import { auditFields, toAuditFilters } from './filters';
import { TenantChoice } from './tenant-choice';

const route = getRouteApi('/audit');
const PAGE = 100;
const labels: Record<(typeof auditFields)[number], string> = {
  client_id: texts.audit.by,
  operation: texts.audit.operation,
  target: texts.audit.target,
  source_address: texts.audit.from,
};

const columnsWith = (show: (event: AuditEvent) => void): Column<AuditEvent>[] => [
  { name: texts.audit.at, width: 10, cell: ({ occurred_at }) => <Time at={occurred_at} /> },
  { name: texts.audit.by, width: 10, cell: ({ client_id }) => <Foreign text={client_id} /> },
  { name: texts.audit.from, width: 9, cell: ({ source_address }) => source_address },
  { name: texts.audit.operation, width: 12, cell: ({ operation }) => operation },
  { name: texts.audit.target, cell: ({ target }) => <Foreign text={target} /> },
  { name: texts.audit.outcome, width: 6, cell: ({ outcome }) => outcome },
  {
    name: texts.audit.change,
    width: 9,
    cell: (event) => (
      <button type="button" className="small" onClick={() => show(event)}>
        {texts.audit.show}
      </button>
    ),
  },
];

export function AuditPage() {
  const { client, me } = useSession();
  const { tenant = me.tenant_id, ...filters } = route.useSearch();
  const navigate = useNavigate();
  const form = useFormOfAddress(filters);
  const [shown, setShown] = useState<AuditEvent | null>(null);
  const list = useList(['audit', tenant, filters], (cursor, signal) =>
    client.auditEvents.list(tenant, { ...filters, cursor, limit: PAGE }, { signal }),
  );
  function filter(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.currentTarget));
    void navigate({ to: '/audit', search: toAuditFilters({ ...given, tenant }) });
  }
  return (
    <>
      <div className="title">
        <h1>{texts.audit.title}</h1>
        <Liveness list={list} />
      </div>
      <TenantChoice tenant={tenant} onChoose={(next) => void navigate({ to: '/audit', search: { tenant: next } })} />
      <form ref={form} className="filters" aria-label={texts.commands.filters} onSubmit={filter}>
        {auditFields.map((name) => (
          <label key={name}>
            {labels[name]}
            <input name={name} defaultValue={filters[name]} autoComplete="off" spellCheck={false} />
          </label>
        ))}
        <button type="submit">{texts.audit.filter}</button>
      </form>
      <Rows label={texts.audit.title} list={list} columns={columnsWith(setShown)} empty={texts.audit.empty} />
      {shown && <Change event={shown} onClose={() => setShown(null)} />}
    </>
  );
}

function Change({ event, onClose }: { event: AuditEvent; onClose: () => void }) {
  const { before, after, operation, target, request_id } = event;
  return (
    <Dialog title={operation} close={texts.audit.close} onClose={onClose}>
      <p>
        <Foreign text={target} />
      </p>
      <Json value={{ before, after, request_id }} label={texts.audit.change} />
    </Dialog>
  );
}
