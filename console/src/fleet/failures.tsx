import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Command, CommandSummary } from '@tenant-open-platform/sdk';
import { texts } from '../app/texts';
import { failed } from '../commands/filters';
import type { ShownList } from '../live/use-live-list';
import { useSession } from '../session/session';
import { Foreign } from '../ui/foreign';
import { Problem } from '../ui/problem';
import { type Column, Rows } from '../ui/rows';
import { Scrolling } from '../ui/scrolling';
import { Status } from '../ui/status';
import { failedLines, saveFile } from './failed-file';

type Props = { batchId: string; summary: CommandSummary; list: ShownList<Command> };

export const failedIn = ({ counts }: CommandSummary) => failed.reduce((sum, status) => sum + counts[status], 0);

const columns: Column<Command>[] = [
  {
    name: texts.commands.device,
    width: 14,
    wraps: true,
    cell: ({ command_id, device_id }) => (
      <Link to="/commands/$commandId" params={{ commandId: command_id }}>
        <Foreign text={device_id} />
      </Link>
    ),
  },
  { name: texts.commands.status, width: 9, cell: ({ status }) => <Status status={status} /> },
  {
    name: texts.commands.reason,
    width: 13,
    wraps: true,
    cell: ({ status_reason: reason }) => (reason ? <Foreign text={reason.code} /> : texts.fleet.noReason),
  },
  {
    name: texts.fleet.message,
    wraps: true,
    cell: ({ status_reason: reason }) => reason && <Foreign text={reason.message} />,
  },
];

/** Why commands failed, the most frequent reason first, then each with its own message. */
export function Failures({ batchId, summary, list }: Props) {
  const rows = rowsOf(summary);
  if (rows.length === 0) {
    return (
      <>
        <h2>{texts.fleet.failures}</h2>
        <p>{texts.fleet.noFailure}</p>
      </>
    );
  }
  return (
    <>
      <h2>{texts.fleet.failures}</h2>
      <Scrolling label={texts.fleet.failures}>
        <table className="failures">
          <thead>
            <tr>
              <th scope="col">{texts.commands.reason}</th>
              <th scope="col">{texts.commands.status}</th>
              <th scope="col">{texts.fleet.count}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={`${row.status} ${row.isOther} ${row.reason}`}>
                <td>
                  {row.reason === null ? (
                    texts.fleet[row.isOther ? 'otherReasons' : 'noReason']
                  ) : (
                    <Foreign text={row.reason} />
                  )}
                </td>
                <td>
                  <Status status={row.status} />
                </td>
                <td className="number">
                  <Count batchId={batchId} row={row} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolling>
      <h2>{texts.fleet.failed}</h2>
      <Rows label={texts.fleet.failed} list={list} columns={columns} empty={texts.fleet.noFailure} />
      <FailedFile batchId={batchId} summary={summary} />
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

/** No filter finds what has no reason, or any other one. */
function Count({ batchId, row: { reason, status, count } }: { batchId: string; row: Row }) {
  if (reason === null) return count.toLocaleString();
  return (
    <Link to="/commands" search={{ batch_id: batchId, status: [status], reason }}>
      {count.toLocaleString()}
    </Link>
  );
}

function FailedFile({ batchId, summary }: Omit<Props, 'list'>) {
  const { client } = useSession();
  const name = `failed-${batchId}.ndjson`;
  const reading = useMutation({
    mutationFn: () => failedLines(client, batchId),
    onSuccess: ({ lines }) => lines.length > 0 && saveFile(name, lines),
  });
  return (
    <>
      <div className="actions">
        <button type="button" disabled={reading.isPending} onClick={() => reading.mutate()}>
          {texts.fleet.file(failedIn(summary))}
        </button>
        <span role="status">
          {reading.isPending && texts.loading}
          {reading.data && texts.fleet.saved(reading.data.lines.length, name)}
          {!!reading.data?.leftOut && ` ${texts.fleet.leftOut(reading.data.leftOut)}`}
        </span>
      </div>
      {reading.error && <Problem error={reading.error} />}
      <small>
        {texts.fleet.fileAbout} <code>topctl commands create-many --from {name}</code>
      </small>
    </>
  );
}
