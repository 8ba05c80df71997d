import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CommandSummary } from '@tenant-open-platform/sdk';
import { texts } from '../app/texts';
import { useSession } from '../session/session';
import { Foreign } from '../ui/foreign';
import { Problem } from '../ui/problem';
import { Status } from '../ui/status';
import { failed, failedLines, saveFile } from './failed-file';
import type { Shown } from './read-batch';

type Props = { batchId: string; summary: CommandSummary; commands: readonly Shown[] };

/** As many devices of a reason as a reader looks at. */
const SHOWN = 20;

/** Why commands failed, the most frequent reason first, with the devices. */
export function Failures({ batchId, summary, commands }: Props) {
  const rows = rowsOf(summary);
  const named = new Set(rows.filter(({ isOther }) => !isOther).map(({ reason }) => reason));
  const devicesOf = ({ status, reason, isOther }: Row) =>
    commands.filter((one) => one.status === status && (isOther ? !named.has(one.reason) : one.reason === reason));
  return (
    <>
      <h2>{texts.fleet.failures}</h2>
      {rows.length === 0 ? (
        <p>{texts.fleet.noFailure}</p>
      ) : (
        <section
          className="wide"
          aria-label={texts.fleet.failures}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach it.
          tabIndex={0}
        >
          <table className="failures">
            <thead>
              <tr>
                <th scope="col">{texts.commands.reason}</th>
                <th scope="col">{texts.commands.status}</th>
                <th scope="col">{texts.fleet.count}</th>
                <th scope="col">{texts.fleet.devices}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={`${row.status} ${row.isOther} ${row.reason}`}>
                  <td>
                    <Reason row={row} message={devicesOf(row)[0]?.message} />
                  </td>
                  <td>
                    <Status status={row.status} />
                  </td>
                  <td className="number">
                    <Link to="/commands" search={{ batch_id: batchId, status: [row.status], ...reasonOf(row) }}>
                      {row.count.toLocaleString()}
                    </Link>
                  </td>
                  <td>
                    <Devices commands={devicesOf(row)} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {rows.length > 0 && <FailedFile batchId={batchId} />}
    </>
  );
}

type Row = { reason: string | null; isOther: boolean; status: (typeof failed)[number]; count: number };

function rowsOf({ groups = [] }: CommandSummary): Row[] {
  const rows = groups.flatMap(({ reason = null, other_reasons: isOther = false, counts }) =>
    failed.map((status) => ({ reason, isOther, status, count: counts[status] })),
  );
  return rows.filter(({ count }) => count > 0).sort((one, other) => other.count - one.count);
}

/** Whatever else has failed is in the list, too: no filter finds what has no reason. */
const reasonOf = ({ reason, isOther }: Row) => (reason === null || isOther ? {} : { reason });

/** With the explanation of the first command: an adapter may write another one for each. */
function Reason({ row: { reason, isOther }, message }: { row: Row; message: string | null | undefined }) {
  if (isOther) return texts.fleet.otherReasons;
  if (reason === null) return texts.fleet.noReason;
  return (
    <>
      <Foreign text={reason} />
      {message && (
        <small className="message">
          <Foreign text={message} />
        </small>
      )}
    </>
  );
}

function Devices({ commands }: { commands: readonly Shown[] }) {
  return (
    <ul className="devices">
      {commands.slice(0, SHOWN).map(({ command_id, device_id }) => (
        <li key={command_id}>
          <Link to="/commands/$commandId" params={{ commandId: command_id }}>
            <Foreign text={device_id} />
          </Link>
        </li>
      ))}
      {commands.length > SHOWN && <li>{texts.fleet.moreDevices(commands.length - SHOWN)}</li>}
    </ul>
  );
}

function FailedFile({ batchId }: { batchId: string }) {
  const { client } = useSession();
  const reading = useMutation({
    mutationFn: () => failedLines(client, batchId),
    onSuccess: (lines) => saveFile(`failed-${batchId}.ndjson`, lines),
  });
  return (
    <>
      <div className="actions">
        <button type="button" disabled={reading.isPending} onClick={() => reading.mutate()}>
          {texts.fleet.file}
        </button>
      </div>
      <small>{texts.fleet.fileAbout}</small>
      {reading.error && <Problem error={reading.error} />}
    </>
  );
}
