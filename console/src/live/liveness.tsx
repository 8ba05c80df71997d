import { texts } from '../app/texts';
import { Time } from '../ui/time';
import type { LogState } from './use-log';

type Props = { state: LogState; readAt: number; isReading: boolean; onRead: () => void };

/** Whether the page changes by itself, and when it was read. */
export function Liveness({ state, readAt, isReading, onRead }: Props) {
  return (
    <p className="liveness" data-state={state}>
      {state === 'FOLLOWING' && <span title={texts.live.followingAbout}>{texts.live.following}</span>}
      {readAt > 0 && (
        <small>
          {texts.live.readAt} <Time at={new Date(readAt).toISOString()} />
        </small>
      )}
      {state !== 'FOLLOWING' && (
        <button type="button" onClick={onRead} disabled={isReading}>
          {texts.live.readAgain}
        </button>
      )}
      <span role="status">{state === 'UNREACHABLE' ? texts.live.unreachable : ''}</span>
    </p>
  );
}
