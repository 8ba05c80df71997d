import { subjects } from '@tenant-open-platform/contract/bus';
import { createTurns } from '../foundation/concurrency/turns.js';
import type { Database } from '../foundation/database/database.js';
import { asAllTenantsStatement } from '../foundation/database/row-level-security.js';
import type { Now } from '../foundation/database/steady-clock.js';
import type { Signals } from '../foundation/signals/signals.js';
import type { Metrics } from '../foundation/telemetry/metrics.js';
import { readersOf } from './adapter-reads.js';
import type { Bus } from './bus/bus.js';
import {
  type Due,
  dueCommands,
  type Group,
  HOLD_MS,
  mayHaveOpenCommands,
  newMark,
  nextSlice,
  OLD_MS,
  type Row,
  readMark,
  type Slice,
} from './overdue-commands.js';
import { createPatience } from './slots/patience.js';
import type { OwnedSlot } from './slots/slot-owner.js';
import type { Owned, Step } from './slots/steps.js';
import { dispatch, expire } from './transitions.js';
import { announceTransitions, makeTransitions, type Transition } from './write-transitions.js';

const reasons = {
  EXPIRED: { code: 'EXPIRED', message: 'The deadline passed before the command was dispatched to an adapter.' },
  TIMED_OUT: { code: 'TIMED_OUT', message: 'The command was dispatched and no result arrived before the deadline.' },
};
const RESTORED = {
  code: 'RESTORED',
  message:
    'The database was restored to a state from before the end of the command, and no result arrived since. The command may have been executed.',
};

type Options = {
  database: Database;
  signals: Signals;
  metrics: Metrics;
  bus: Pick<Bus, 'oldestUntaken' | 'lastUpdate' | 'commandReads'>;
  now: Now;
  intervalMs: number;
  holdMs?: number;
  thoroughEveryMs?: number;
};

/** After a longer pause between two rounds (a database outage, a frozen process) the hold starts again. */
const PAUSE_MS = 5_000;
/** How many questions the bus gets at a time. */
const ASKED_AT_ONCE = 64;
/** A pass finds a command that commits up to this long after its deadline. */
const COMMIT_MS = 2_000;
/** How often a pass begins at the stored mark: it finds what all passes missed, such as while nobody swept. */
const THOROUGH_EVERY_MS = 60_000;

/** Commands wait for updates at most this long after rounds began, or began again after a pause. */
function createHold({ intervalMs, holdMs = HOLD_MS }: Pick<Options, 'intervalMs' | 'holdMs'>) {
  let lastRoundAt = Number.NEGATIVE_INFINITY;
  let since = 0;
  return {
    /** The latest instant whose commands end whatever the bus says. */
    until(askedAt: number): number {
      const now = performance.now();
      if (now - lastRoundAt > intervalMs + PAUSE_MS) since = now;
      return now - since >= holdMs ? askedAt - holdMs : 0;
    },
    roundDone(): void {
      lastRoundAt = performance.now();
    },
  };
}

/**
 * Which updates had reached the bus at which instant of the database. They have numbers, because the clocks of NATS and
 * of the database may differ by any time.
 */
function createArrivals(bus: Options['bus']) {
  let known: { at: number; seq: number }[] = [];
  return {
    /** Notes what has reached the bus: all that had at this earlier instant. */
    async note(at: number): Promise<void> {
      const reached = { at, seq: await bus.lastUpdate() };
      known = [...known.filter((one) => one.at > at - HOLD_MS), reached];
    },
    /** The latest instant, in Unix milliseconds, that the bus has no unhandled update from; 0 if it is not known. */
    async takenUntil({ tenant_id, vendor, status }: Group, now: number): Promise<number> {
      // No adapter reports on a command that was not dispatched.
      if (status === 'ACCEPTED') return now;
      const oldest = await bus.oldestUntaken(subjects.commandUpdate(tenant_id, vendor)).catch(() => ({ seq: 0 }));
      return oldest ? (known.findLast(({ seq }) => seq < oldest.seq)?.at ?? 0) : now;
    },
  };
}

/**
 * Each call ends commands of the owned slots whose deadline has passed, and returns their number. A result that reached
 * the bus before the deadline counts: a DISPATCHED command ends only once all updates of its tenant and vendor up to its
 * deadline are handled. Rows that another transaction has locked are skipped, and a concurrent result waits for the lock.
 *
 * No index holds a column that changes, so that updates of a command can be heap-only: a sweep also reads finished
 * commands. So a pass begins at a mark: of the commands that passes have seen, none with an earlier deadline is open. It
 * reads slices of overdue commands up to now.
 */
export function createCommandSweeper(options: Options) {
  const { database, bus, thoroughEveryMs = THOROUGH_EVERY_MS } = options;
  const inTurn = createTurns({ atOnce: ASKED_AT_ONCE, maxWaitMs: HOLD_MS });
  const patience = createPatience();
  const hold = createHold(options);
  const arrivals = createArrivals(bus);
  let known: readonly OwnedSlot[] = [];
  /** Where the next pass begins; null: at the stored mark. */
  let mark: string | null = null;
  let thoroughAt = 0;
  let pass: { from: string; isThorough: boolean; firstOpen: number } | null = null;

  function forget(): void {
    mark = null;
    pass = null;
  }
  // Commands that had ended may be open again.
  database.generations.onNew(forget);

  async function beginPass(slots: readonly number[]) {
    const isThorough = mark === null || performance.now() >= thoroughAt;
    const from = isThorough || mark === null ? await readMark(database, slots) : mark;
    return { from, isThorough, firstOpen: Number.POSITIVE_INFINITY };
  }

  /** The commands of the next slice that are due. */
  async function nextDue(slots: readonly number[], from: string) {
    const given = { slots, from, latest: options.now() };
    const [slice] = await asAllTenantsStatement<Slice>(database, nextSlice(given));
    if (!slice) throw new Error('The slice was not read.');
    const holdUntil = hold.until(slice.asked_at);
    if (slice.groups.length > 0) await arrivals.note(slice.asked_at).catch(() => {});
    const groups = await Promise.all(
      slice.groups.map(async (group) => {
        const takenUntil = await inTurn('', () => arrivals.takenUntil(group, slice.asked_at));
        return { ...group, until: Math.max(takenUntil, holdUntil) };
      }),
    );
    const ending = groups.filter(({ until, first_deadline_at }) => first_deadline_at <= until);
    const reads = await readsOf(bus, ending);
    const due = ending.map((group) => ({ ...group, until: toText(group.until), was_read: reads(group) }));
    return { slice, due: due.length > 0 ? { ...given, ...slice, groups: JSON.stringify(due) } : null };
  }

  async function endCommands({ transaction }: Owned, slots: readonly number[], due: Omit<Due, 'slots'>) {
    const ended = await patience.each(slots, (some) =>
      transaction(async (tx, slots) => {
        const transitions = (await tx.execute<Row>(dueCommands({ ...due, slots }))).flatMap(toTransition);
        await makeTransitions(tx, transitions);
        return transitions;
      }, some),
    );
    announceTransitions(options, ended.flat());
    return ended.flat().length;
  }

  /** A round. It ends with a pass, or with a slice of which it has ended commands: the next round reads that one again. */
  return async (owned: Owned): Promise<number> => {
    if (owned.slots.some((slot) => !known.includes(slot))) forget();
    known = owned.slots;
    const slots = known.map(({ slot }) => slot);
    for (;;) {
      pass ??= await beginPass(slots);
      const { from, isThorough, firstOpen: before } = pass;
      const { slice, due } = await nextDue(slots, from);
      const ended = due ? await endCommands(owned, slots, due) : 0;
      hold.roundDone();
      // Without a pass, the database is another one.
      if (ended > 0 || pass === null) return ended;
      const firstOpen = Math.min(before, slice.first_deadline_at ?? Number.POSITIVE_INFINITY);
      pass = slice.next === null ? null : { from: slice.next, isThorough, firstOpen };
      if (pass) continue;
      mark = toText(Math.min(firstOpen, slice.asked_at - COMMIT_MS));
      if (!isThorough) return 0;
      const stored = toText(Math.min(firstOpen, slice.asked_at - OLD_MS));
      await owned.transaction((tx, slots) => tx.execute(newMark(stored, slots.join())));
      thoroughAt = performance.now() + thoroughEveryMs;
      return 0;
    }
  };
}

/** The step of the sweeper. While no command can be overdue, it does not look. */
export function createSweep(options: Options): Step['round'] {
  const sweep = createCommandSweeper(options);
  let known: readonly OwnedSlot[] = [];
  let isQuiet = false;
  return async (owned) => {
    const isNew = owned.slots.some((slot) => !known.includes(slot));
    known = owned.slots;
    if (isQuiet && !isNew && !(await mayHaveOpenCommands(options.database, options.now()))) return 'QUIET';
    isQuiet = false;
    if ((await sweep(owned)) > 0) return 'AGAIN';
    isQuiet = !(await mayHaveOpenCommands(options.database, options.now()));
    return isQuiet ? 'QUIET' : 'SOON';
  };
}

const toText = (unixMs: number) => new Date(unixMs).toISOString();

/** Whether an adapter has ever read commands of a group; true if the bus does not answer. Asks each durable once. */
async function readsOf(bus: Options['bus'], groups: Group[]): Promise<(group: Group) => boolean> {
  const readers = groups.filter(({ status }) => status !== 'ACCEPTED').flatMap(readersOf);
  const reads = readers.length > 0 && (await bus.commandReads([...new Set(readers)]).catch(() => null));
  return (group) => !reads || readersOf(group).some((durable) => reads.has(durable));
}

function toTransition({
  tenant_id: tenantId,
  command_id: commandId,
  vendor,
  was_read,
  is_copied,
  ...before
}: Row): Transition[] {
  const after = expire((is_copied && dispatch(before)) || before);
  if (!after) return [];
  const noAdapter = { code: 'NO_ADAPTER', message: `No adapter has ever read commands of ${vendor} for this tenant.` };
  const timedOut = was_read ? reasons.TIMED_OUT : noAdapter;
  const reason = is_copied ? RESTORED : before.status === 'ACCEPTED' ? reasons.EXPIRED : timedOut;
  return [{ tenantId, commandId, vendor, before, after, source: 'PLATFORM', reason }];
}
