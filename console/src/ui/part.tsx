import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { texts } from '../app/texts';
import { useSession } from '../session/session';
import { Problem } from './problem';

type Props<Data> = {
  title: string;
  scope: string;
  query: UseQueryResult<Data>;
  /** It has a row of its own. */
  isWhole?: boolean;
  children: (data: Data) => ReactNode;
};

/** A part of a page with what it has read. `Missing` says what is not shown. */
export function Part<Data>({ title, scope, query: { data, error, refetch }, isWhole = false, children }: Props<Data>) {
  const { me } = useSession();
  if (!me.scopes.includes(scope)) return null;
  return (
    <section className={isWhole ? 'card whole' : 'card'}>
      <h2>{title}</h2>
      {error && <Problem error={error} onAgain={() => void refetch()} />}
      {data === undefined && !error && <p role="status">{texts.loading}</p>}
      {data !== undefined && children(data)}
    </section>
  );
}

/** The parts of a page that the credential may not read, in one line. */
export function Missing({ parts }: { parts: readonly (readonly [title: string, scope: string])[] }) {
  const { me } = useSession();
  const missing = parts.filter(([, scope]) => !me.scopes.includes(scope));
  if (missing.length === 0) return null;
  const titles = missing.map(([title]) => title).join(', ');
  const scopes = [...new Set(missing.map(([, scope]) => scope))].join(', ');
  return (
    <p className="missing soft">
      {texts.shell.notShown(titles, scopes)} {texts.shell.ask}
    </p>
  );
}
