import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { StartupError } from '../../foundation/startup-error.js';
import type { Bus } from '../../pipeline/bus/bus.js';
import { CONTINUE, type Place, say } from './place.js';

const LOOK_AGAIN_MS = 100;
const SAY_AGAIN_MS = 5_000;

/** What must end before the tenant can move. `until`: the last deadline of the open commands. */
type Open = { commands: number; until: string | null; outbox: number; events: number; messages: number };

export async function readOpen(source: Place, bus: Bus | null): Promise<Open> {
  const { tenantId } = source;
  const [open] = await source.readAsSystem<Omit<Open, 'messages'>>(sql`
    select count(deadline_at)::int as commands, max(deadline_at)::text as until,
      (select count(*)::int from outbox where tenant_id = ${tenantId}) as outbox,
      (
        select count(*)::int from events
        where tenant_id = ${tenantId} and seq > (
          select published_seq from slots where slot = tenant_slot_v1(${tenantId})
        )
      ) as events
    from commands
    where tenant_id = ${tenantId} and completed_at is null
      and deadline_at >= (select swept_until from slots where slot = tenant_slot_v1(${tenantId}))`);
  if (!open) throw new Error('The statement returned no row.');
  // The bus counts for all tenants: it is asked when nothing else is left.
  if (!bus || !isQuiet({ ...open, messages: 0 })) return { ...open, messages: 0 };
  const updates = (await bus.untakenUpdates()).get(tenantId) ?? 0;
  const oldest = await bus.oldestUntaken(`tenants.${tenantId}.device-requests.*`);
  return { ...open, messages: updates + (oldest ? 1 : 0) };
}

export const isQuiet = ({ commands, outbox, events, messages }: Open) =>
  commands === 0 && outbox === 0 && events === 0 && messages === 0;

/** Waits until nothing of the tenant is under way: at most the longest timeout of its commands, if the platform works. */
export async function untilQuiet(source: Place, bus: Bus | null): Promise<void> {
  for (let saidAt = Number.NEGATIVE_INFINITY; ; await delay(LOOK_AGAIN_MS)) {
    const open = await readOpen(source, bus);
    if (isQuiet(open)) return;
    if (performance.now() - saidAt < SAY_AGAIN_MS) continue;
    saidAt = performance.now();
    say(
      `waiting for ${commandsOf(open)}, ${open.outbox} messages to adapters, ${open.events} events, ${open.messages} messages of adapters`,
    );
  }
}

/** Waits, while the tenant is open, for its open commands, if one may run for more than 3 s. Returns whether it did. */
export async function untilOpenCommandsEnded(source: Place): Promise<boolean> {
  const { tenantId } = source;
  const [clock] = await source.read<{ now: string }>(sql`select now()::text as now`);
  const soon = Date.parse(clock?.now ?? '') + 3_000;
  for (let saidAt = Number.NEGATIVE_INFINITY; ; await delay(LOOK_AGAIN_MS)) {
    const [open] = await source.readAsSystem<Pick<Open, 'commands' | 'until'>>(sql`
      select count(deadline_at)::int as commands, max(deadline_at)::text as until from commands
      where tenant_id = ${tenantId} and completed_at is null and accepted_at <= ${clock?.now}::timestamptz
        and deadline_at >= (select swept_until from slots where slot = tenant_slot_v1(${tenantId}))`);
    if (saidAt < 0 && !(open?.until && Date.parse(open.until) > soon)) return false;
    if (!open?.until) return true;
    if (performance.now() - saidAt < SAY_AGAIN_MS) continue;
    saidAt = performance.now();
    say(`the tenant is open: waiting for ${commandsOf(open)}`);
  }
}

const commandsOf = ({ commands, until }: Pick<Open, 'commands' | 'until'>) =>
  `${commands} open commands${until === null ? '' : ` until ${new Date(until).toISOString()} at the latest`}`;

const TRANSACTIONS_END_WITHIN_MS = 60_000;

/**
 * Waits for all transactions of the platform that began before: they may not have seen the last step. Each has a lock of
 * its own, which every login may see. Superusers cannot be logins of the platform: their dumps may take hours.
 */
export async function untilEarlierTransactionsEnded(source: Place): Promise<void> {
  const running = () =>
    source.readAsSystem<{ id: string; pid: number }>(sql`
      select virtualxid as id, lock.pid
      from pg_locks as lock
      join pg_stat_activity as session on session.pid = lock.pid
      join pg_roles as login on login.oid = session.usesysid
      where locktype = 'virtualxid' and virtualxid = virtualtransaction and lock.pid <> pg_backend_pid()
        and session.datname = current_database() and not rolsuper and not rolbypassrls
        and pg_has_role(login.oid, 'top_app', 'member')`);
  const earlier = new Set((await running()).map(({ id }) => id));
  for (const startedAt = performance.now(); ; await delay(LOOK_AGAIN_MS)) {
    const left = (await running()).filter(({ id }) => earlier.has(id));
    const [first] = left;
    if (!first) return;
    if (performance.now() - startedAt > TRANSACTIONS_END_WITHIN_MS) {
      throw new StartupError(
        `A transaction of the source does not end: process ${first.pid} of Postgres (see pg_stat_activity). End it. ${CONTINUE}`,
      );
    }
  }
}
