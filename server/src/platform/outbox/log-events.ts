import { sql } from 'drizzle-orm';
import type { Transaction } from '../database/database.js';
import { newId } from '../new-id.js';

type NewEvent = {
  tenant_id: string;
  command_id: string;
  event_type: 'command.accepted' | 'command.completed';
};

/** An arbitrary lock number that only writers of the event log use. */
const ADVISORY_LOCK = 5_120_998_347n;

/**
 * Appends events to the log. Transactions that write events hold a lock from the numbering until their commit, so they
 * commit in the order of the numbers and a reader with a cursor misses no event. Send this last in a transaction,
 * because all other writers wait for the commit. (The relay may then still read commands that were dispatched before:
 * that is rare.) An event that is already in the log stays unchanged: under the lock a
 * read is enough, and costs less than ON CONFLICT.
 */
export async function logEvents(tx: Transaction, newEvents: readonly NewEvent[]): Promise<void> {
  if (newEvents.length === 0) return;
  const given = JSON.stringify(newEvents.map((event, position) => ({ ...event, position, event_id: newId() })));
  // Lock and number in one statement save a round trip while the lock is held.
  await Promise.all([
    tx.execute(sql`select pg_advisory_xact_lock(${ADVISORY_LOCK.toString()}::bigint)`),
    tx.execute(sql`
      insert into events (tenant_id, command_id, event_type, event_id)
      select tenant_id, command_id, event_type, event_id
      from json_to_recordset(${given}::text::json) as given (
        position int, tenant_id text, command_id uuid, event_type text, event_id uuid
      )
      where not exists (
        select from events
        where events.tenant_id = given.tenant_id and events.command_id = given.command_id
          and events.event_type = given.event_type
      )
      order by position`),
  ]);
}
