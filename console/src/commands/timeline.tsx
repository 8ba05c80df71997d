import type { Command } from '@tenant-open-platform/sdk';
import { texts } from '../app/texts';
import { Foreign } from '../ui/foreign';
import { durationBetween, Time } from '../ui/time';
import './timeline.css';
import { Scrolling } from '../ui/scrolling';

const lanes = ['PLATFORM', 'ADAPTER', 'DEVICE'] as const;
type Entry = Command['history'][number];

const msBetween = (from: string, to: string) => Math.max(0, Date.parse(to) - Date.parse(from));

/** What an entry says in each lane: what its source says, and what else has changed. */
function saidIn(lane: (typeof lanes)[number], entry: Entry, before: Entry | undefined): string | null {
  const of = { PLATFORM: 'status', ADAPTER: 'adapter_status', DEVICE: 'device_execution_status' } as const;
  const said = entry[of[lane]];
  if (lane === entry.source) return said ?? entry.status;
  return lane !== 'PLATFORM' && before && said !== before[of[lane]] ? said : null;
}

/** A lane for each source, downwards in time. The bar shows which step took long. */
export function Timeline({ command: { history, accepted_at } }: { command: Command }) {
  const whole = Math.max(1, msBetween(accepted_at, history.at(-1)?.at ?? accepted_at));
  return (
    <Scrolling label={texts.commands.timeline}>
      <table className="timeline">
        <thead>
          <tr>
            <th scope="col">{texts.commands.time}</th>
            <th scope="col">{texts.commands.step}</th>
            {lanes.map((lane) => (
              <th key={lane} scope="col">
                {texts.commands.lanes[lane]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {history.map((entry, index) => {
            const before = history[index - 1];
            return (
              <tr key={index}>
                <th scope="row">
                  {before ? (
                    <span title={entry.at}>+{durationBetween(accepted_at, entry.at)}</span>
                  ) : (
                    <Time at={entry.at} full />
                  )}
                </th>
                <td>
                  {before && (
                    <>
                      {durationBetween(before.at, entry.at)}
                      <div
                        className="step"
                        style={{ inlineSize: `${(100 * msBetween(before.at, entry.at)) / whole}%` }}
                      />
                    </>
                  )}
                </td>
                {lanes.map((lane) => (
                  <td key={lane} data-lane={saidIn(lane, entry, before) !== null}>
                    <strong>{saidIn(lane, entry, before)}</strong>
                    {lane === entry.source && <Reason entry={entry} />}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
      <p className="soft">{texts.commands.lanesAbout}</p>
    </Scrolling>
  );
}

const Reason = ({ entry: { reason } }: { entry: Entry }) =>
  reason && (
    <small>
      <Foreign text={reason.code} />: <Foreign text={reason.message} />
    </small>
  );
