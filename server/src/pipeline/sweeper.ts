import { subjects } from '@tenant-open-platform/contract/bus';
import type { SQL } from 'drizzle-orm';
import { createTurns } from '../foundation/concurrency/turns.js';
import type { Database, Transaction } from '../foundation/database/database.js';
import { asAllTenantsImpatiently, asAllTenantsStatement } from '../foundation/database/row-level-security.js';
import { sql, statement } from '../foundation/database/statement.js';
import type { Now } from '../foundation/database/steady-clock.js';
import type { Signals } from '../foundation/signals/signals.js';
import { slotOf } from '../foundation/slots.js';
import type { Metrics } from '../foundation/telemetry/metrics.js';
import { readersOf } from './adapter-reads.js';
import type { Bus } from './bus/bus.js';
import { type BusySlots, createBusySlots } from './busy-slots.js';
import { announceMoves, type Move, moveCommands } from './moves.js';
import { dispatch, expire, type State } from './transitions.js';

const BATCH = 500;
/** A round reads at most this many overdue commands. Later rounds read the rest. */
const ROWS_READ = 5_000;

const reasons = {
  EXPIRED: { code: 'EXPIRED', message: 'The deadline passed before the command was dispatched to an adapter.' },
  TIMED_OUT: { code: 'TIMED_OUT', message: 'The command was dispatched and no result arrived before the deadline.' },
};
const RESTORED = {
  code: 'RESTORED',
  message:
    'The database was restored to a state from before the end of the command, and no result arrived since. The command may have been executed.',
};

/**
 * RECENT: the deadline passed since the last sweep. It runs often and reads each command about once.
 * OLD: the deadline passed more than a minute ago. It runs seldom, and finds commands that every RECENT sweep missed:
 * their transaction committed after the deadline, or they became due while no process swept.
 */
export type Overdue = 'RECENT' | 'OLD';

type Options = {
  database: Database;
  signals: Signals;
  metrics: Metrics;
  bus: Pick<Bus, 'oldestUntaken' | 'commandReads'>;
  now: Now;
  overdue: Overdue;
  intervalMs: number;
  holdMs?: number;
};

/**
 * How long after its deadline a command waits for unhandled updates on the bus, or for a bus that does not answer. A
 * stuck consumer cannot keep a command open for longer.
 */
const HOLD_MS = 120_000;
/** After a longer pause between two rounds (a database outage, a frozen process) the hold starts again. */
const PAUSE_MS = 5_000;
/** How many questions the bus gets at a time. */
const ASKED_AT_ONCE = 64;
/** The tolerated difference between the clocks of NATS and Postgres. */
const CLOCKS_DIFFER_MS = 1_000;
/** A RECENT sweep finds a command that commits up to this long after its deadline. */
const COMMIT_MS = 2_000;
/** No transaction of the platform lasts longer. */
const OLD_MS = 60_000;

/** Overdue commands of one tenant, vendor and status. */
type Group = Pick<Row, 'tenant_id' | 'vendor' | 'status'> & { first_deadline_at: number };

/** The range of deadlines that a round reads. `next`: the one after it, or null. Other instants: Unix milliseconds. */
type Slice = {
  from: string;
  to: string;
  next: string | null;
  asked_at: number;
  first_deadline_at: number | null;
  groups: Group[];
};

type Row = State & {
  tenant_id: string;
  command_id: string;
  vendor: string;
  was_read: boolean;
  is_copied: boolean | null;
};

/**
 * Each call ends commands whose deadline has passed, and returns their number. A result that reached the bus before the
 * deadline counts: a DISPATCHED command ends only once all updates of its tenant and vendor up to its deadline are
 * handled. Any number of nodes may sweep: each skips rows that another has locked, and a concurrent result waits for
 * the lock. If a round can end no command of its slice, the next round continues after the slice.
 * No index holds a column that changes, so that updates of a command can be heap-only. So a sweep also reads finished
 * commands. It starts at a mark: of the commands that sweeps have seen, none with an earlier deadline is open. From
 * there it reads slices of at most ROWS_READ overdue commands. A pass is all slices from the mark to now.
 *
 * | variable | set by | meaning |
 * | --- | --- | --- |
 * | lastRoundAt | sweepSlice | tells a pause, such as an outage, from an interval |
 * | holdsSince | sweepSlice, after a pause | commands are held for holdMs from here on, then ended |
 * | resumeFrom | sweepSlice: its slice again; the caller: the next one | where to begin; null: at the mark |
 * | firstOpen | each slice that ended nothing | the earliest open deadline of this pass, in Unix milliseconds |
 * | openSince | a RECENT sweep, at the end of a pass | its mark; null at first: it begins at the stored mark |
 * | sweep_marks (a table) | an OLD sweep, at the end of a pass | its mark, and that of the first RECENT sweep |
 */
export function createCommandSweeper(options: Options) {
  const { database, bus, overdue, intervalMs, holdMs = HOLD_MS } = options;
  const overdueSeconds = overdue === 'OLD' ? OLD_MS / 1_000 : 0;
  let lastRoundAt = Number.NEGATIVE_INFINITY;
  let holdsSince = 0;
  let openSince: string | null = null;
  let resumeFrom: string | null = null;
  let firstOpen = Number.POSITIVE_INFINITY;
  const busy = createBusySlots(database);
  const inTurn = createTurns({ atOnce: ASKED_AT_ONCE, maxWaitMs: HOLD_MS });
  // Commands that had ended may be open again.
  database.generations.onNew(() => {
    openSince = null;
    resumeFrom = null;
  });

  async function sweepSlice(): Promise<{ ended: number; slice: Slice }> {
    const from = resumeFrom ?? (overdue === 'RECENT' && openSince !== null ? openSince : await readMark(database));
    const latest = options.now();
    const [found] = await asAllTenantsStatement<Slice>(database, nextSlice(from, latest, overdueSeconds));
    const slice = found as Slice;
    const now = performance.now();
    if (now - lastRoundAt > intervalMs + PAUSE_MS) holdsSince = now;
    const holdEnded = now - holdsSince >= holdMs;
    const groups = await Promise.all(
      slice.groups.map(async (group) => {
        const takenUntil = await inTurn('', () => takenUntilOf(bus, group, slice.asked_at));
        return { ...group, until: holdEnded ? Math.max(takenUntil, slice.asked_at - holdMs) : takenUntil };
      }),
    );
    const ending = groups.filter(({ until, first_deadline_at }) => first_deadline_at <= until);
    const reads = await readsOf(bus, ending);
    const due = ending.map((group) => ({ ...group, until: toText(group.until), was_read: reads(group) }));
    const overdueNow = dueCommands(JSON.stringify(due), slice, latest, overdueSeconds);
    const ended = due.length > 0 ? await endCommands(options, busy, overdueNow) : 0;
    lastRoundAt = performance.now();
    resumeFrom = from;
    return { ended, slice };
  }

  return async (): Promise<number> => {
    for (;;) {
      const { ended, slice } = await sweepSlice();
      if (ended > 0) return ended;
      firstOpen = Math.min(firstOpen, slice.first_deadline_at ?? Number.POSITIVE_INFINITY);
      resumeFrom = slice.next;
      if (resumeFrom !== null) continue;
      const since = Math.min(firstOpen, slice.asked_at - (overdue === 'OLD' ? OLD_MS : COMMIT_MS));
      firstOpen = Number.POSITIVE_INFINITY;
      if (overdue === 'RECENT') openSince = toText(since);
      else await asAllTenantsStatement(database, newMark(toText(since)));
      return 0;
    }
  };
}

const toText = (unixMs: number) => new Date(unixMs).toISOString();

const mark = statement(
  'sweeper: mark',
  () => sql`select swept_until::text as until from sweep_marks where name = 'commands'`,
);

async function readMark(database: Database): Promise<string> {
  const [found] = await asAllTenantsStatement<{ until: string }>(database, mark());
  if (!found) throw new Error('The mark of the sweeper is missing.');
  return found.until;
}

const newMark = statement(
  'sweeper: new mark',
  (until: string) => sql`update sweep_marks set swept_until = ${until}::timestamptz where name = 'commands'`,
);

/**
 * The groups of the next overdue commands. A mark that lies ahead was set while the database's clock was ahead: nothing
 * that became due since may be missed. Deadlines have whole milliseconds.
 */
const nextSlice = statement(
  'sweeper: next slice',
  (mark: string, latest: string, overdueSeconds: number) => sql`
    with clock as (
      select present, case
        when ${mark}::timestamptz > present then present - make_interval(secs => ${(2 * OLD_MS) / 1_000})
        else ${mark}::timestamptz
      end as start
      from (select least(now(), ${latest}::timestamptz) as present) as read
    ), slice as (
      select tenant_id, vendor, status, deadline_at from commands
      where completed_at is null and deadline_at >= (select start from clock)
        and deadline_at <= (select present from clock) - make_interval(secs => ${overdueSeconds})
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
  (latest: string) => sql`
    select from commands
    where deadline_at > least(now(), ${latest}::timestamptz) - make_interval(secs => ${(HOLD_MS + OLD_MS) / 1_000})
    limit 1`,
);

/** Whether a command may be open; without one, none becomes due before a signal of the outbox. */
export const mayHaveOpenCommands = async (database: Database, now: string) =>
  (await asAllTenantsStatement(database, unendedCommands(now))).length > 0;

/** The instant, in Unix milliseconds, before which the bus has no unhandled update. */
async function takenUntilOf(bus: Options['bus'], { tenant_id, vendor, status }: Group, now: number): Promise<number> {
  // No adapter reports on a command that was not dispatched.
  if (status === 'ACCEPTED') return now;
  try {
    const oldest = await bus.oldestUntaken(subjects.commandUpdate(tenant_id, vendor));
    return oldest ? Math.min(now, oldest.getTime() - CLOCKS_DIFFER_MS) : now;
  } catch {
    return 0;
  }
}

/** Whether an adapter has ever read commands of a group; true if the bus does not answer. Asks each durable once. */
async function readsOf(bus: Options['bus'], groups: Group[]): Promise<(group: Group) => boolean> {
  const readers = groups.filter(({ status }) => status !== 'ACCEPTED').flatMap(readersOf);
  const reads = readers.length > 0 && (await bus.commandReads([...new Set(readers)]).catch(() => null));
  return (group) => !reads || readersOf(group).some((durable) => reads.has(durable));
}

/** `adapter_reads`: NATS may have lost its durables since. */
const dueCommands = statement(
  'sweeper: due commands',
  (groups: string, { from, to }: Slice, latest: string, overdueSeconds: number) => sql`
    select tenant_id, command_id, vendor, status, adapter_status, device_execution_status,
      was_read or exists (
        select from tenants
        where tenants.tenant_id in (commands.tenant_id, 'platform') and adapter_reads ? commands.vendor offset 0
      ) as was_read, accepted_at <= (select max(copied_until) from database_generations) as is_copied
    from commands
    join json_to_recordset(${groups}::text::json)
      as due (tenant_id text, vendor text, status text, until timestamptz, was_read boolean) using (tenant_id, vendor, status)
    where completed_at is null and deadline_at <= until
      and deadline_at between ${from}::timestamptz and ${to}::timestamptz
      and deadline_at <= least(now(), ${latest}::timestamptz) - make_interval(secs => ${overdueSeconds})
    order by deadline_at
    limit ${BATCH}
    for no key update of commands skip locked`,
);

/** Commands of a busy slot stay open until a later round. */
async function endCommands({ database, ...listeners }: Options, busy: BusySlots, due: SQL): Promise<number> {
  const endAll = async (tx: Transaction, rows: readonly object[]) => {
    const free = (rows as readonly Row[]).filter(({ tenant_id }) => !busy.current().has(slotOf(tenant_id)));
    const moves = free.flatMap(toMove);
    await moveCommands(tx, moves);
    return moves;
  };
  try {
    const moves = await asAllTenantsImpatiently(database, endAll, due);
    announceMoves(listeners, moves);
    return moves.length;
  } catch (error) {
    if (await busy.caused(error)) return 0;
    throw error;
  }
}

function toMove({ tenant_id: tenantId, command_id: commandId, vendor, was_read, is_copied, ...before }: Row): Move[] {
  const after = expire((is_copied && dispatch(before)) || before);
  if (!after) return [];
  const noAdapter = { code: 'NO_ADAPTER', message: `No adapter has ever read commands of ${vendor} for this tenant.` };
  const timedOut = was_read ? reasons.TIMED_OUT : noAdapter;
  const reason = is_copied ? RESTORED : before.status === 'ACCEPTED' ? reasons.EXPIRED : timedOut;
  return [{ tenantId, commandId, vendor, before, after, source: 'PLATFORM', reason }];
}
