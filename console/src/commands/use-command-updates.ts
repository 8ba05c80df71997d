import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { type Command, isApiError, type TenantOpenPlatform } from '@tenant-open-platform/sdk';
import { useEffect, useState } from 'react';
import { once } from '../live/use-follow';
import { endSession } from '../session/session';

const WAIT_SECONDS = 30;
const PAUSE_MS = 2_000;

/** Until the command has ended, one open request waits for its next change. Returns whether the platform is silent. */
export function useCommandUpdates(client: TenantOpenPlatform, key: QueryKey, command: Command | undefined): boolean {
  const queries = useQueryClient();
  const [isLost, setIsLost] = useState(false);
  const seen = command?.completed_at === null ? command.updated_at : undefined;
  const commandId = command?.command_id;
  const [, name] = key;
  useEffect(() => {
    if (seen === undefined || commandId === undefined) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    async function wait(id: string) {
      while (!signal.aborted) {
        try {
          const next = await client.commands.get(
            id,
            { wait_seconds: WAIT_SECONDS, seen_updated_at: seen },
            { signal, ...once },
          );
          if (signal.aborted) return;
          setIsLost(false);
          if (next.updated_at !== seen) return queries.setQueryData(['command', name], next);
        } catch (error) {
          if (signal.aborted) return;
          if (isApiError(error, 'UNAUTHENTICATED')) return endSession('REFUSED');
          if (isApiError(error, 'NOT_FOUND')) return;
          setIsLost(true);
          await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
        }
      }
    }
    void wait(commandId);
    return () => leaving.abort(new DOMException('The page was left.', 'AbortError'));
  }, [client, queries, name, commandId, seen]);
  return isLost;
}
