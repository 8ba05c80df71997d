import { setTimeout as pause } from 'node:timers/promises';
import connect from 'postgres';

/** The number of rows so far. */
type Written = { inserted: number; updated: number; deleted: number; heapOnly: number; transactions: number };

/** Figures of the commands accepted since an instant. Quantiles in ms. */
type Outcomes = {
  byStatus: Record<string, number>;
  dispatchedP50Ms: number;
  dispatchedP99Ms: number;
  succeededP50Ms: number;
  succeededP99Ms: number;
};

export type DatabaseFigures = ReturnType<typeof openDatabaseFigures>;

/** PostgreSQL 15 flushes the counters of an idle connection after 10 seconds. */
const COUNTERS_FLUSHED_MS = 10_500;
const POLL_MS = 250;
/** Three times the longest timeout. */
const LONGEST_DRAIN_MS = 900_000;

/** Figures of a run from the database. Instants are the database's own, as text: a JavaScript Date would be coarser. */
export function openDatabaseFigures(url: string) {
  // One session for good: a new one would have lost the temporary tables of a long filling.
  const sql = connect(url, { max: 1, max_lifetime: null, onnotice: () => {} });

  async function number(query: Promise<unknown>): Promise<number> {
    const [row] = (await query) as Record<string, unknown>[];
    return Number(Object.values(row ?? {})[0]);
  }

  /**
   * By the primary key, because a filled database has no other index for it. An id begins with the node's time, which
   * may be slightly earlier. All load is of tenant `demo`.
   */
  const acceptedSince = (since: string) => sql`tenant_id = 'demo' and accepted_at >= ${since}::text::timestamptz
    and command_id >= (lpad(to_hex(floor(extract(epoch from ${since}::text::timestamptz) * 1000)::bigint - 1000), 12, '0')
      || '00000000000000000000')::uuid`;
  const openedAt = new Date().toISOString();
  /** When every command had ended for the last time. Questions about open commands read only later ones. */
  let drainedAt = openedAt;
  const isUnderWay = () => sql`${acceptedSince(drainedAt)} and status in ('ACCEPTED', 'DISPATCHED')`;

  return {
    sql,
    now: async (): Promise<string> => (await sql`select now()::text as now`)[0]?.now,
    backlog: () => number(sql`select count(*) from commands where ${isUnderWay()}`),
    commands: () => number(sql`select count(*) from commands`),
    succeededBetween: (since: string, until: string) =>
      number(sql`select count(*) from commands where ${acceptedSince(since)} and status = 'SUCCEEDED'
        and completed_at between ${since}::text::timestamptz and ${until}::text::timestamptz`),

    /** Resolves when every command has ended. */
    async drained(): Promise<void> {
      const isAnyUnderWay = async () => (await sql`select 1 from commands where ${isUnderWay()} limit 1`).length > 0;
      const startedAt = performance.now();
      while (await isAnyUnderWay()) {
        if (performance.now() - startedAt > LONGEST_DRAIN_MS)
          throw new Error('Commands are still open after 15 minutes.');
        await pause(POLL_MS);
      }
      drainedAt = new Date().toISOString();
    },

    async outcomes(since = openedAt): Promise<Outcomes> {
      const rows = await sql`select status, count(*)::int as count from commands
        where ${acceptedSince(since)} group by status order by count desc`;
      const [quantiles] = await sql`select
          percentile_disc(array[0.5, 0.99]) within group (order by extract(epoch from dispatched_at - accepted_at))
            as dispatched,
          percentile_disc(array[0.5, 0.99]) within group (order by extract(epoch from completed_at - accepted_at))
            filter (where status = 'SUCCEEDED') as succeeded
        from commands where ${acceptedSince(since)}`;
      const ms = (values: string[] | null, index: number) => 1000 * Number(values?.[index] ?? Number.NaN);
      return {
        byStatus: Object.fromEntries(rows.map(({ status, count }) => [status, count])),
        dispatchedP50Ms: ms(quantiles?.dispatched, 0),
        dispatchedP99Ms: ms(quantiles?.dispatched, 1),
        succeededP50Ms: ms(quantiles?.succeeded, 0),
        succeededP99Ms: ms(quantiles?.succeeded, 1),
      };
    },

    walBytes: () => number(sql`select pg_current_wal_lsn() - '0/0'`),

    /** Takes ten seconds, because the counters of idle connections arrive late. */
    async rowsWritten(): Promise<Written> {
      await pause(COUNTERS_FLUSHED_MS);
      const [row] = await sql`select sum(n_tup_ins)::int as inserted, sum(n_tup_upd)::int as updated,
        sum(n_tup_del)::int as deleted, sum(n_tup_hot_upd)::int as "heapOnly",
        (select xact_commit::int from pg_stat_database where datname = current_database()) as transactions
        from pg_stat_user_tables`;
      return row as Written;
    },

    close: () => sql.end(),
  };
}
