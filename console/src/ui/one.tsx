import type { UseQueryResult } from '@tanstack/react-query';
import { isApiError } from '@tenant-open-platform/sdk';
import type { ReactNode } from 'react';
import { texts } from '../app/texts';
import { Problem } from './problem';

type Props<Data> = { query: UseQueryResult<Data>; missing: string; children: (data: Data) => ReactNode };

/** What was read, also if the platform does not answer since. Before: that it is read, missing or refused. */
export function One<Data>({ query: { data, error, refetch }, missing, children }: Props<Data>) {
  if (data !== undefined) return children(data);
  if (!error) return <p role="status">{texts.loading}</p>;
  if (isApiError(error, 'NOT_FOUND')) return <p>{missing}</p>;
  return <Problem error={error} onAgain={() => void refetch()} />;
}
