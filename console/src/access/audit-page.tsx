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
import { fromInput, Time, toInput } from '../ui/time';
import { useFormOfAddress } from '../ui/use-form-of-address';
import { auditFields, auditTimes, toAuditFilters } from './filters';
import { TenantChoice } from './tenant-choice';

const route = getRouteApi('/audit');
const PAGE = 100;
const labels: Record<(typeof auditFields)[number], string> = {
  client_id: texts.audit.by,
  operation: texts.audit.operation,
  target: texts.audit.target,
  source_address: texts.audit.from,
};

const examples: Partial<typeof labels> = {
  operation: 'roleBindings.create',
  target: 'platform/tenants/…/credentials/…',
  source_address: '192.0.2.1',
};

const columnsWith = (show: (event: AuditEvent) => void): Column<AuditEvent>[] => [
  { name: texts.audit.at, width: 14, cell: ({ occurred_at }) => <Time at={occurred_at} full /> },
  { name: texts.audit.by, width: 10, cell: ({ client_id }) => <Foreign text={client_id} /> },
  { name: texts.audit.from, width: 9, cell: ({ source_address }) => source_address },
  { name: texts.audit.operation, width: 12, cell: ({ operation }) => operation },
  { name: texts.audit.target, cell: (event) => <Foreign text={whatIn(event)} /> },
  { name: texts.audit.outcome, width: 7, cell: ({ outcome }) => outcome },
  {
    name: texts.audit.change,
    width: 6,
    cell: (event) => (
      <button type="button" className="small" onClick={() => show(event)}>
        {texts.audit.show}
      </button>
    ),
  },
];

/** The target below its tenant. The id of a policy says nothing: its scope and its credential do. */
function whatIn({ tenant_id, target, before, after }: AuditEvent): string {
  const { scope, client_id } = after ?? before ?? {};
  if (target.includes('/policies') && typeof scope === 'string') return `policies: ${scope} → ${client_id}`;
  return target.replace(`platform/tenants/${tenant_id}/`, '');
}

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
    const given = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    for (const name of auditTimes) given[name] = fromInput(given[name]);
    // As the column shows it.
    if (given.target && !given.target.startsWith('platform/')) {
      given.target = `platform/tenants/${tenant}/${given.target}`;
    }
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
            <input
              name={name}
              defaultValue={filters[name]}
              placeholder={examples[name]}
              autoComplete="off"
              spellCheck={false}
            />
          </label>
        ))}
        {auditTimes.map((name) => (
          <label key={name}>
            {texts.audit[name]}
            <input type="datetime-local" step="1" name={name} defaultValue={toInput(filters[name])} />
          </label>
        ))}
        <button type="submit">{texts.audit.filter}</button>
      </form>
      <p className="soft">{texts.audit.about}</p>
      <Rows label={texts.audit.title} list={list} columns={columnsWith(setShown)} empty={texts.audit.empty} />
      {shown && <Change event={shown} onClose={() => setShown(null)} />}
    </>
  );
}

function Change({ event, onClose }: { event: AuditEvent; onClose: () => void }) {
  const { before, after, hidden_without, operation, target, request_id, occurred_at, client_id, source_address } =
    event;
  return (
    <Dialog title={operation} close={texts.audit.close} onClose={onClose}>
      <p>
        <Foreign text={target} />
      </p>
      <p>
        <Time at={occurred_at} full />, <Foreign text={client_id} />, {source_address ?? texts.access.firstStart}
      </p>
      {hidden_without && <p>{texts.shell.missing(hidden_without)}</p>}
      <Json value={{ before, after, request_id }} label={texts.audit.change} />
    </Dialog>
  );
}
