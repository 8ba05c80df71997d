import type { Transaction } from '../foundation/database/database.js';
import { nodeClock, type Purge } from '../foundation/database/purge-by-age.js';
import { fixedSql, statement } from '../foundation/database/statement.js';

/*
 * The events of commands that end are counted while they are logged (server/drizzle/functions/count_ended_v1.sql): in a row
 * for each minute, vendor, status and reason. Here older rows become hours, and still older ones days. A row that begins
 * an hour or a day may count a minute, an hour or a day: a reader adds up the rows of its range, whatever they count.
 */

/** The age up to which a request counts in minutes, and in hours: what a client calls the last three began earlier. */
export const MINUTES_SECONDS = 3 * 3_600 + 300;
export const HOURS_SECONDS = 3 * 86_400 + 300;
/** They are kept a little longer, for a request under way. */
const MARGIN_SECONDS = 300;
export const FIGURES_KEPT_DAYS = 31;

/** A statement reads at most this many rows. */
const BATCH = 1_000;
/** A transaction passes at most this many tenants. */
const TENANTS = 50;

/** The key of a row after its tenant. */
type Key = { hour: string; reason: string; is_other: boolean; vendor: string; status: string; minute: number };

const FIRST: Key = { hour: '-infinity', reason: '', is_other: false, vendor: '', status: '', minute: -1 };

const nextTenant = statement(
  'figures: next tenant',
  (after: string) =>
    fixedSql`select tenant_id from command_figures where tenant_id > ${after} order by tenant_id limit 1`,
);

/** Adds the rows of minutes to those of their hours, and later these to those of their days. `last` is null at the end. */
const rollUp = statement(
  'figures: roll up',
  (tenantId: string, after: Key, clock: string) => fixedSql`
    with present as (select least(now(), ${clock}::timestamptz) as at), ends as (
      select date_trunc('hour', at - make_interval(secs => ${MINUTES_SECONDS + MARGIN_SECONDS}), 'UTC') as of_minutes,
        date_trunc('day', at - make_interval(secs => ${HOURS_SECONDS + MARGIN_SECONDS}), 'UTC') as of_hours,
        date_trunc('day', at, 'UTC') - make_interval(days => ${FIGURES_KEPT_DAYS}) as of_days
      from present
    ), read as materialized (
      select ctid, hour, reason, is_other, vendor, status, minute from command_figures
      where tenant_id = ${tenantId} and hour < (select of_minutes from ends)
        and (minute > 0 or hour < (select of_days from ends)
          or (hour < (select of_hours from ends) and hour <> date_trunc('day', hour, 'UTC')))
        -- Source and target of a move have the same rows.
        and (select status from tenants where tenant_id = ${tenantId}) is distinct from 'MOVING'
        and (hour, reason, is_other, vendor, status, minute) > (
          ${after.hour}::timestamptz, ${after.reason}, ${after.is_other}::boolean, ${after.vendor}, ${after.status},
          ${after.minute}::int
        )
      order by hour, reason, is_other, vendor, status, minute limit ${BATCH}
    ), gone as (
      delete from command_figures where ctid = any (array(select ctid from read))
      returning *
    ), kept as (
      select *, case when hour < of_hours then date_trunc('day', hour, 'UTC') else hour end as coarse
      from gone cross join ends where hour >= of_days
    ), part (tenant_id, hour, reason, is_other, vendor, status, class, number, total) as (
      select tenant_id, coarse, reason, is_other, vendor, status, null::int, null::int, sum(total)
      from kept group by 1, 2, 3, 4, 5, 6
      union all
      select tenant_id, coarse, reason, is_other, vendor, status, class, sum(number)::int, 0
      from kept cross join lateral unnest(classes, numbers) as counted (class, number)
      group by 1, 2, 3, 4, 5, 6, 7
    ), added as (
      insert into command_figures as known (
        tenant_id, hour, reason, is_other, vendor, status, minute, total, classes, numbers
      )
      select tenant_id, hour, reason, is_other, vendor, status, 0, sum(total)::int,
        coalesce(array_agg(class) filter (where class is not null), '{}'),
        coalesce(array_agg(number) filter (where class is not null), '{}')
      from part group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
      on conflict (tenant_id, hour, reason, is_other, vendor, status, minute) do update
      set total = known.total + excluded.total, (classes, numbers) = (
        select coalesce(array_agg(class), '{}'), coalesce(array_agg(number), '{}')
        from (
          select class, sum(number)::int as number
          from unnest(known.classes || excluded.classes, known.numbers || excluded.numbers) as both_of (class, number)
          group by class
        ) as summed
      )
    )
    select (select count(*)::int from gone) as removed, (
      select json_build_object(
        'hour', hour::text, 'reason', reason, 'is_other', is_other, 'vendor', vendor, 'status', status, 'minute', minute
      )
      from read order by hour, reason, is_other, vendor, status, minute limit 1 offset ${BATCH - 1}
    ) as last`,
);

/** Makes old figures coarser, tenant after tenant, and deletes those that are too old. One pass each hour is enough. */
export function rollUpFigures(): Purge {
  let tenantId = '';
  let after: Key | null = null;
  let begunIn = '';
  let doneIn = '';

  /** The rows that went, or null after the last tenant. */
  async function step(tx: Transaction): Promise<number | null> {
    if (after === null) {
      const [next] = await tx.execute<{ tenant_id: string }>(nextTenant(tenantId));
      tenantId = next?.tenant_id ?? '';
      if (!next) return null;
    }
    const [rolled] = await tx.execute<{ removed: number; last: Key | null }>(
      rollUp(tenantId, after ?? FIRST, nodeClock()),
    );
    after = rolled?.last ?? null;
    return rolled?.removed ?? 0;
  }

  return {
    table: 'command_figures',
    async round(tx) {
      const hour = nodeClock().slice(0, 13);
      if (hour === doneIn) return { removed: 0, hasMore: false };
      if (tenantId === '') begunIn = hour;
      let removed = 0;
      for (let steps = 0; steps < TENANTS && removed < BATCH; steps++) {
        const gone = await step(tx);
        if (gone === null) {
          doneIn = begunIn;
          return { removed, hasMore: false };
        }
        removed += gone;
      }
      return { removed, hasMore: true };
    },
  };
}
