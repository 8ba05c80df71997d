import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { AccessExplanation } from '@tenant-open-platform/sdk';
import type { FormEvent } from 'react';
import { texts } from '../app/texts';
import { useSession } from '../session/session';
import { Foreign } from '../ui/foreign';
import { Problem } from '../ui/problem';
import { useFormOfAddress } from '../ui/use-form-of-address';
import { Rights } from './rights';

/** Of vite.config.ts. */
declare const OPERATION_IDS: readonly string[];

type Props = {
  tenant: string;
  question: { client_id?: string; operation?: string };
  /** Reads again what is shown. */
  onAgain: () => unknown;
};

/** A question is an address, so that it can be sent to a colleague. */
export function Explain({ tenant, question, onAgain }: Props) {
  const { client } = useSession();
  const navigate = useNavigate();
  const { client_id = '', operation = '' } = question;
  const form = useFormOfAddress(question);
  const { data, error } = useQuery({
    queryKey: ['access', tenant, client_id, operation],
    enabled: client_id !== '' && operation !== '',
    queryFn: async ({ signal }) => client.access.explain(tenant, client_id, { operation }, { signal }),
  });
  function ask(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const asked = Object.fromEntries(new FormData(event.currentTarget)) as Record<string, string>;
    const next = { client_id: asked.client_id?.trim(), operation: asked.operation?.trim() || undefined };
    const isSame = next.client_id === client_id && (next.operation ?? '') === operation;
    void (isSame ? onAgain() : navigate({ to: '/access', search: { tenant, ...next } }));
  }
  return (
    <section className="card" aria-label={texts.access.explain}>
      <h2>{texts.access.explain}</h2>
      <form ref={form} className="filters" onSubmit={ask}>
        <label>
          {texts.access.clientId}
          <input name="client_id" defaultValue={client_id} required autoComplete="off" spellCheck={false} />
        </label>
        <label>
          {texts.access.operation}
          <input
            name="operation"
            defaultValue={operation}
            placeholder="commands.create"
            list="operations"
            autoComplete="off"
            spellCheck={false}
          />
        </label>
        <datalist id="operations">
          {OPERATION_IDS.map((id) => (
            <option key={id} value={id} />
          ))}
        </datalist>
        <button type="submit">{texts.access.ask}</button>
      </form>
      <div role="status">{data && <Answer answer={data} />}</div>
      {error && <Problem error={error} />}
      {client_id && (
        <>
          <h3>
            {texts.access.rights} <Foreign text={client_id} />
          </h3>
          <Rights tenant={tenant} clientId={client_id} />
        </>
      )}
    </section>
  );
}

function Answer({ answer }: { answer: AccessExplanation }) {
  const { client_id, operation, granted, grants, granting_roles, scope, status } = answer;
  return (
    <>
      <p>
        <strong>{(granted ? texts.access.yes : texts.access.no)(client_id, operation)}</strong>{' '}
        {status !== 'ACTIVE' && texts.access.notActive(status)}
      </p>
      {grants.length > 0 && (
        <p>
          <Foreign text={texts.access.by(grants.map(({ role, scope: of }) => role ?? of).join(', '))} />
        </p>
      )}
      {!granted && scope && <p>{texts.access.rolesThatWould(scope, granting_roles.join(', ') || '–')}</p>}
    </>
  );
}
