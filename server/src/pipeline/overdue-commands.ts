import type { Database } from '../foundation/database/database.js';
import { asAllTenantsStatement } from '../foundation/database/row-level-security.js';
import { fixedSql, statement } from '../foundation/database/statement.js';
import type { State } from './transitions.js';

const BATCH = 500;
/** A round reads at most this many overdue commands. Later rounds read the rest. */
const ROWS_READ = 5_000;
/**
 * How long after its deadline a command waits for unhandled updates on the bus, or for a bus that does not answer. A
 * stuck consumer cannot keep a command open for longer.
 */
export const HOLD_MS = 120_000;
/** No transaction of the platform lasts longer. */
export const OLD_MS = 60_000;

/** Overdue commands of one tenant, vendor and status. */
export type Group = Pick<Row, 'tenant_id' | 'vendor' | 'status'> & { first_deadline_at: number };

/** The range of deadlines that a round reads. `next`: the one after it, or null. Other instants: Unix milliseconds. */
export type Slice = {
  from: string;
  to: string;
  next: string | null;
  asked_at: number;
  first_deadline_at: number | null;
  groups: Group[];
};

export type Row = State & {
  tenant_id: string;
  command_id: string;
  vendor: string;
  was_read: boolean;
  is_copied: boolean | null;
};

const mark = statement(
  'sweeper: mark',
  (slots: string) => fixedSql`
    select min(swept_until)::text as until from slots where slot = any (string_to_array(${slots}, ',')::int[])`,
);

export async function readMark(database: Database, slots: readonly number[]): Promise<string> {
  const [found] = await asAllTenantsStatement<{ until: string | null }>(database, mark(slots.join()));
  if (!found?.until) throw new Error('The mark of the sweeper is missing.');
  return found.until;
}

export const newMark = statement(
  'sweeper: new mark',
  (until: string, slots: string) => fixedSql`
    update slots set swept_until = ${until}::timestamptz where slot = any (string_to_array(${slots}, ',')::int[])`,
);

type Range = { slots: readonly number[]; from: string; latest: string };

/**
 * The groups of the next overdue commands. A mark that lies ahead was set while the database's clock was ahead: nothing
 * that became due since may be missed. Deadlines have whole milliseconds.
 */
export const nextSlice = statement(
  'sweeper: next slice',
  ({ slots, from, latest }: Range) => fixedSql`
    with clock as (
      select present, case
        when ${from}::timestamptz > present then present - make_interval(secs => ${(2 * OLD_MS) / 1_000})
        else ${from}::timestamptz
      end as start
      from (select least(now(), ${latest}::timestamptz) as present) as read
    ), slice as (
      select tenant_id, vendor, status, deadline_at from commands
      where completed_at is null and deadline_at >= (select start from clock)
        and deadline_at <= (select present from clock)
        and tenant_slot_v1(tenant_id) = any (string_to_array(${slots.join()}, ',')::int[])
      order by deadline_at limit ${ROWS_READ}
    ), by_group as (
      select tenant_id, vendor, status, floor(extract(epoch from min(deadline_at)) * 1000)::float8 as first_deadline_at
      from slice group by tenant_id, vendor, status
    )
    select start::text as "from", coalesce(max(deadline_at), start)::text as "to",
      case when count(deadline_at) = ${ROWS_READ} then (max(deadline_at) + interval '1 millisecond')::text end as next,
      floor(extract(epoch from present) * 1000)::float8 as asked_at,
      floor(extract(epoch from min(deadline_at)) * 1000)::float8 as first_deadline_at,
      coalesce((select json_agg(by_group) from by_group), '[]') as groups
    from clock left join slice on true
    group by start, present`,
);

const unendedCommands = statement(
  'sweeper: commands that may be open',
  (latest: string) => fixedSql`
    select from commands
    where deadline_at > least(now(), ${latest}::timestamptz) - make_interval(secs => ${(HOLD_MS + OLD_MS) / 1_000})
    limit 1`,
);

/** Whether a command may be open; without one, none becomes due before a signal of the outbox. */
export const mayHaveOpenCommands = async (database: Database, now: string) =>
  (await asAllTenantsStatement(database, unendedCommands(now))).length > 0;

export type Due = Range & Pick<Slice, 'to'> & { groups: string };

/** `adapter_reads`: NATS may have lost its durables since. */
export const dueCommands = statement(
  'sweeper: due commands',
  ({ slots, groups, from, to, latest }: Due) => fixedSql`
    select tenant_id, command_id, vendor, status, adapter_status, device_execution_status,
      was_read or exists (
        select from tenants
        where tenants.tenant_id in (commands.tenant_id, 'platform') and adapter_reads ? commands.vendor offset 0
      ) as was_read, is_copied
    from commands
    join json_to_recordset(${groups}::text::json)
      as due (tenant_id text, vendor text, status command_status, until timestamptz, was_read boolean) using (tenant_id, vendor, status)
    where completed_at is null and deadline_at <= until
      and deadline_at between ${from}::timestamptz and ${to}::timestamptz
      and deadline_at <= least(now(), ${latest}::timestamptz)
      and tenant_slot_v1(tenant_id) = any (string_to_array(${slots.join()}, ',')::int[])
    order by deadline_at
    limit ${BATCH}
    for no key update of commands skip locked`,
);
