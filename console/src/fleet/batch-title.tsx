import type { ReactNode } from 'react';
import { texts } from '../app/texts';
import { Foreign } from '../ui/foreign';
import { Time } from '../ui/time';
import type { Shown } from './read-batch';

/** `isWhole`: all commands of the batch were read. Of a part, nothing is said about the rest. */
type Props = { total: number; commands: readonly Shown[]; isWhole: boolean };

/** For example: reboot → 60 devices. */
export function BatchTitle({ total, commands, isWhole }: Props) {
  if (commands.length === 0) return texts.fleet.title;
  if (!isWhole) return texts.fleet.titleOf(total);
  return (
    <>
      <Common values={commands.map(({ command_type }) => command_type)} many={texts.fleet.types} />{' '}
      <span className="soft">→</span>{' '}
      <Common values={commands.map(({ device_id }) => device_id)} many={texts.fleet.toDevices} />
    </>
  );
}

/** Whose batch it is, and from when. */
export function BatchFacts({ batchId, commands, isWhole }: Omit<Props, 'total'> & { batchId: string }) {
  const [first] = commands;
  const facts: [name: string, value: ReactNode][] = [[texts.fleet.title, <code key="id">{batchId}</code>]];
  if (first) {
    const { firstBy, by, from } = texts.fleet;
    const those = isWhole ? commands : [first];
    if (isWhole) {
      facts.push([
        texts.fleet.to,
        <Common key="vendor" values={those.map(({ vendor }) => vendor)} many={texts.fleet.vendors} />,
      ]);
    }
    facts.push(
      [
        isWhole ? by : firstBy,
        <Common key="by" values={those.map((one) => one.created_by_client_id)} many={texts.fleet.credentials} />,
      ],
      [from, <Time key="at" at={first.accepted_at} full />],
    );
  }
  return (
    <p className="batch-facts soft">
      {facts.map(([name, value]) => (
        <span key={name}>
          {name} {value}
        </span>
      ))}
    </p>
  );
}

/** The value that all have, or how many there are. */
function Common({ values, many }: { values: readonly string[]; many: (count: number) => string }) {
  const [value = '', ...others] = new Set(values);
  return others.length > 0 ? many(others.length + 1) : <Foreign text={value} />;
}
