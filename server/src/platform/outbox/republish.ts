import { asSystem } from '../database/roles.js';
import { StartupError } from '../startup-error.js';
import { type OutboxRow, type Outlet, publishRows } from './publish-rows.js';

const BATCH = 256;

/** What was published, in that order: rows that left together have one instant, and left in the order of the relay. */
type Position = { published_at: string; tx: string; fact_id: string; kind: string };

/**
 * Publishes again, under the same ids, what was published from `since` to `until`, in its order; where a tenant is
 * given, of that tenant alone. It marks nothing and needs no lease: the relay at work beside it goes on with what is
 * new, which would wait, and might expire, behind rows that were given back to it.
 */
export async function republish(
  outlet: Outlet,
  range: { since: string; until: string; tenantId?: string | undefined },
) {
  const { since, until, tenantId } = range;
  const done = { rows: 0, messages: 0, refused: 0 };
  let last: Position = { published_at: since, tx: '0', fact_id: '00000000-0000-0000-0000-000000000000', kind: '' };
  try {
    for (;;) {
      const page = await rowsBehind(outlet, last, until);
      const next = page.at(-1);
      if (!next) return done;
      // Not in the statement, which would have to pass over the rows of all others in one go.
      const rows = tenantId === undefined ? page : page.filter(({ tenant_id }) => tenant_id === tenantId);
      const { messages, refusals } = await publishRows(outlet, rows);
      done.rows += rows.length;
      done.messages += messages;
      done.refused += refusals.length;
      last = next;
    }
  } catch (error) {
    const goOn = new Date(last.published_at).toISOString();
    throw new StartupError(
      `outbox republish ended early, after ${done.rows} rows: go on with --since ${goOn}. Reason: ${reasonOf(error)}`,
    );
  }
}

const rowsBehind = ({ database }: Outlet, last: Position, until: string) =>
  asSystem<OutboxRow & Position>(
    database,
    (sql) => sql<(OutboxRow & Position)[]>`
      select tenant_id, fact_id, kind, tx::text, published_at::text from outbox
      where (published_at, tx, fact_id, kind) > (
        ${last.published_at}::timestamptz, ${last.tx}::text::xid8, ${last.fact_id}::uuid, ${last.kind}
      ) and published_at <= ${until}::timestamptz
      order by outbox.published_at, outbox.tx, fact_id, kind
      limit ${BATCH}`,
  );

/** The bus says how many messages may be missing, and in the cause why. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message} ${cause.message}` : error.message;
}
