import type { Command } from '@tenant-open-platform/sdk';
import { texts } from '../app/texts';
import { Foreign } from '../ui/foreign';
import { durationBetween, Time } from '../ui/time';
import './timeline.css';

const lanes = ['PLATFORM', 'ADAPTER', 'DEVICE'] as const;
type Entry = Command['history'][number];

/** What the source of an entry says: the platform the status, the others their own. */
const saidBy = ({ source, status, adapter_status, device_execution_status }: Entry) =>
  ({ PLATFORM: status, ADAPTER: adapter_status, DEVICE: device_execution_status })[source as (typeof lanes)[number]] ??
  status;

/** A lane for each source, downwards in time. */
export function Timeline({ command: { history, accepted_at } }: { command: Command }) {
  return (
    <section
      aria-label={texts.commands.timeline}
      className="wide"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach it.
      tabIndex={0}
    >
      <table className="timeline">
        <thead>
          <tr>
            <th scope="col">{texts.commands.time}</th>
            {lanes.map((lane) => (
              <th key={lane} scope="col">
                {texts.commands.lanes[lane]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {history.map((entry, index) => (
            <tr key={index}>
              <th scope="row">
                {index === 0 ? (
                  <Time at={entry.at} full />
                ) : (
                  <span title={entry.at}>+{durationBetween(accepted_at, entry.at)}</span>
                )}
              </th>
              {lanes.map((lane) => (
                <td key={lane} data-lane={lane === entry.source}>
                  {lane === entry.source && <Said entry={entry} />}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Said({ entry }: { entry: Entry }) {
  return (
    <>
      <strong>{saidBy(entry)}</strong>
      {entry.reason && (
        <small>
          <Foreign text={entry.reason.code} />: <Foreign text={entry.reason.message} />
        </small>
      )}
    </>
  );
}
