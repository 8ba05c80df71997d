import { Link } from '@tanstack/react-router';
import { type CommandResult, isApiError } from '@tenant-open-platform/sdk';
import { useEffect, useRef } from 'react';
import { texts } from '../app/texts';
import { Foreign } from '../ui/foreign';
import { Problem } from '../ui/problem';
import { Scrolling } from '../ui/scrolling';
import { type Attempt, isOpen, isUnknown } from './sending';

type Props = {
  attempt: Attempt;
  results: readonly CommandResult[];
  isSending: boolean;
  /** Of the request as a whole. */
  error: unknown;
  onRepeat: () => void;
  onEdit: () => void;
};

/** What became of the commands. It has the focus: the form with the button that had it is hidden. */
export function Outcome(props: Props) {
  const { attempt, results, isSending } = props;
  const section = useRef<HTMLElement>(null);
  useEffect(() => section.current?.focus(), []);
  return (
    <section ref={section} tabIndex={-1} aria-label={texts.send.outcome} className="outcome">
      {isSending ? (
        <p role="status">{texts.send.sending(results.length, attempt.commands.length)}</p>
      ) : (
        <Settled {...props} />
      )}
    </section>
  );
}

/** Where not all were accepted. */
function Settled({ attempt: { batchId, commands }, results, error, onRepeat, onEdit }: Props) {
  const accepted = results.filter((result) => result.accepted);
  const refused = results.filter((result) => result.error && !isOpen(result.error));
  const open = results.filter((result) => isOpen(result.error));
  const isLost = isUnknown(error) || open.some((result) => isUnknown(result.error));
  return (
    <>
      {batchId !== null && !error && (
        <p role="status">{texts.send.counts(accepted.length, refused.length, open.length, commands.length)}</p>
      )}
      {isLost ? (
        <div className="problem" role="alert">
          <p>
            <strong>{texts.send.lost(error ? commands.length - accepted.length - refused.length : open.length)}</strong>
          </p>
          <p>{texts.send.lostAbout}</p>
        </div>
      ) : (
        open.length > 0 && <p role="alert">{texts.send.notNow(open.length)}</p>
      )}
      {error !== null && !isLost && <Refusal error={error} />}
      {refused.length > 0 && <Refused results={refused} />}
      <div className="actions">
        {(isLost || isOpen(error) || open.length > 0) && (
          <button type="button" className="main" onClick={onRepeat}>
            {texts.send.repeat}
          </button>
        )}
        {batchId !== null && accepted.length > 0 && (
          <Link to="/fleet/$batchId" params={{ batchId }}>
            {texts.send.showBatch}
          </Link>
        )}
        <button type="button" onClick={onEdit}>
          {texts.send.edit}
        </button>
      </div>
    </>
  );
}

function Refusal({ error }: { error: unknown }) {
  return (
    <>
      <Problem error={error} />
      {isApiError(error) && error.details.length > 0 && <Details details={error.details} />}
    </>
  );
}

const Details = ({ details }: { details: readonly { location: string; message: string }[] }) => (
  <ul>
    {details.map(({ location, message }, index) => (
      <li key={index}>
        <code>
          <Foreign text={location} />
        </code>{' '}
        <Foreign text={message} />
      </li>
    ))}
  </ul>
);

const SHOWN = 100;

function Refused({ results }: { results: readonly CommandResult[] }) {
  return (
    <>
      <h2>{texts.send.refused}</h2>
      <Scrolling label={texts.send.refused}>
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.commands.device}</th>
              <th scope="col">{texts.commands.reason}</th>
              <th scope="col">{texts.send.message}</th>
            </tr>
          </thead>
          <tbody>
            {results.slice(0, SHOWN).map(({ command, error }) => (
              <tr key={command.idempotency_key}>
                <td>
                  <Foreign text={command.device_id} />
                </td>
                <td>{isApiError(error) && <code>{error.code}</code>}</td>
                <td>
                  <Foreign text={error?.message ?? ''} />
                  {isApiError(error) && error.details.length > 0 && <Details details={error.details} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
      {results.length > SHOWN && <small>{texts.send.moreRefused(results.length - SHOWN)}</small>}
    </>
  );
}
