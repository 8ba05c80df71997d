import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, useLocation } from '@tanstack/react-router';
import type { Command } from '@tenant-open-platform/sdk';
import type { ReactNode } from 'react';
import { texts } from '../app/texts';
import { Liveness } from '../live/liveness';
import { baseUrl, useSession } from '../session/session';
import { Foreign, Json } from '../ui/foreign';
import { One } from '../ui/one';
import { Problem } from '../ui/problem';
import { Status } from '../ui/status';
import { durationBetween, Time } from '../ui/time';
import { SendAgain } from './send-again';
import { Timeline } from './timeline';
import { useCommandUpdates } from './use-command-updates';

const route = getRouteApi('/commands/$commandId');

export function CommandPage() {
  const { client } = useSession();
  const { commandId } = route.useParams();
  const key = ['command', commandId];
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => client.commands.get(commandId, {}, { signal }),
  });
  const isLost = useCommandUpdates(client, key, query.data);
  return (
    <>
      <Back />
      <One query={query} missing={texts.commands.missing}>
        {(command) => {
          // A late result changes a command that has ended: nothing waits for it.
          const state = command.completed_at ? undefined : isLost ? 'UNREACHABLE' : 'FOLLOWING';
          return (
            <Details key={commandId} command={command}>
              <Liveness list={{ ...query, ...(state && { state }) }} />
            </Details>
          );
        }}
      </One>
    </>
  );
}

function Back() {
  const filters = useLocation({ select: ({ state }) => state.filters });
  const isFiltered = filters && Object.keys(filters).length > 0;
  return (
    <Link to="/commands" search={filters ?? {}}>
      ← {isFiltered ? texts.commands.backFiltered : texts.commands.back}
    </Link>
  );
}

function Details({ command, children }: { command: Command; children: ReactNode }) {
  const { status_reason: reason, progress, late_result: late } = command;
  return (
    <>
      <div className="title">
        <h1>
          <Foreign text={command.command_type} /> <span className="soft">→</span> <Foreign text={command.device_id} />
        </h1>
        <Status status={command.status} />
        {children}
      </div>
      {command.batch_id && (
        <p className="reason">
          {texts.commands.inBatch}{' '}
          <Link to="/fleet/$batchId" params={{ batchId: command.batch_id }}>
            {command.batch_id}
          </Link>
        </p>
      )}
      {reason && (
        <p className="reason">
          <strong>
            <Foreign text={reason.code} />
          </strong>{' '}
          <Foreign text={reason.message} /> <a href={`${baseUrl}/docs/commands`}>{texts.commands.reasonPage}</a>
        </p>
      )}
      {progress && (
        <p>
          <progress
            max={progress.of}
            value={progress.step}
            aria-label={texts.commands.progress(progress.step, progress.of)}
          />{' '}
          {texts.commands.progress(progress.step, progress.of)}
        </p>
      )}
      <div className="actions">
        <Cancel command={command} />
        <SendAgain command={command} />
      </div>
      <h2>{texts.commands.timeline}</h2>
      <Timeline command={command} />
      <h2>{texts.commands.payload}</h2>
      <Json value={command.payload} label={texts.commands.payload} />
      <h2>{texts.commands.result}</h2>
      {command.result ? (
        <Json value={command.result} label={texts.commands.result} />
      ) : (
        <p>{texts.commands.noResult}</p>
      )}
      {late && (
        <>
          <h2>{texts.commands.late}</h2>
          <Json value={late} label={texts.commands.late} />
        </>
      )}
      <h2>{texts.commands.facts}</h2>
      <Facts command={command} />
    </>
  );
}

function Facts({ command }: { command: Command }) {
  const facts: [name: string, value: ReactNode][] = [
    ['command_id', <code key="id">{command.command_id}</code>],
    ['vendor', <Foreign key="vendor" text={command.vendor} />],
    ['idempotency_key', <Foreign key="key" text={command.idempotency_key} />],
    ['created_by_client_id', <Foreign key="by" text={command.created_by_client_id} />],
    ['timeout_seconds', command.timeout_seconds],
    ['accepted_at', <Time key="accepted" at={command.accepted_at} full />],
    ['deadline_at', <Time key="deadline" at={command.deadline_at} full />],
  ];
  if (command.completed_at) {
    facts.push([texts.commands.took, durationBetween(command.accepted_at, command.completed_at)]);
  }
  return (
    <dl>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Only what was never sent can be canceled. */
function Cancel({ command: { command_id, status } }: { command: Command }) {
  const { client, me } = useSession();
  const queries = useQueryClient();
  const canceling = useMutation({
    mutationFn: () => client.commands.cancel(command_id),
    onSuccess: (canceled) => queries.setQueryData(['command', command_id], canceled),
    onError: () => queries.invalidateQueries({ queryKey: ['command', command_id] }),
  });
  const mayCancel = status === 'ACCEPTED' && me.scopes.includes('open:command:cancel');
  if (!mayCancel && !canceling.error) return null;
  return (
    <>
      {mayCancel && (
        <button
          type="button"
          title={texts.commands.cancelAbout}
          disabled={canceling.isPending}
          onClick={() => canceling.mutate()}
        >
          {texts.commands.cancel}
        </button>
      )}
      {canceling.error && <Problem error={canceling.error} />}
    </>
  );
}
