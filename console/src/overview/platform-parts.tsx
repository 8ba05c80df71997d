import { useQuery } from '@tanstack/react-query';
import type { PlatformState } from '@tenant-open-platform/sdk';
import { texts } from '../app/texts';
import { useSession } from '../session/session';
import { Part } from '../ui/part';
import { durationText } from '../ui/time';
import { LastReads } from './vendors';

export const READ_STATE = 'platform:state:read';

/** For administrators of the platform; it contains no data of a tenant. */
export function PlatformParts() {
  const { client, me } = useSession();
  const state = useQuery({
    queryKey: ['platform'],
    enabled: me.scopes.includes(READ_STATE),
    queryFn: async ({ signal }) => client.platform.get({ signal }),
  });
  return (
    <Part title={texts.overview.platform} scope={READ_STATE} query={state}>
      {(data) => <State state={data} />}
    </Part>
  );
}

const ageText = (seconds: number | null) =>
  seconds === null ? texts.overview.noneWaits : durationText(seconds * 1_000);

function State({ state: { outbox, events, parked_messages, vendors, slots, workers } }: { state: PlatformState }) {
  const lacking = slots.filter(({ worker }) => worker === null).length;
  const facts = [
    [texts.overview.outbox, texts.overview.waiting(outbox.waiting, ageText(outbox.oldest_seconds))],
    [texts.overview.eventsWaiting, texts.overview.waiting(events.waiting, ageText(events.oldest_seconds))],
    [texts.parked.title, parked_messages.toLocaleString()],
    [texts.overview.workers, workers.length.toLocaleString()],
    [texts.overview.slots, texts.overview.slotsHeld(slots.length - lacking, slots.length)],
  ] as const;
  return (
    <>
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <LastReads vendors={vendors} />
    </>
  );
}
