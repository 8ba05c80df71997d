import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { CommandResult } from '@tenant-open-platform/sdk';
import { useState } from 'react';
import { texts } from '../app/texts';
import { Liveness } from '../live/liveness';
import { useSession } from '../session/session';
import { Lacking, Problem } from '../ui/problem';
import { CommandForm } from './command-form';
import { Outcome } from './outcome';
import { Review } from './review';
import { type Attempt, attemptOf, isOpen, send } from './sending';
import './send.css';

const SCOPE = 'open:command:create';

export function SendPage() {
  const { client, me } = useSession();
  const maySend = me.scopes.includes(SCOPE);
  const catalog = useQuery({
    queryKey: ['catalog'],
    enabled: maySend,
    queryFn: ({ signal }) => client.catalog.get({ signal }),
  });
  const { data, error, refetch } = catalog;
  const [reviewed, setReviewed] = useState<Attempt | null>(null);
  const { sending, results, forget } = useSending();
  const attempt = sending.variables;

  function confirm() {
    if (reviewed) sending.mutate(reviewed);
    setReviewed(null);
  }

  return (
    <>
      <div className="title">
        <h1>{texts.send.title}</h1>
        {maySend && <Liveness list={catalog} />}
      </div>
      {!maySend && <Lacking scope={SCOPE} />}
      {error && <Problem error={error} onAgain={() => void refetch()} />}
      {maySend && !data && !error && <p role="status">{texts.loading}</p>}
      {maySend && data && (
        <div hidden={attempt !== undefined}>
          <CommandForm vendors={data.vendors} onReview={(draft) => setReviewed(attemptOf(draft))} />
        </div>
      )}
      {reviewed && <Review attempt={reviewed} onSend={confirm} onClose={() => setReviewed(null)} />}
      {attempt && (
        <Outcome
          attempt={attempt}
          results={results}
          isSending={sending.isPending}
          error={sending.error}
          onRepeat={() => sending.mutate(attempt)}
          onEdit={forget}
        />
      )}
    </>
  );
}

/** Sends an attempt, and sends it again: then only what is open, with the same keys. */
function useSending() {
  const { client } = useSession();
  const navigate = useNavigate();
  const [settled] = useState(() => new Map<string, CommandResult>());
  const [, setCount] = useState(0);
  const sending = useMutation({
    mutationFn({ batchId, commands }: Attempt) {
      const open = commands.filter(({ idempotency_key }) => {
        const known = settled.get(idempotency_key);
        return !known || isOpen(known.error);
      });
      for (const { idempotency_key } of open) settled.delete(idempotency_key);
      return send(client, { batchId, commands: open }, (result) => {
        settled.set(result.command.idempotency_key, result);
        setCount(settled.size);
      });
    },
    onSuccess(answer, { batchId }) {
      if ('commandId' in answer) return navigate({ to: '/commands/$commandId', params: answer });
      const areAllAccepted = [...settled.values()].every(({ accepted }) => accepted);
      if (batchId && areAllAccepted) return navigate({ to: '/fleet/$batchId', params: { batchId } });
    },
  });
  function forget() {
    settled.clear();
    sending.reset();
  }
  return { sending, results: [...settled.values()], forget };
}
