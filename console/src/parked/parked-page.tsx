import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { ParkedMessageWithBody } from '@tenant-open-platform/sdk';
import { useState } from 'react';
import { texts } from '../app/texts';
import { Liveness } from '../live/liveness';
import { useSession } from '../session/session';
import { Dialog } from '../ui/dialog';
import { Foreign, Verbatim } from '../ui/foreign';
import { One } from '../ui/one';
import { Problem } from '../ui/problem';
import { Time } from '../ui/time';

const route = getRouteApi('/parked-messages/$messageId');

export function ParkedPage() {
  const { client, me } = useSession();
  const { messageId } = route.useParams();
  const { tenant = me.tenant_id } = route.useSearch();
  const query = useQuery({
    queryKey: ['parked-message', tenant, messageId],
    queryFn: async ({ signal }) => client.parkedMessages.get(tenant, messageId, { signal }),
  });
  return (
    <>
      <Link to="/parked-messages" search={{ tenant }}>
        ← {texts.parked.back}
      </Link>
      <Liveness list={query} />
      <One query={query} missing={texts.parked.missing}>
        {(message) => <Details message={message} />}
      </One>
    </>
  );
}

function Details({ message }: { message: ParkedMessageWithBody }) {
  const { kind, subject, parked_at, reason, details, body, body_encoding } = message;
  return (
    <>
      <h1>{kind ?? <Foreign text={subject} />}</h1>
      <p className="soft">
        <Foreign text={subject} /> · {texts.parked.at} <Time at={parked_at} full />
      </p>
      <p className="reason">
        <Foreign text={reason} />
      </p>
      <Actions message={message} />
      {details.length > 0 && <h2>{texts.parked.details}</h2>}
      <ul>
        {details.map(({ location, message: problem }) => (
          <li key={`${location} ${problem}`}>
            <code>
              <Foreign text={location} />
            </code>{' '}
            <Foreign text={problem} />
          </li>
        ))}
      </ul>
      <h2>{texts.parked.body}</h2>
      {body_encoding === 'BASE64' && <p>{texts.parked.base64}</p>}
      <Verbatim text={body} label={texts.parked.body} />
    </>
  );
}

function Actions({ message: { tenant_id, parked_message_id: id, can_retry } }: { message: ParkedMessageWithBody }) {
  const { client, me } = useSession();
  const may = (action: 'retry' | 'delete') => me.scopes.includes(`platform:parked-message:${action}`);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, setIsAsking] = useState(false);
  const retrying = useMutation({ mutationFn: async () => client.parkedMessages.retry(tenant_id, id) });
  const deleting = useMutation({
    mutationFn: async () => client.parkedMessages.delete(tenant_id, id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['parked-messages'] });
      await navigate({ to: '/parked-messages', search: { tenant: tenant_id } });
    },
  });
  return (
    <>
      <div className="actions">
        {can_retry && may('retry') && (
          <button type="button" disabled={retrying.isPending} onClick={() => retrying.mutate()}>
            {texts.parked.retry}
          </button>
        )}
        {may('delete') && (
          <button type="button" onClick={() => setIsAsking(true)}>
            {texts.parked.delete}
          </button>
        )}
        <span role="status">{retrying.isSuccess ? texts.parked.retried : ''}</span>
      </div>
      {retrying.error && <Problem error={retrying.error} />}
      {isAsking && (
        <Dialog
          title={texts.parked.delete}
          close={texts.parked.keep}
          actions={
            <button type="button" disabled={deleting.isPending} onClick={() => deleting.mutate()}>
              {texts.parked.deleteSure}
            </button>
          }
          onClose={() => setIsAsking(false)}
        >
          <p>{texts.parked.deleteAbout}</p>
          {deleting.error && <Problem error={deleting.error} />}
        </Dialog>
      )}
    </>
  );
}
