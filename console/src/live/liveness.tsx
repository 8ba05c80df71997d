import { texts } from '../app/texts';
import { Time } from '../ui/time';
import type { FollowState } from './use-follow';

/** A query, or a list. Absent `state`: it changes only when the reader asks. */
type Read = { state?: FollowState; dataUpdatedAt: number; isFetching: boolean; refetch: () => unknown };

/** Whether what is shown changes by itself, and when it was read. */
export function Liveness({ list }: { list: Read }) {
  const { state = 'NOT_ALLOWED', dataUpdatedAt: readAt, isFetching, refetch } = list;
  return (
    <p className="liveness" data-state={state}>
      {state === 'FOLLOWING' && <span title={texts.live.followingAbout}>{texts.live.following}</span>}
      {readAt > 0 && (
        <small>
          {texts.live.readAt} <Time at={new Date(readAt).toISOString()} />
        </small>
      )}
      {state !== 'FOLLOWING' && (
        <button type="button" onClick={() => void refetch()} disabled={isFetching}>
          {texts.live.readAgain}
        </button>
      )}
      <span role="status">{state === 'UNREACHABLE' ? texts.live.unreachable : ''}</span>
    </p>
  );
}
