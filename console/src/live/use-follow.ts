import { useQueryClient } from '@tanstack/react-query';
import { isApiError, type TenantOpenPlatform } from '@tenant-open-platform/sdk';
import { useEffect, useEffectEvent, useState } from 'react';
import { endSession } from '../session/session';

/** NOT_ALLOWED: the credential may not read it, so the page shows when it was read, and a button. */
export type FollowState = 'STARTING' | 'FOLLOWING' | 'UNREACHABLE' | 'NOT_ALLOWED';

type Next = { items: unknown[]; next_cursor: string | null; isBehind: boolean };

/** A list that grows at its end. */
export type Growing = {
  /** The position after the last item. */
  end: (signal: AbortSignal) => Promise<string | undefined>;
  /** `isBehind`: there is more than one page, so it is quicker to begin at the end again. */
  next: (cursor: string, signal: AbortSignal) => Promise<Next>;
};

const WAIT_SECONDS = 30;
const PAGE = 100;
/** A tenant may log a thousand events a second: what is shown is read again at most so often. */
const BETWEEN_READS_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;
/** The reader learns of an outage at once; `follow` tries again. The SDK adds `wait_seconds` to `timeoutMs`. */
export const once = { maxRetries: 0, timeoutMs: 5_000 };

export const eventLog = (client: TenantOpenPlatform): Growing => ({
  end: async (signal) => (await client.events.list({ from: 'now', limit: 1 }, { signal })).next_cursor ?? undefined,
  next: async (cursor, signal) => {
    const query = { cursor, wait_seconds: WAIT_SECONDS, limit: PAGE };
    const { items, next_cursor } = await client.events.list(query, { signal, ...once });
    return { items, next_cursor, isBehind: items.length === PAGE };
  },
});

/** Requests that were received or replied to. The position is a time: a millisecond after the latest change that was read. */
export const changedDeviceRequests = (client: TenantOpenPlatform): Growing => ({
  end: async (signal) => afterLatest((await client.deviceRequests.list({ limit: 1 }, { signal })).items),
  next: async (changed_after, signal) => {
    const query = { changed_after, wait_seconds: WAIT_SECONDS, limit: PAGE };
    const { items } = await client.deviceRequests.list(query, { signal, ...once });
    // Never behind: of any number of changes the next position is after the latest.
    return { items, next_cursor: items.length > 0 ? afterLatest(items) : null, isBehind: false };
  },
});

const afterLatest = (requests: { received_at: string; reply: { replied_at: string } | null }[]) => {
  const times = requests.map(({ received_at, reply }) => Date.parse(reply?.replied_at ?? received_at) + 1);
  return new Date(Math.max(0, ...times)).toISOString();
};

/**
 * Follows with one open request, and calls `onChange` at the start and after each change. The position is taken before
 * the first call, so what the page then reads misses nothing. `growing` must stay the same object.
 */
export function useFollow(
  growing: Growing,
  onChange: () => Promise<unknown>,
  betweenMs = BETWEEN_READS_MS,
): FollowState {
  const queries = useQueryClient();
  const [state, setState] = useState<FollowState>('STARTING');
  const changed = useEffectEvent(onChange);
  useEffect(() => {
    const leaving = new AbortController();
    // A read that is under way may be older than the position.
    const onStart = () => queries.cancelQueries();
    const { signal } = leaving;
    void follow(growing, { signal, betweenMs, onStart, onChange: () => changed(), onState: setState });
    return () => leaving.abort(new DOMException('The page was left.', 'AbortError'));
  }, [growing, queries, betweenMs]);
  return state;
}

type Following = {
  signal: AbortSignal;
  betweenMs: number;
  onStart: () => Promise<unknown>;
  onChange: () => Promise<unknown>;
  onState: (state: FollowState) => void;
};

async function follow(growing: Growing, { signal, betweenMs, onStart, onChange, onState }: Following): Promise<void> {
  let cursor: string | undefined;
  for (let failures = 0; !signal.aborted; ) {
    try {
      if (cursor === undefined) {
        cursor = await growing.end(signal);
        onState('FOLLOWING');
        await onStart();
        await onChange();
      } else {
        const { items, next_cursor, isBehind } = await growing.next(cursor, signal);
        onState('FOLLOWING');
        cursor = isBehind ? undefined : (next_cursor ?? cursor);
        if (items.length > 0 && !isBehind) await onChange();
        if (items.length > 0) await pause(betweenMs, signal);
      }
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (isApiError(error, 'UNAUTHENTICATED')) return endSession('REFUSED');
      if (isApiError(error, 'FORBIDDEN')) return onState('NOT_ALLOWED');
      // The next read begins again at the end.
      if (isApiError(error, 'INVALID_CURSOR')) cursor = undefined;
      else onState('UNREACHABLE');
      await pause(Math.min(LONGEST_PAUSE_MS, 1_000 * 2 ** failures++), signal);
    }
  }
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
