import { texts } from '../app/texts';
import { Time } from '../ui/time';
import type { List, LiveList } from './use-live-list';

/** Whether a list changes by itself, and when it was read. */
export function Liveness<Item>({ list }: { list: List<Item> | LiveList<Item> }) {
  const state = 'state' in list ? list.state : 'NOT_ALLOWED';
  const { dataUpdatedAt: readAt, isFetching, refetch } = list;
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
