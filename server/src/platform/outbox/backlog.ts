import type { Database } from '../database/database.js';
import { asSystem } from '../database/roles.js';

export type Backlog = { rows: number; oldestSeconds: number };

/** Where more wait, so many are told: a look costs the same however many do. In order, so that it is the index that is read. */
const COUNTED = 10_000;

/** How many rows of the outbox wait to be published, and for how long the oldest does. */
export async function readBacklog(database: Database): Promise<Backlog> {
  const [backlog] = await asSystem<Backlog>(
    database,
    (sql) => sql<Backlog[]>`
      select
        (select count(*)::int from (
          select from outbox where published_at is null order by tx, fact_id limit ${COUNTED}
        ) as waiting) as rows,
        coalesce((
          select greatest(extract(epoch from now() - created_at), 0)::float8 from outbox
          where published_at is null order by tx, fact_id limit 1
        ), 0) as "oldestSeconds"`,
  );
  if (!backlog) throw new Error('The backlog was not read.');
  return backlog;
}
