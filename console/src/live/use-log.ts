import { isApiError, type TenantOpenPlatform } from '@tenant-open-platform/sdk';
import { useEffect, useEffectEvent, useState } from 'react';
import { endSession } from '../session/session';

/** NOT_ALLOWED: the credential may not read events, so the page shows when it was read, and a button. */
export type LogState = 'STARTING' | 'FOLLOWING' | 'UNREACHABLE' | 'NOT_ALLOWED';

const WAIT_SECONDS = 30;
const PAGE = 100;
/** A tenant may log a thousand events a second: what is shown is read again at most so often. */
const BETWEEN_READS_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;

/**
 * Follows the event log of the tenant with one open request, and calls `onChange` after each change. The position is
 * taken before the first `onChange`, so no change between two reads is missed.
 */
export function useLog(client: TenantOpenPlatform, onChange: () => Promise<unknown>): LogState {
  const [state, setState] = useState<LogState>('STARTING');
  const changed = useEffectEvent(onChange);
  useEffect(() => {
    const leaving = new AbortController();
    void followLog(client, { signal: leaving.signal, onChange: () => changed(), onState: setState });
    return () => leaving.abort(new DOMException('The page was left.', 'AbortError'));
  }, [client]);
  return state;
}

type Following = { signal: AbortSignal; onChange: () => Promise<unknown>; onState: (state: LogState) => void };

async function followLog(client: TenantOpenPlatform, { signal, onChange, onState }: Following): Promise<void> {
  let cursor: string | undefined;
  for (let failures = 0; !signal.aborted; ) {
    try {
      if (cursor === undefined) {
        cursor = await endOfLog(client, signal);
        onState('FOLLOWING');
        await onChange();
      } else {
        const page = await client.events.list({ cursor, wait_seconds: WAIT_SECONDS, limit: PAGE }, { signal });
        onState('FOLLOWING');
        const hasMore = page.items.length === PAGE;
        cursor = hasMore ? undefined : (page.next_cursor ?? cursor);
        if (page.items.length > 0 && !hasMore) await onChange();
        if (page.items.length > 0) await pause(BETWEEN_READS_MS, signal);
      }
      failures = 0;
    } catch (error) {
      if (signal.aborted) return;
      if (isApiError(error, 'UNAUTHENTICATED')) return endSession('REFUSED');
      if (isApiError(error, 'FORBIDDEN')) return onState('NOT_ALLOWED');
      if (isApiError(error, 'INVALID_CURSOR')) cursor = undefined;
      onState('UNREACHABLE');
      await pause(Math.min(LONGEST_PAUSE_MS, 1_000 * 2 ** failures++), signal);
    }
  }
}

async function endOfLog(client: TenantOpenPlatform, signal: AbortSignal): Promise<string | undefined> {
  const { next_cursor } = await client.events.list({ from: 'now', limit: 1 }, { signal });
  return next_cursor ?? undefined;
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
