import { texts } from '../app/texts';
import { Time } from '../ui/time';
import type { FollowState } from './use-follow';
import type { List, LiveList } from './use-live-list';

type Props = { state: FollowState; readAt: number; isReading: boolean; onRead: () => void };

/** Whether a page changes by itself, and when it was read. */
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

export function LivenessOf<Item>({ list }: { list: List<Item> | LiveList<Item> }) {
  const { dataUpdatedAt, isFetching, refetch } = list;
  const state = 'state' in list ? list.state : 'NOT_ALLOWED';
  return <Liveness state={state} readAt={dataUpdatedAt} isReading={isFetching} onRead={() => void refetch()} />;
}
