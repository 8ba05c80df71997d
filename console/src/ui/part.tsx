import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { texts } from '../app/texts';
import { useSession } from '../session/session';
import { Problem } from './problem';

type Props<Data> = { title: string; scope: string; query: UseQueryResult<Data>; children: (data: Data) => ReactNode };

/** A part of a page with what it has read. A credential without the scope reads in a line that it lacks it. */
export function Part<Data>({ title, scope, query: { data, error, refetch }, children }: Props<Data>) {
  const { me } = useSession();
  const may = me.scopes.includes(scope);
  return (
    <section className="card">
      <h2>{title}</h2>
      {!may && <p className="soft">{texts.shell.missing(scope)}</p>}
      {error && <Problem error={error} onAgain={() => void refetch()} />}
      {may && data === undefined && !error && <p role="status">{texts.loading}</p>}
      {data !== undefined && children(data)}
    </section>
  );
}
