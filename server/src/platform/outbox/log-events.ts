import { sql } from 'drizzle-orm';
import type { Transaction } from '../database/database.js';
import { newId } from '../new-id.js';

type NewEvent = {
  tenant_id: string;
  command_id: string;
  event_type: 'command.accepted' | 'command.completed';
};

/** An arbitrary number that only writers of the event log lock. */
const ADVISORY_LOCK = 5_120_998_347n;

/**
 * Writes events at the end of the log. Transactions that write events wait for each other from the number of an event
 * until their commit, so commits come in the order of the numbers: a reader with a cursor misses no event. Call it last
 * in a transaction: all other writers wait for its commit. An event that is in the log already stays as it is: under the
 * lock a look is enough, and costs less than ON CONFLICT.
 */
export async function logEvents(tx: Transaction, newEvents: readonly NewEvent[]): Promise<void> {
  if (newEvents.length === 0) return;
  const given = JSON.stringify(newEvents.map((event, position) => ({ ...event, position, event_id: newId() })));
  // Together, so that the lock is held for one round trip less.
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
